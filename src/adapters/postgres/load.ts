// Fetches what a batch has asked for and does not know yet: one statement for each kind of row, all on their way at once.
import type { Label } from "../../core/message/standing.ts";
import type { Ref } from "../../core/protocol/payload.ts";
import type { Signal } from "../../core/protocol/vocabulary.ts";
import { GONE_COLUMNS, STANDING_COLUMNS, toGone, toStanding } from "../sql/rows.ts";
import type { Client, Value } from "./client.ts";
import { ask, grouped } from "./fetch.ts";
import { numberArray, textArray } from "./literals.ts";
import type { Window } from "./window.ts";
import { type AgentRow, type Answerer, keyOf, type StoredAlias, type StoredVote, type WorkingSet } from "./working-set.ts";

const ALIAS_COLUMNS = `alias, agent, last_ts AS "lastTs", claimed_at AS "claimedAt", ended_at AS "endedAt", released, check_at AS "checkAt"`;
const MESSAGES = `SELECT ${STANDING_COLUMNS} FROM messages m`;

const toAlias = (row: unknown): StoredAlias => {
  const { released, ...rest } = row as Omit<StoredAlias, "released"> & { released: 0 | 1 };
  return { ...rest, released: released === 1 };
};

export async function loadMissing(client: Client, set: WorkingSet): Promise<void> {
  await Promise.all([...loadByText(client, set), ...loadBySeq(client, set), ...loadWindows(client, set), ...set.moderation.load(client)]);
}

function loadByText(client: Client, set: WorkingSet): Promise<void>[] {
  const { messages, gone, agents, threads, replies, aliases, held, arrived } = set;
  return [
    ask<unknown>(client, messages, `${MESSAGES} WHERE m.id = ANY ($1::text[])`, textArray, (ids, rows) =>
      messages.keep(
        ids,
        rows.map(toStanding).map((row) => [row.id, row]),
      ),
    ),
    ask<unknown>(client, gone, `SELECT ${GONE_COLUMNS} FROM gone WHERE id = ANY ($1::text[])`, textArray, (ids, rows) =>
      gone.keep(
        ids,
        rows.map(toGone).map((row) => [row.id, row]),
      ),
    ),
    ask<AgentRow & { id: string }>(
      client,
      agents,
      `SELECT id, pk, first_seen AS "firstSeen", last_seen AS "lastSeen", messages FROM agents WHERE id = ANY ($1::text[])`,
      textArray,
      (ids, rows) =>
        agents.keep(
          ids,
          rows.map(({ id, ...row }) => [id, row]),
        ),
    ),
    ask<{ root: string; messages: number; lastActivity: number }>(
      client,
      threads,
      `SELECT root, messages, last_activity AS "lastActivity" FROM threads WHERE root = ANY ($1::text[])`,
      textArray,
      (roots, rows) =>
        threads.keep(
          roots,
          rows.map(({ root, ...row }) => [root, row]),
        ),
    ),
    ask<{ target: string }>(
      client,
      replies,
      `SELECT r.target, ${STANDING_COLUMNS} FROM refs r JOIN messages m ON m.seq = r.seq WHERE r.target = ANY ($1::text[]) AND r.rel = 'reply'`,
      textArray,
      (targets, rows) => {
        const standings = rows.map(({ target, ...row }) => ({ target, standing: toStanding(row) }));
        messages.keep(
          [],
          standings.map(({ standing }) => [standing.id, standing]),
        );
        replies.keep(
          targets,
          grouped(
            standings,
            (row) => row.target,
            (row) => row.standing.id,
          ),
        );
      },
    ),
    ask<unknown>(client, aliases, `SELECT ${ALIAS_COLUMNS} FROM aliases WHERE alias = ANY ($1::text[])`, textArray, (names, rows) =>
      aliases.keep(
        names,
        rows.map(toAlias).map((row) => [row.alias, row]),
      ),
    ),
    ask<unknown>(
      client,
      held,
      `SELECT ${ALIAS_COLUMNS} FROM aliases WHERE agent = ANY ($1::text[]) AND ended_at IS NULL`,
      textArray,
      (names, rows) => {
        const found = rows.map(toAlias);
        aliases.keep(
          [],
          found.map((row) => [row.alias, row]),
        );
        held.keep(
          names,
          grouped(
            found,
            (row) => row.agent,
            (row) => row.alias,
          ),
        );
      },
    ),
    ask<{ key: string }>(client, arrived, "SELECT key FROM arrived_once WHERE key = ANY ($1::text[])", textArray, (keys, rows) =>
      arrived.keep(
        keys,
        rows.map(({ key }) => [key, true]),
      ),
    ),
  ];
}

function loadBySeq(client: Client, set: WorkingSet): Promise<void>[] {
  const { votes, voters, signals, carried, answerers, refs, labels, attached } = set;
  const seqs = (keys: readonly string[]) => numberArray(keys.map(Number));
  const triples = (keys: readonly string[]) =>
    JSON.stringify(keys.map((key) => key.split(" ")).map(([target, agent, signal]) => ({ target, agent, signal })));
  type VoteRow = StoredVote & { target: number; agent: string };
  const voteKey = ({ target, agent }: VoteRow) => keyOf(target, agent);
  const voteOf = ({ seq, rel }: VoteRow): StoredVote => ({ seq, rel });
  return [
    ask<VoteRow>(
      client,
      votes,
      `SELECT v.target, v.agent, v.seq, v.rel FROM json_to_recordset($1::text::json) AS k (target bigint, agent text)
        JOIN votes v ON v.target = k.target AND v.agent = k.agent ORDER BY v.seq`,
      triples,
      (keys, rows) => votes.keep(keys, grouped(rows, voteKey, voteOf)),
    ),
    ask<VoteRow>(
      client,
      voters,
      "SELECT target, agent, seq, rel FROM votes WHERE target = ANY ($1::bigint[]) ORDER BY seq",
      seqs,
      (keys, rows) => {
        votes.keep([], grouped(rows, voteKey, voteOf));
        const agents = grouped(
          rows,
          ({ target }) => String(target),
          ({ agent }) => agent,
        );
        voters.keep(
          keys,
          [...agents].map(([target, all]) => [target, [...new Set(all)]]),
        );
      },
    ),
    ask<{ target: number; agent: string; signal: string; seq: number }>(
      client,
      signals,
      `SELECT s.target, s.agent, s.signal, s.seq FROM json_to_recordset($1::text::json) AS k (target bigint, agent text, signal text)
        JOIN signals s ON s.target = k.target AND s.agent = k.agent AND s.signal = k.signal`,
      triples,
      (keys, rows) =>
        signals.keep(
          keys,
          rows.map((row) => [keyOf(row.target, row.agent, row.signal), row.seq]),
        ),
    ),
    ask<{ seq: number; signal: Signal }>(
      client,
      carried,
      "SELECT DISTINCT seq, signal FROM signals WHERE seq = ANY ($1::bigint[])",
      seqs,
      (keys, rows) =>
        carried.keep(
          keys,
          rows.map(({ seq, signal }) => [String(seq), signal]),
        ),
    ),
    ask<Answerer & { target: number }>(
      client,
      answerers,
      "SELECT target, agent, seq FROM answerers WHERE target = ANY ($1::bigint[]) ORDER BY seq",
      seqs,
      (keys, rows) =>
        answerers.keep(
          keys,
          grouped(
            rows,
            ({ target }) => String(target),
            ({ agent, seq }): Answerer => ({ agent, seq }),
          ),
        ),
    ),
    ask<Ref & { seq: number }>(
      client,
      refs,
      "SELECT seq, rel, target AS id FROM refs WHERE seq = ANY ($1::bigint[]) ORDER BY seq, position",
      seqs,
      (keys, rows) =>
        refs.keep(
          keys,
          grouped(
            rows,
            ({ seq }) => String(seq),
            ({ rel, id }): Ref => ({ rel, id }),
          ),
        ),
    ),
    ask<{ seq: number; sha256: string }>(
      client,
      attached,
      "SELECT seq, sha256 FROM attachments WHERE seq = ANY ($1::bigint[]) ORDER BY sha256",
      seqs,
      (keys, rows) =>
        attached.keep(
          keys,
          grouped(
            rows,
            ({ seq }) => String(seq),
            ({ sha256 }) => sha256,
          ),
        ),
    ),
    ask<Label & { seq: number }>(
      client,
      labels,
      "SELECT seq, field, label FROM labels WHERE seq = ANY ($1::bigint[])",
      seqs,
      (keys, rows) =>
        labels.keep(
          keys,
          grouped(
            rows,
            ({ seq }) => String(seq),
            ({ field, label }): Label => ({ field, label }),
          ),
        ),
    ),
  ];
}

function loadWindows(client: Client, set: WorkingSet): Promise<void>[] {
  const { messages, aliases, now } = set;
  const message = async (window: Window<ReturnType<typeof toStanding>>, rest: string, values: readonly Value[]): Promise<void> => {
    const { wanted } = window;
    if (wanted === 0) return;
    const rows = (await client.query<unknown>(`${MESSAGES} ${rest} LIMIT $${values.length + 1}`, [...values, wanted])).map(toStanding);
    messages.keep(
      [],
      rows.map((row) => [row.id, row]),
    );
    window.keep(rows, wanted);
  };
  const dueAliases = async (): Promise<void> => {
    const { wanted } = set.dueAliases;
    if (wanted === 0) return;
    const sql = `SELECT ${ALIAS_COLUMNS} FROM aliases WHERE check_at <= $1 ORDER BY check_at, alias LIMIT $2`;
    const rows = (await client.query<unknown>(sql, [now, wanted])).map(toAlias);
    aliases.keep(
      [],
      rows.map((row) => [row.alias, row]),
    );
    set.dueAliases.keep(rows, wanted);
  };
  // Whatever is stored came before the message that withdraws it.
  const withdrawn = [...set.withdrawn].map(([author, window]) =>
    message(window, "WHERE m.author = $1 AND m.expires_at > $2 ORDER BY m.seq", [author, now]),
  );
  return [
    message(set.due, "WHERE m.expires_at <= $1 ORDER BY m.expires_at, m.seq", [now]),
    message(set.endedLeases, "WHERE m.lease_until <= $1 ORDER BY m.lease_until, m.seq", [now]),
    message(
      set.openWork,
      `WHERE m.kind IN ('task', 'subtask', 'question') AND m.status = 'open' AND m.superseded_by IS NULL AND m.expires_at > $1 ORDER BY m.seq DESC`,
      [now],
    ),
    dueAliases(),
    ...withdrawn,
  ];
}
