// What the board needs to understand an e-mail: a reader that nothing hostile can hold up, and a resolver for its questions.
import type { Mail } from "../core/mail/email.ts";

/** A message as it came in, and what the connection said about its sender. */
export interface MailIn {
  readonly bytes: Uint8Array;
  readonly ip: string;
  readonly helo: string;
  /** Envelope sender; empty for the null sender. */
  readonly sender: string;
}

export interface MailReader {
  /** Throws `MailUnreadable`; however hostile the mail, it answers in bounded time. */
  read(mail: MailIn): Promise<Mail>;
  close(): Promise<void>;
}

export class MailUnreadable extends Error {
  override readonly name = "MailUnreadable";
  /** The mail may fare better another time: it took too long, which may be the machine's fault. */
  readonly again: boolean;
  constructor(message: string, again: boolean) {
    super(message);
    this.again = again;
  }
}

/** As `dns.promises.resolve`: records, or an error with a code such as ENOTFOUND. */
export type Resolve = (name: string, type: string) => Promise<string[] | string[][]>;
