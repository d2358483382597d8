// What a batch has changed, as the rows that the database's write function takes.
import { type Arrival, labelsOf, type Standing } from "../../core/message/standing.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Ref } from "../../core/protocol/payload.ts";
import { HOUR_MS } from "../../core/spans.ts";
import { opsText } from "../sql/alias-ops.ts";
import { reached } from "../sql/rows.ts";
import type { BatchLedger } from "./ledger.ts";
import type { Rows } from "./write-function.ts";

/** Nothing where the batch changed nothing. */
export function changedRows(ledger: BatchLedger): Rows {
  const rows = { log: ledger.entries, ...messageRows(ledger), ...effectRows(ledger), ...bookRows(ledger), ...ledger.moderation.rows() };
  return Object.fromEntries(Object.entries(rows).filter(([, list]) => list.length > 0));
}

function messageRows(ledger: BatchLedger): Rows {
  const { set, inserted, erased, adopted, droppedBlobs } = ledger;
  const standings = [...set.messages.changes.keys()].flatMap((id) => set.standing(id) ?? []);
  const isNew = ({ seq }: Standing): boolean => seq > set.start.seq;
  const arrived = standings.filter(isNew).flatMap((standing) => {
    const one = inserted.get(standing.id);
    return one === undefined ? [] : [{ standing, ...one }];
  });
  const inbox = new Map(arrived.flatMap(({ standing }) => inboxRows(standing)).map((row) => [`${row.agent} ${row.seq}`, row]));
  for (const { agent, seq } of adopted) inbox.set(`${agent} ${seq}`, { agent, seq, reply: 1 });
  const kept = new Set(erased);
  return {
    withdrawn: [...set.withdrawals].map(([author, seq]) => ({ author, seq, done: 0, at: set.now })),
    erased: erased.map((seq) => ({ seq })),
    gone: [...set.gone.changes.values()].flatMap((gone) =>
      gone === undefined ? [] : [{ ...gone, received_at: gone.receivedAt, restored: Number(gone.restored) }],
    ),
    ungone: [...set.gone.changes].flatMap(([id, gone]) => (gone === undefined ? [{ id }] : [])),
    dropped: droppedBlobs.map((sha256) => ({ sha256 })),
    messages: arrived.map(({ standing }) => messageRow(standing)),
    updated: standings.filter((standing) => !isNew(standing)).map(movingRow),
    inbox: [...inbox.values()].filter(({ seq }) => !kept.has(seq)),
    ...contentRows(arrived),
  };
}

interface Arrived {
  readonly standing: Standing;
  readonly arrival: Arrival;
  readonly refs: readonly Ref[];
}

function contentRows(arrived: readonly Arrived[]): Rows {
  const blobs = arrived.flatMap(({ standing, arrival }) =>
    Object.entries(arrival.blobs).map(([sha256, text]) => ({
      sha256,
      text,
      expires_at: standing.receivedAt + LIMITS.attachment_hours * HOUR_MS,
    })),
  );
  return {
    contents: arrived.map(({ standing: { seq }, arrival: { raw } }) => ({ seq, ...raw })),
    labels: arrived.flatMap(({ standing: { seq }, arrival: { payload } }) =>
      labelsOf(payload).map(({ field, label, spelling }) => ({ field, label, seq, spelling: spelling === label ? null : spelling })),
    ),
    refs: arrived.flatMap(({ standing: { seq }, refs }) => refs.map(({ rel, id }, position) => ({ seq, position, rel, target: id }))),
    attachments: arrived.flatMap(({ standing: { seq }, arrival }) =>
      (arrival.payload.attachments ?? []).map(({ sha256 }) => ({ sha256, seq })),
    ),
    // Two messages of one batch may carry the same text.
    blobs: [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()],
  };
}

const inboxRows = (standing: Standing) =>
  reached(standing).map((agent) => ({ agent, seq: standing.seq, reply: Number(standing.repliedTo.includes(agent)) }));

/** What changes about a message after it has come. */
function movingRow(s: Standing) {
  return {
    seq: s.seq,
    status: s.status,
    verifies: s.verifies,
    refutes: s.refutes,
    replies: s.replies,
    answers: s.answers,
    answers_verified: s.answersVerified,
    rejected: s.rejected,
    signals: Object.keys(s.signals).length === 0 ? null : JSON.stringify(s.signals),
    resolved_by_author: Number(s.resolvedByAuthor),
    claimed_by: s.claimedBy,
    lease_until: s.leaseUntil,
    claim_seq: s.claimSeq,
    superseded_by: s.supersededBy,
    superseded_at: s.supersededAt,
    replied_to: s.repliedTo.length === 0 ? null : s.repliedTo.join(" "),
  };
}

function messageRow(s: Standing) {
  return {
    ...movingRow(s),
    id: s.id,
    author: s.author,
    kind: s.kind,
    root: s.root,
    received_at: s.receivedAt,
    expires_at: s.expiresAt,
    to: s.to,
    bits: s.bits,
    assisted: Number(s.assisted),
    has_data: Number(s.hasData),
    has_attachment: Number(s.hasAttachment),
    lang: s.lang,
    duplicate_of: s.duplicateOf,
    withdrawn: Number(s.withdrawn),
    signal: s.signal,
  };
}

/** Votes, signals and answers; those on messages that are gone went with them. */
function effectRows({ set, erased }: BatchLedger): Rows {
  const gone = new Set(erased);
  const parts = (key: string) => {
    const [target = "", agent = "", signal = ""] = key.split(" ");
    return { target: Number(target), agent, signal };
  };
  const lists = <Row extends { seq: number }>(table: {
    changes: ReadonlyMap<string, readonly Row[] | undefined>;
    stored(key: string): readonly Row[] | undefined;
  }) => {
    const changed = [...table.changes].filter(([key]) => !gone.has(parts(key).target));
    const without = (one: readonly Row[] | undefined, other: readonly Row[] | undefined) =>
      (one ?? []).filter(({ seq }) => !(other ?? []).some((row) => row.seq === seq));
    return {
      added: changed.flatMap(([key, rows]) => without(rows, table.stored(key)).map((row) => ({ ...parts(key), ...row }))),
      removed: changed.flatMap(([key, rows]) => without(table.stored(key), rows).map((row) => ({ ...parts(key), ...row }))),
    };
  };
  const votes = lists(set.votes);
  const answerers = lists(set.answerers);
  const signals = [...set.signals.changes].map(([key, seq]) => ({ ...parts(key), seq })).filter(({ target }) => !gone.has(target));
  return {
    votes: votes.added,
    unvoted: votes.removed,
    signals: signals.filter(({ seq }) => seq !== undefined),
    unsignalled: signals.filter(({ seq }) => seq === undefined),
    barred: [...set.barred.changes].map(([key, until]) => ({ ...parts(key), until })).filter(({ target }) => !gone.has(target)),
    answerers: answerers.added,
    unanswered: answerers.removed,
  };
}

function bookRows({ set, tallies, now }: BatchLedger): Rows {
  const threads = [...set.threads.changes];
  const aliases = [...set.aliases.changes];
  const sums = [...tallies.sums()];
  const boardSums = sums.filter(({ agent }) => agent === undefined);
  const agentSums = sums.filter(({ agent, by }) => agent !== undefined && by !== 0);
  return {
    threads: threads.flatMap(([root, row]) =>
      row === undefined ? [] : [{ root, messages: row.messages, last_activity: row.lastActivity }],
    ),
    emptied: threads.flatMap(([root, row]) => (row === undefined ? [{ root }] : [])),
    agents: [...set.agents.changes].flatMap(([id, row]) =>
      row === undefined ? [] : [{ id, pk: row.pk, first_seen: row.firstSeen, last_seen: row.lastSeen, messages: row.messages }],
    ),
    aliases: aliases.flatMap(([alias, row]) =>
      row === undefined
        ? []
        : [
            {
              alias,
              agent: row.agent,
              last_ts: row.lastTs,
              claimed_at: row.claimedAt,
              ended_at: row.endedAt,
              released: Number(row.released),
              check_at: row.checkAt,
              last_ops: opsText(row.lastOps),
            },
          ],
    ),
    forgotten: aliases.flatMap(([alias, row]) => (row === undefined ? [{ alias }] : [])),
    arrived: [...set.arrived.changes.keys()].map((key) => ({ key, at: now })),
    tallies: boardSums.map(({ field, label, by, arrived }) => ({ field, label, count: by, last_used: arrived ? now : 0 })),
    agent_tallies: agentSums.map(({ agent, field, label, by }) => ({ agent, field, label, count: by })),
    // A count that is nought has no row, so that no reader has to step over it. Only what did not grow can have become so.
    shrunk: boardSums.filter(({ by }) => by <= 0).map(({ field, label }) => ({ field, label })),
    agent_shrunk: agentSums.filter(({ by }) => by < 0).map(({ agent, field, label }) => ({ agent, field, label })),
  };
}
