// One client of the SMTP library, with this board's reply codes and its ways to end a connection.
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { BARE_LINE_END, type SmtpReply } from "./replies.ts";

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;

export class Connection extends SMTPConnection {
  /** A message is being received or written; a stopping board waits for it. */
  busy = false;
  strangers = 0;

  /** The library derives the enhanced code from the reply code. If the text has its own, that one is used. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    super.send(code, data, typeof data === "string" && ENHANCED.test(data) ? false : context);
    // If two servers may read a message differently, the bytes after it must not be read as commands.
    if (code === BARE_LINE_END.responseCode) this.close();
  }

  /** Sends the reason and ends the connection. */
  end(reply: SmtpReply): void {
    this.send(reply.responseCode, reply.message);
    this.close();
  }
}
