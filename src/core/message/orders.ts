// What the operator orders, inside the transaction: removal, blocks, their reversal, and the switches.
import { Refusal } from "../errors.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { ReportCategory } from "../protocol/vocabulary.ts";
import { kindOfRemoved, leave } from "./leave.ts";
import type { Action, Ground, Notice, Switches, Visibility } from "./moderation.ts";
import type { Gone, Ledger } from "./standing.ts";
import type { Trace } from "./trace.ts";

/** Why: becomes the statement of reasons. `id` is new and random. */
export interface Reasons {
  readonly id: string;
  readonly ground: Ground;
  readonly category: ReportCategory;
  readonly facts: string;
}

export type Order =
  | { readonly do: "remove"; readonly target: string; readonly reasons: Reasons; readonly keepAttachments: boolean }
  | { readonly do: "restore"; readonly target: string }
  | { readonly do: "block_key"; readonly agent: string; readonly reasons: Reasons }
  | { readonly do: "unblock_key"; readonly agent: string }
  | { readonly do: "block_blob"; readonly sha256: string; readonly reasons: Reasons }
  | { readonly do: "dismiss"; readonly notice: string }
  | { readonly do: "switch"; readonly switches: Partial<Switches> };

export type Ordered = { readonly action: Action; readonly notices: number } | { readonly notice: Notice } | { readonly switches: Switches };

/** A notice comes in; it hides nothing by itself. No network may fill the queue and keep others from being heard. */
export function receive(ledger: Ledger, notice: Notice): Notice {
  const { open_reports: all, open_reports_per_network: share } = LIMITS;
  if (ledger.moderation.open(networkMark(notice.id)) >= share)
    throw new Refusal("overloaded", `${share} reports from your network wait for the operator already.`);
  if (ledger.moderation.open("") >= all) throw new Refusal("overloaded", `${all} reports wait for the operator already.`);
  const received = { ...notice, at: ledger.now };
  ledger.moderation.putNotice(received);
  return received;
}

/** Report ids begin with a mark of the network that they came from. */
export const NETWORK_MARK_CHARS = 4;
const networkMark = (id: string): string => id.slice(0, "rp_".length + NETWORK_MARK_CHARS);

export function carryOut(ledger: Ledger, order: Order): Ordered {
  switch (order.do) {
    case "remove":
      return remove(ledger, order);
    case "restore":
      return restore(ledger, order.target);
    case "block_key":
      return blockKey(ledger, order.agent, order.reasons);
    case "unblock_key":
      return unblockKey(ledger, order.agent);
    case "block_blob":
      return blockBlob(ledger, order.sha256, order.reasons);
    case "dismiss":
      return dismiss(ledger, order.notice);
    case "switch": {
      const switches = { ...ledger.moderation.switches(), ...order.switches };
      ledger.moderation.putSwitches(switches);
      return { switches };
    }
  }
}

/** The exact text of the log's entry; what a caller is shown of a removed message is the same. */
function statementOf({ id, ground, category, facts }: Reasons, visibility: Visibility): string {
  return JSON.stringify({ id, visibility, ground, category, facts, automated: false });
}

/** Erases a message, or forbids the return of one that is gone already. */
function remove(ledger: Ledger, { target, reasons, keepAttachments }: Extract<Order, { do: "remove" }>): Ordered {
  const standing = ledger.find(target);
  const gone = ledger.gone(target);
  if (standing === undefined && gone === undefined) throw new Refusal("not_found", `There is no message ${target}.`);
  if (standing === undefined && gone?.reason === "removed" && !gone.restored)
    throw new Refusal("removed", `The message ${target} is removed already.`);
  const statement = statementOf(reasons, "content_removed");
  const attachments = standing === undefined ? attachmentsOnceIn(gone) : ledger.attachmentsOf(standing.seq);
  for (const sha256 of keepAttachments ? [] : attachments) {
    ledger.moderation.block("blob", sha256, reasons.id);
    ledger.dropBlob(sha256);
  }
  if (standing !== undefined) return decided(ledger, target, "content_removed", reasons, leave(ledger, standing, "removed", statement));
  const seq = ledger.log("remove", target, statement);
  if (gone !== undefined) {
    const kind = kindOfRemoved(gone.kind);
    ledger.putGone({ ...gone, kind, reason: "removed", at: ledger.now, statement, trace: null, restored: false });
  }
  return decided(ledger, target, "content_removed", reasons, seq);
}

const attachmentsOnceIn = (gone: Gone | undefined): readonly string[] =>
  gone?.trace == null ? [] : ((JSON.parse(gone.trace) as Trace).attachments ?? []);

/** The content is nowhere any more: its author may post the same payload again, whatever its `ts`. */
function restore(ledger: Ledger, target: string): Ordered {
  const action = requireAction(ledger, target, "content_removed", "is not removed");
  ledger.log("restore", target, JSON.stringify({ statement: action.id }));
  const gone = ledger.gone(target);
  if (gone !== undefined && gone.statement !== null) {
    const statement = JSON.stringify({ ...(JSON.parse(gone.statement) as object), state: "reversed" });
    ledger.putGone({ ...gone, statement, restored: true });
  }
  return reversed(ledger, action);
}

function blockKey(ledger: Ledger, agent: string, reasons: Reasons): Ordered {
  if (ledger.moderation.isBlocked("key", agent)) throw new Refusal("blocked_key", `The key of ${agent} is blocked already.`);
  ledger.moderation.block("key", agent, reasons.id);
  const seq = ledger.log("key_block", agent, statementOf(reasons, "key_blocked"));
  return decided(ledger, agent, "key_blocked", reasons, seq);
}

function unblockKey(ledger: Ledger, agent: string): Ordered {
  const action = requireAction(ledger, agent, "key_blocked", "is not blocked");
  ledger.log("key_unblock", agent, JSON.stringify({ statement: action.id }));
  return reversed(ledger, action);
}

function blockBlob(ledger: Ledger, sha256: string, reasons: Reasons): Ordered {
  if (ledger.moderation.isBlocked("blob", sha256)) throw new Refusal("blocked_content", `The attachment ${sha256} is blocked already.`);
  ledger.moderation.block("blob", sha256, reasons.id);
  ledger.dropBlob(sha256);
  const seq = ledger.log("remove", sha256, statementOf(reasons, "content_removed"));
  return decided(ledger, sha256, "content_removed", reasons, seq);
}

function dismiss(ledger: Ledger, id: string): Ordered {
  const notice = ledger.moderation.notice(id);
  if (notice === undefined) throw new Refusal("not_found", `There is no report ${id}.`);
  if (notice.state !== "received") throw new Refusal("invalid_target", `The report ${id} is ${notice.state} already.`);
  const dismissed: Notice = { ...notice, state: "dismissed", closedAt: ledger.now };
  ledger.moderation.putNotice(dismissed);
  return { notice: dismissed };
}

/** Keeps the decision and closes the reports that asked for it. */
function decided(ledger: Ledger, target: string, visibility: Visibility, { id, ground, category, facts }: Reasons, seq: number): Ordered {
  const action: Action = { id, seq, at: ledger.now, target, visibility, ground, category, facts, state: "in_force" };
  ledger.moderation.putAction(action);
  const notices = ledger.moderation.noticesOn(target);
  for (const notice of notices) ledger.moderation.putNotice({ ...notice, state: "actioned", closedAt: ledger.now });
  return { action, notices: notices.length };
}

function reversed(ledger: Ledger, action: Action): Ordered {
  ledger.moderation.unblock(action.id);
  const taken: Action = { ...action, state: "reversed" };
  ledger.moderation.putAction(taken);
  return { action: taken, notices: 0 };
}

function requireAction(ledger: Ledger, target: string, visibility: Visibility, words: string): Action {
  const action = ledger.moderation.actionOn(target);
  if (action?.visibility !== visibility) throw new Refusal("invalid_target", `${target} ${words}.`);
  return action;
}
