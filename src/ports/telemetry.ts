// What the board tells its operator; never the content of messages, never secrets.
import type { ErrorCode } from "../core/errors.ts";

/** Where something can fail that no caller can do anything about. */
export const PLACES = [
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
export type Place = (typeof PLACES)[number];

export interface Telemetry {
  /** A transaction was committed for so many acts. */
  appended(acts: number): void;
  /** Something failed that no caller can mend. */
  failed(place: Place, error: unknown): void;
}

/** Of what speaks to callers. */
export interface RequestReport extends Telemetry {
  refused(code: ErrorCode): void;
}

/** Of what receives mail. */
export interface MailReport extends Telemetry {
  mailed(outcome: MailOutcome): void;
}

export interface MailOutcome {
  /** The SMTP reply: 250 where the mail was accepted. */
  readonly reply: number;
  readonly words: string;
  /** Which recipient or message it was about, as far as an operator may know it. */
  readonly caller: string;
}
