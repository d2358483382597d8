// What the board reports to its operator; never the content of messages, never secrets.
import type { ErrorCode } from "../core/errors.ts";

/** Places of faults that no caller can do anything about. */
export const FAULT_PLACES = [
  "append",
  "command",
  "mail",
  "mcp",
  "nodes",
  "receipt",
  "request",
  "search",
  "smtp",
  "storage",
  "stream",
  "switches",
] as const;
export type FaultPlace = (typeof FAULT_PLACES)[number];

export interface Telemetry {
  /** A transaction with this many acts was committed. */
  appended(acts: number): void;
  /** A fault that no caller can fix. */
  failed(place: FaultPlace, error: unknown): void;
}

/** Reports of the parts that answer callers. */
export interface RequestReport extends Telemetry {
  refused(code: ErrorCode): void;
}

/** Reports of the part that receives mail. */
export interface MailReport extends Telemetry {
  mailed(outcome: MailOutcome): void;
}

export interface MailOutcome {
  /** The SMTP reply: 250 if the mail was accepted. */
  readonly reply: number;
  readonly words: string;
  /** The recipient or message concerned, as far as an operator may know it. */
  readonly caller: string;
}
