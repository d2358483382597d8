// The changes of a batch, as rows to insert, update and delete: by the names of the board's own fields, from which those of the columns
// are made.
import type { MessageState } from "../../../core/message/message-state.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import { isVote } from "../../../core/protocol/vocabulary.ts";
import { HOUR_MS } from "../../../core/durations.ts";
import { opsText } from "../alias-rows.ts";
import { reached, REPLY, VOTE } from "../rows.ts";
import type { BatchLedger, Inserted } from "./in-memory-ledger.ts";
import type { WorkingTable } from "./table.ts";
import { ONE, type WorkingSet } from "./working-set.ts";
import type { WriteStep } from "./write-steps.ts";

export type ChangedRows = Partial<Record<WriteStep, readonly object[]>>;

type Add = (step: WriteStep, row: object) => unknown;

/** Undefined if the batch changed nothing. */
export function changedRows(ledger: BatchLedger): ChangedRows {
  const rows: { [Name in WriteStep]?: object[] } = {};
  const add: Add = (step, row) => (rows[step] ??= []).push(row);
  if (ledger.entries.length > 0) rows.log = ledger.entries;
  for (const tile of ledger.tiles) add("tiles", tile);
  addWithdrawals(ledger, add);
  addMessages(ledger, add);
  addEffects(ledger, add);
  addThreadsAndAgents(ledger, add);
  addTallies(ledger, add);
  addModeration(ledger, add);
  addKeys(ledger, add);
  return rows;
}

/** Withdrawals that have not ended completely, those that have, and the messages that end now. */
function addWithdrawals({ set, ended, withdrawalsLeft: left = [] }: BatchLedger, add: Add): void {
  const before = set.withdrawals.stored(ONE) ?? [];
  for (const one of left) if (!before.includes(one)) add("withdrawals", one);
  for (const { author } of before) if (!left.some((one) => one.author === author)) add("withdrawals_deletes", { author });
  for (const { author, after, below, at } of ended) add("messages_expirations", { author, seq: below, done: after, at });
}

function addMessages({ set, inserted, erased, adopted, droppedBlobs }: BatchLedger, add: Add): void {
  for (const { seq } of erased) add("messages_deletes", { seq });
  for (const [id, tombstone] of set.tombstones.changes)
    if (tombstone === undefined) add("gone_deletes", { id });
    else add("gone", tombstone);
  for (const sha256 of droppedBlobs) add("blobs_deletes", { sha256 });
  const replies = new Map(adopted.map(({ agent, seq }) => [`${agent} ${seq}`, { agent, seq, reply: REPLY }]));
  // Two messages of one batch may have the same attachment.
  const texts = new Map<string, object>();
  for (const id of set.messages.changes.keys()) {
    const state = set.state(id);
    if (state === undefined) continue;
    const { seq } = state;
    const arrived = seq > set.start.seq ? inserted.get(id) : undefined;
    if (arrived === undefined) add("messages_updates", messageRow(state));
    else {
      addArrived(state, arrived, add);
      for (const [sha256, text] of Object.entries(arrived.arrival.blobs))
        texts.set(sha256, { sha256, text, expiresAt: state.receivedAt + LIMITS.attachment_hours * HOUR_MS });
      const voted = votedOn(set, arrived);
      for (const agent of reached(state))
        if (!replies.has(`${agent} ${seq}`))
          add("inbox", { agent, seq, reply: state.repliedTo.includes(agent) ? (voted.has(agent) ? VOTE : REPLY) : 0 });
    }
  }
  for (const text of texts.values()) add("blobs", text);
  const erasedSeqs = new Set(erased.map(({ seq }) => seq));
  for (const reply of replies.values()) if (!erasedSeqs.has(reply.seq)) add("inbox", reply);
  for (const [target, now = []] of set.inboxItems.changes) {
    if (erasedSeqs.has(Number(target))) continue;
    const before = set.inboxItems.stored(target) ?? [];
    for (const item of before) if (!now.includes(item)) add("inbox_changes_deletes", item);
    for (const item of now) if (!before.includes(item)) add("inbox_changes", item);
  }
}

/** The authors of the messages it votes on. */
function votedOn(set: WorkingSet, { refs }: Inserted): ReadonlySet<string> {
  return new Set(refs.filter(isVote).flatMap(({ id }) => set.state(id)?.author ?? []));
}

function addArrived(state: MessageState, { arrival: { raw, payload }, labels, refs }: Inserted, add: Add): void {
  const { seq } = state;
  add("messages", messageRow(state));
  add("contents", { seq, payload: raw.payload, sig: raw.sig, nonce: raw.nonce });
  for (const { field, label, spelling } of labels) add("labels", { field, label, seq, spelling: spelling === label ? null : spelling });
  for (const [position, { rel, id }] of refs.entries()) add("refs", { seq, position, rel, target: id });
  for (const { sha256 } of payload.attachments ?? []) add("attachments", { sha256, seq });
}

function messageRow(state: MessageState) {
  const { signals, repliedTo, author, principal } = state;
  return {
    ...state,
    signals: Object.keys(signals).length === 0 ? null : JSON.stringify(signals),
    repliedTo: repliedTo.length === 0 ? null : repliedTo.join(" "),
    principal: principal === author ? null : principal,
  };
}

const partsOf = (key: string) => {
  const [target = "", agent = "", signal = ""] = key.split(" ");
  return { target: Number(target), agent, signal };
};

/** Votes, signals and answers; answers to ended messages were deleted with them. */
function addEffects({ set, erased }: BatchLedger, add: Add): void {
  if ([set.votes, set.answerers, set.signals, set.barred].every(({ changes }) => changes.size === 0)) return;
  const erasedSeqs = new Set(erased.map(({ seq }) => seq));
  const lists = <Row extends { readonly seq: number }>(
    table: WorkingTable<readonly Row[]>,
    [added, removed]: readonly [WriteStep, WriteStep],
    isErased: (target: number) => boolean,
  ): void => {
    for (const [key, now = []] of table.changes) {
      const parts = partsOf(key);
      if (isErased(parts.target)) continue;
      const before = table.stored(key) ?? [];
      for (const row of now) if (!before.some(({ seq }) => seq === row.seq)) add(added, { ...parts, ...row });
      for (const row of before) if (!now.some(({ seq }) => seq === row.seq)) add(removed, { ...parts, ...row });
    }
  };
  lists(set.votes, ["votes", "votes_deletes"], () => false);
  lists(set.answerers, ["answerers", "answerers_deletes"], (target) => erasedSeqs.has(target));
  for (const [key, seq] of set.signals.changes) {
    add(seq === undefined ? "signals_deletes" : "signals", { ...partsOf(key), seq });
  }
  for (const [key, until] of set.barred.changes) {
    const row = { ...partsOf(key), until };
    if (!erasedSeqs.has(row.target)) add("barred", row);
  }
}

function addThreadsAndAgents({ set, now }: BatchLedger, add: Add): void {
  for (const [root, row] of set.threads.changes)
    if (row === undefined) add("threads_deletes", { root });
    else add("threads", { ...row, root });
  for (const [id, row] of set.agents.changes) if (row !== undefined) add("agents", { ...row, id });
  for (const row of set.acks.changes.values()) if (row !== undefined) add("acks", { ...row, skipped: row.skipped.join(" ") });
  for (const [alias, row] of set.aliases.changes)
    if (row === undefined) add("aliases_deletes", { alias });
    else add("aliases", { ...row, lastOps: opsText(row.lastOps) });
  for (const key of set.arrivedOnce.changes.keys()) add("arrived_once", { key, at: now });
}

/** A count of zero has no row, so that readers need not skip it. Only counts that did not grow can have become zero. */
function addTallies({ tallies, now }: BatchLedger, add: Add): void {
  for (const { agent, field, label, by, arrived } of tallies.sums()) {
    if (agent === undefined) {
      add("tallies", { field, label, count: by, lastUsed: arrived ? now : 0 });
      if (by <= 0) add("tallies_deletes", { field, label });
    } else if (by !== 0) {
      add("agent_tallies", { agent, field, label, count: by });
      if (by < 0) add("agent_tallies_deletes", { agent, field, label });
    }
  }
}

function addKeys({ set }: BatchLedger, add: Add): void {
  for (const [agent, key] of set.keys.changes)
    if (key !== undefined) add("keys", { agent, principal: key.principal, role: key.role, state: JSON.stringify(key) });
  for (const [principal, line] of set.lines.changes)
    if (line !== undefined) add("key_lines", { principal, countsAt: line.pending?.due ?? null, state: JSON.stringify(line) });
  for (const op of set.keyOps.changes.values()) if (op !== undefined) add("key_ops", op);
}

function addModeration({ set, moderation: { unblocked } }: BatchLedger, add: Add): void {
  for (const notice of set.notices.changes.values()) if (notice !== undefined) add("notices", notice);
  for (const action of set.actions.changes.values()) if (action !== undefined) add("actions", action);
  for (const action of unblocked) add("blocks_deletes", { action });
  for (const [key, actions = []] of set.blocks.changes) {
    const [what, name] = key.split(" ");
    for (const action of actions) if (!unblocked.has(action)) add("blocks", { what, name, action });
  }
  for (const switches of set.switches.changes.values()) if (switches !== undefined) add("switches", { ...switches, one: 1 });
}
