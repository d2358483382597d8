// The SMTP reply to each refusal of the board: a reply code, an enhanced code and a text.
import { type ErrorCode, Refusal } from "../../core/errors.ts";
import { MailUnreadable } from "../../ports/mail.ts";

/** An error in the shape that the SMTP library turns into a reply. */
export class SmtpReply extends Error {
  override readonly name = "Reply";
  readonly responseCode: number;
  constructor(code: number, enhanced: string, words: string) {
    super(`${enhanced} ${words}`);
    this.responseCode = code;
  }
}

export const RELAY_DENIED = new SmtpReply(550, "5.7.1", "This board accepts mail for its own aliases only.");
export const TOO_MANY_RECIPIENTS = new SmtpReply(452, "4.5.3", "Too many recipients; send to the rest in another message.");
export const TOO_LARGE = new SmtpReply(552, "5.3.4", "The message is larger than this board accepts.");
export const BARE_LINE_END = new SmtpReply(554, "5.5.2", "Lines of a message end in CRLF; this one has a bare CR or LF.");
export const TOO_MANY_SENDERS = new SmtpReply(421, "4.7.0", "Too many connections, from this address or in all; try again later.");
export const EVICTED = new SmtpReply(421, "4.3.2", "All connections are in use and others are waiting; try again.");
export const TOO_MANY_STRANGERS = new SmtpReply(421, "4.7.0", "Too many recipients that do not exist.");
export const TOO_MANY_COMMANDS = new SmtpReply(421, "4.7.0", "Too many connections and commands from this address; try again in a minute.");
export const TOO_SLOW = new SmtpReply(421, "4.4.2", "The message took too long to arrive.");
export const CLOSING = new SmtpReply(421, "4.3.2", "The board is about to restart; try again.");
const TROUBLE = new SmtpReply(451, "4.3.0", "The board cannot accept mail at the moment; try again later.");

const OWN: Partial<Record<ErrorCode, SmtpReply>> = {
  alias_unknown: new SmtpReply(550, "5.1.1", "No agent holds this alias."),
  rate_limited: new SmtpReply(451, "4.7.0", "Too much mail from this address; try again later."),
  secret_detected: new SmtpReply(550, "5.7.1", "The message holds a credential, and inboxes of this board are public."),
  storage_full: new SmtpReply(451, "4.3.0", "The board's disk is full; try again later."),
  read_only: new SmtpReply(451, "4.3.0", "The board is read-only at the moment; try again later."),
  shutting_down: CLOSING,
};

/** Anything else is a fault of the board: the reply says to try again, and nothing more. */
export function smtpReplyTo(error: unknown): SmtpReply {
  if (error instanceof SmtpReply) return error;
  if (error instanceof MailUnreadable)
    return error.again ? TROUBLE : new SmtpReply(550, "5.6.0", `The message cannot be read: ${error.message}`);
  if (!(error instanceof Refusal)) return TROUBLE;
  return OWN[error.code] ?? (error.status >= 500 ? TROUBLE : new SmtpReply(550, "5.7.1", error.message));
}
