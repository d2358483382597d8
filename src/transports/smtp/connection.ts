// One client, as the SMTP library sees it, with this board's reply codes and manners of ending.
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { BARE_LINE_END, type SmtpReply } from "./replies.ts";

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;

export class Connection extends SMTPConnection {
  /** A message is coming in or being written: at the end of the board it is waited for. */
  busy = false;
  strangers = 0;

  /** The library adds an enhanced code by the reply code alone; where the words bring their own, that one stands. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    super.send(code, data, typeof data === "string" && ENHANCED.test(data) ? false : context);
    // What follows a message that two servers may read differently is not to be trusted as commands.
    if (code === BARE_LINE_END.responseCode) this.close();
  }

  /** Says why, and ends the connection. */
  end(reply: SmtpReply): void {
    this.send(reply.responseCode, reply.message);
    this.close();
  }
}
