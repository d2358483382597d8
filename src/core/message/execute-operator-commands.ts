// The operator's commands, inside the transaction: removal, blocks, their reversal, and the switches.
import { Refusal } from "../errors.ts";
import type { KeyStatement } from "../protocol/board-key-change.ts";
import { announceKey } from "./announce-next-board-key.ts";
import { LIMITS } from "../protocol/limits.ts";
import { keyBlockOf } from "./block-lists.ts";
import { kindOfRemoved, leave } from "./leave.ts";
import type { Action, Notice, Reasons, Switches, Visibility } from "./moderation-state.ts";
import type { Tombstone, Ledger } from "./message-state.ts";
import type { Trace } from "./trace.ts";

interface Orders {
  remove: { readonly target: string; readonly reasons: Reasons; readonly keepAttachments: boolean };
  restore: { readonly target: string };
  block_key: { readonly agent: string; readonly reasons: Reasons };
  unblock_key: { readonly agent: string };
  block_blob: { readonly sha256: string; readonly reasons: Reasons };
  dismiss: { readonly notice: string };
  switch: { readonly switches: Partial<Switches> };
  /** `detail` is the exact text of the entry. */
  board_key: { readonly detail: string };
}
type Doing = keyof Orders;
/** An operator's command of this type, or of any of these types. */
export type OperatorCommand<Do extends Doing = Doing> = { [One in Do]: { readonly do: One } & Orders[One] }[Do];

/** A decision, and the number of reports it closed. */
export interface Decided {
  readonly action: Action;
  readonly notices: number;
}
interface Done {
  remove: Decided;
  restore: Decided;
  block_key: Decided;
  unblock_key: Decided;
  block_blob: Decided;
  dismiss: { readonly notice: Notice };
  switch: { readonly switches: Switches };
  board_key: { readonly announced: KeyStatement };
}
export type Ordered = Done[Doing];
/** The outcome of this command. */
export type OrderedBy<Given extends OperatorCommand> = Done[Given["do"]];

/** Stores a report; it hides nothing by itself. A limit per network keeps one network from filling the queue. */
export function receiveNotice(ledger: Ledger, notice: Notice): Notice {
  const { open_reports: all, open_reports_per_network: share } = LIMITS;
  if (ledger.moderation.open(networkMark(notice.id)) >= share)
    throw new Refusal("overloaded", `${share} reports from your network are already waiting for the operator.`);
  if (ledger.moderation.open("") >= all) throw new Refusal("overloaded", `${all} reports are already waiting for the operator.`);
  const received = { ...notice, at: ledger.now };
  ledger.moderation.putNotice(received);
  return received;
}

/** Report ids begin with a hash of the network that they came from. */
export const NETWORK_MARK_CHARS = 4;
const networkMark = (id: string): string => id.slice(0, "rp_".length + NETWORK_MARK_CHARS);

const RULES: { readonly [Do in Doing]: (ledger: Ledger, order: OperatorCommand<Do>) => Done[Do] } = {
  remove,
  restore,
  block_key: blockKey,
  unblock_key: unblockKey,
  block_blob: blockBlob,
  dismiss,
  switch: turn,
  board_key: (ledger, { detail }) => ({ announced: announceKey(ledger, detail) }),
};

export function execute<Do extends Doing>(ledger: Ledger, order: OperatorCommand<Do>): Done[Do] {
  return RULES[order.do](ledger, order);
}

/** The exact text of the log entry; callers who ask for a removed message get the same text. */
function statementOf({ id, ground, category, facts }: Reasons, visibility: Visibility): string {
  return JSON.stringify({ id, visibility, ground, category, facts, automated: false });
}

/** Erases a message, or blocks an ended one from being posted again. */
function remove(ledger: Ledger, { target, reasons, keepAttachments }: OperatorCommand<"remove">): Decided {
  const state = ledger.find(target);
  const tombstone = ledger.tombstone(target);
  if (state === undefined && tombstone === undefined) throw new Refusal("not_found", `There is no message ${target}.`);
  if (state === undefined && tombstone?.reason === "removed" && !tombstone.restored)
    throw new Refusal("removed", `The message ${target} is removed already.`);
  const statement = statementOf(reasons, "content_removed");
  const attachments = state === undefined ? attachmentsOnceIn(tombstone) : ledger.attachmentsOf(state.seq);
  for (const sha256 of keepAttachments ? [] : attachments) {
    ledger.moderation.block("blob", sha256, reasons.id);
    ledger.dropBlob(sha256);
  }
  if (state !== undefined) return decided(ledger, target, "content_removed", reasons, leave(ledger, state, "removed", statement));
  const seq = ledger.log("remove", target, statement);
  if (tombstone !== undefined) {
    const kind = kindOfRemoved(tombstone.kind);
    ledger.putTombstone({ ...tombstone, kind, reason: "removed", at: ledger.now, statement, trace: null, restored: false, changed: seq });
  }
  return decided(ledger, target, "content_removed", reasons, seq);
}

const attachmentsOnceIn = (tombstone: Tombstone | undefined): readonly string[] =>
  tombstone?.trace == null ? [] : ((JSON.parse(tombstone.trace) as Trace).attachments ?? []);

/** The content is erased everywhere: its author may post the same payload again, whatever its `ts`. */
function restore(ledger: Ledger, { target }: OperatorCommand<"restore">): Decided {
  const action = ledger.moderation.actionOn(target);
  if (action?.visibility !== "content_removed") throw new Refusal("invalid_target", `${target} is not removed.`);
  const entry = ledger.log("restore", target, JSON.stringify({ statement: action.id }));
  const tombstone = ledger.tombstone(target);
  if (tombstone !== undefined && tombstone.statement !== null) {
    const statement = JSON.stringify({ ...(JSON.parse(tombstone.statement) as object), state: "reversed" });
    ledger.putTombstone({ ...tombstone, statement, restored: true, changed: entry });
  }
  return reversed(ledger, action);
}

function blockKey(ledger: Ledger, { agent, reasons }: OperatorCommand<"block_key">): Decided {
  // Whichever of the agent's keys is named, all of them are blocked.
  const principal = ledger.principalOf(agent);
  if (ledger.moderation.isBlocked("key", principal)) throw new Refusal("blocked_key", `The key of ${agent} is blocked already.`);
  ledger.moderation.block("key", principal, reasons.id);
  const seq = ledger.log("key_block", agent, statementOf(reasons, "key_blocked"));
  const line = ledger.line(principal);
  const keys = line === undefined ? [principal] : [...line.members, ...line.children, ...(line.former ?? [])];
  return decided(ledger, agent, "key_blocked", reasons, seq, new Set([agent, ...keys]));
}

function unblockKey(ledger: Ledger, { agent }: OperatorCommand<"unblock_key">): Decided {
  const action = keyBlockOf(ledger, agent);
  if (action === undefined) throw new Refusal("invalid_target", `${agent} is not blocked.`);
  ledger.log("key_unblock", action.target, JSON.stringify({ statement: action.id }));
  return reversed(ledger, action);
}

function blockBlob(ledger: Ledger, { sha256, reasons }: OperatorCommand<"block_blob">): Decided {
  if (ledger.moderation.isBlocked("blob", sha256)) throw new Refusal("blocked_content", `The attachment ${sha256} is blocked already.`);
  ledger.moderation.block("blob", sha256, reasons.id);
  ledger.dropBlob(sha256);
  const seq = ledger.log("remove", sha256, statementOf(reasons, "content_removed"));
  return decided(ledger, sha256, "content_removed", reasons, seq);
}

function dismiss(ledger: Ledger, { notice: id }: OperatorCommand<"dismiss">): Done["dismiss"] {
  const notice = ledger.moderation.notice(id);
  if (notice === undefined) throw new Refusal("not_found", `There is no report ${id}.`);
  if (notice.state !== "received") throw new Refusal("invalid_target", `The report ${id} is ${notice.state} already.`);
  const dismissed: Notice = { ...notice, state: "dismissed", closedAt: ledger.now };
  ledger.moderation.putNotice(dismissed);
  return { notice: dismissed };
}

function turn(ledger: Ledger, order: OperatorCommand<"switch">): Done["switch"] {
  const switches = { ...ledger.moderation.switches(), ...order.switches };
  ledger.moderation.putSwitches(switches);
  return { switches };
}

/** Stores the decision and closes the reports about its target, or about `reported`. */
function decided(
  ledger: Ledger,
  target: string,
  visibility: Visibility,
  { id, ground, category, facts }: Reasons,
  seq: number,
  reported: Iterable<string> = [target],
): Decided {
  const action: Action = { id, seq, at: ledger.now, target, visibility, ground, category, facts, state: "in_force" };
  ledger.moderation.putAction(action);
  const notices = [...reported].flatMap((one) => ledger.moderation.noticesOn(one));
  for (const notice of notices) ledger.moderation.putNotice({ ...notice, state: "actioned", closedAt: ledger.now });
  return { action, notices: notices.length };
}

function reversed(ledger: Ledger, action: Action): Decided {
  ledger.moderation.unblock(action.id);
  const taken: Action = { ...action, state: "reversed" };
  ledger.moderation.putAction(taken);
  return { action: taken, notices: 0 };
}
