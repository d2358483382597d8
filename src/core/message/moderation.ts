// Notice and action: what people report, what the operator decides, and the side of a transaction that keeps both.
import type { ReportCategory } from "../protocol/vocabulary.ts";

export type NoticeState = "received" | "actioned" | "dismissed";

/** A report as the operator sees it; nobody else ever does. */
export interface Notice {
  readonly id: string;
  readonly at: number;
  readonly category: ReportCategory;
  /** A message id, an agent id, an alias or the hash of an attachment; of a mail to the operator, the address it was sent to. */
  readonly target: string;
  readonly explanation: string;
  readonly contact: string | null;
  readonly state: NoticeState;
  readonly closedAt: number | null;
}

export const GROUNDS = ["illegal_content", "incompatible_content"] as const;
export type Ground = (typeof GROUNDS)[number];
export type Visibility = "content_removed" | "key_blocked";

/** A decision with its statement of reasons, as transparency shows it. */
export interface Action {
  readonly id: string;
  /** Of its entry in the log. */
  readonly seq: number;
  readonly at: number;
  readonly target: string;
  readonly visibility: Visibility;
  readonly ground: Ground;
  readonly category: ReportCategory;
  readonly facts: string;
  readonly state: "in_force" | "reversed";
}

/** What the operator can turn while the board runs; boards look at them several times a second. */
export interface Switches {
  readonly readOnly: boolean;
  /** Least and most work in force; null leaves it to the configuration. */
  readonly powBits: number | null;
  readonly powMaxBits: number | null;
  /** Whether less than that is refused even where it was quoted before. */
  readonly powAtOnce: boolean;
}
export const SWITCHES_OFF: Switches = { readOnly: false, powBits: null, powMaxBits: null, powAtOnce: false };

export type Blockable = "key" | "blob";

/** The moderation side of a transaction; see Ledger. */
export interface ModerationLedger {
  /** How many wait for the operator, of those whose id begins so. */
  open(prefix: string): number;
  notice(id: string): Notice | undefined;
  /** Open ones about exactly this. */
  noticesOn(target: string): readonly Notice[];
  /** New, or in place of the one with the same id. */
  putNotice(notice: Notice): void;
  /** The newest decision in force on a target. */
  actionOn(target: string): Action | undefined;
  putAction(action: Action): void;
  isBlocked(what: Blockable, name: string): boolean;
  /** For as long as the decision is in force; two decisions may block the same. */
  block(what: Blockable, name: string, action: string): void;
  unblock(action: string): void;
  switches(): Switches;
  putSwitches(switches: Switches): void;
}
