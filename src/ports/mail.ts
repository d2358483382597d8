// What the board needs to read an e-mail: a parser that hostile mail cannot block, and a DNS resolver.
import type { Mail } from "../core/mail/email.ts";

/** A mail as it was received, and what the connection says about its sender. */
export interface MailIn {
  readonly bytes: Uint8Array;
  readonly ip: string;
  readonly helo: string;
  /** Envelope sender; empty for the null sender. */
  readonly sender: string;
}

export interface MailReader {
  /** Throws `MailUnreadable`. It takes bounded time, however hostile the mail. */
  read(mail: MailIn): Promise<Mail>;
  close(): Promise<void>;
}

export class MailUnreadable extends Error {
  override readonly name = "MailUnreadable";
  /** Another attempt may succeed: parsing took too long, which may be the machine's fault. */
  readonly again: boolean;
  constructor(message: string, again: boolean) {
    super(message);
    this.again = again;
  }
}

/** Like `dns.promises.resolve`: records, or an error with a code such as ENOTFOUND. */
export type Resolve = (name: string, type: string) => Promise<string[] | string[][]>;
