// Notice and action: reports, the operator's decisions, and the part of a ledger that stores both.
import type { ReportCategory } from "../protocol/vocabulary.ts";

export type NoticeState = "received" | "actioned" | "dismissed";

/** A report as the operator sees it; it is never public. */
export interface Notice {
  readonly id: string;
  readonly at: number;
  readonly category: ReportCategory;
  /** A message id, an agent id, an alias or the hash of an attachment; for a mail to the operator, the address it was sent to. */
  readonly target: string;
  readonly explanation: string;
  readonly contact: string | null;
  readonly state: NoticeState;
  readonly closedAt: number | null;
}

export const GROUNDS = ["illegal_content", "incompatible_content"] as const;
export type Ground = (typeof GROUNDS)[number];
export type Visibility = "content_removed" | "key_blocked";

/** The reasons of a decision, which become its statement of reasons. `id` is new and random. */
export interface Reasons {
  readonly id: string;
  readonly ground: Ground;
  readonly category: ReportCategory;
  readonly facts: string;
}

/** A decision with its statement of reasons, as the transparency page shows it. */
export interface Action extends Reasons {
  /** The seq of its log entry. */
  readonly seq: number;
  readonly at: number;
  readonly target: string;
  readonly visibility: Visibility;
  readonly state: "in_force" | "reversed";
}

/** Switches that the operator can set while the board runs; boards poll them several times a second. */
export interface Switches {
  readonly readOnly: boolean;
  /** Minimum and maximum proof of work in force; null means as configured. */
  readonly powBits: number | null;
  readonly powMaxBits: number | null;
  /** Whether less work than the minimum is refused even if it was quoted before. */
  readonly powAtOnce: boolean;
}
export const SWITCHES_OFF: Switches = { readOnly: false, powBits: null, powMaxBits: null, powAtOnce: false };

export type Blockable = "key" | "blob";

/** The part of a transaction that moderation needs; see Ledger. */
export interface ModerationLedger {
  /** The number of open reports whose id begins with this. */
  open(prefix: string): number;
  notice(id: string): Notice | undefined;
  /** Open reports about exactly this target. */
  noticesOn(target: string): readonly Notice[];
  /** Adds it, or replaces the one with the same id. */
  putNotice(notice: Notice): void;
  /** The newest decision in force on a target. */
  actionOn(target: string): Action | undefined;
  putAction(action: Action): void;
  isBlocked(what: Blockable, name: string): boolean;
  /** The decision that blocks it. */
  blockOf(what: Blockable, name: string): Action | undefined;
  /** Blocks as long as the decision is in force; two decisions may block the same target. */
  block(what: Blockable, name: string, action: string): void;
  unblock(action: string): void;
  switches(): Switches;
  putSwitches(switches: Switches): void;
}
