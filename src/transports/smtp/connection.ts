// One client of the SMTP library, with this board's reply codes and its ways to end a connection.
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { SMTPServer } from "smtp-server";
import { SMTPConnection, type SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js";
import { BARE_LINE_END, type SmtpReply, TOO_MANY_COMMANDS } from "./replies.ts";

/** The share of a read that a command takes, and the connection itself, with its handshake if it has one. */
const COMMAND_READS = 1 / 20;
const OPENING_READS = 1 / 4;
/** The reply to a new connection, and the one before a handshake. */
const READY = 220;
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;

export class Connection extends SMTPConnection {
  /** A message is being received or written; a stopping board waits for it. */
  busy = false;
  strangers = 0;
  readonly #pay: (reads: number) => boolean;
  #ended = false;

  /** `pay` takes reads from the client's bucket, and returns whether it has any left. */
  constructor(server: SMTPServer, socket: Socket | TLSSocket, options: SMTPConnectionOptions | undefined, pay: (reads: number) => boolean) {
    super(server, socket, options);
    this.#pay = pay;
  }

  /** The library derives the enhanced code from the reply code. If the text has its own, that one is used. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    super.send(code, data, typeof data === "string" && ENHANCED.test(data) ? false : context);
    // If two servers may read a message differently, the bytes after it must not be read as commands.
    if (code === BARE_LINE_END.responseCode) this.close();
    // Each command has one reply. The library runs a hundred commands at once, so a client must not send them without end.
    if (!this.#pay(code === READY ? OPENING_READS : COMMAND_READS) && !this.busy) this.end(TOO_MANY_COMMANDS);
  }

  /** Sends the reason and ends the connection. */
  end(reply: SmtpReply): void {
    if (this.#ended) return;
    this.#ended = true;
    this.send(reply.responseCode, reply.message);
    this.close();
  }
}
