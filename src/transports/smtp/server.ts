// E-mail comes in: an SMTP server that receives for the board's aliases and never sends anything on.
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { domainToASCII } from "node:url";
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js";
import type { Mailroom, Recipient } from "../../board/mail.ts";
import { callerOf } from "../../board/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { MailUnreadable } from "../../ports/mail.ts";
import type { MailReport } from "../../ports/report.ts";
import { maskedAddress } from "../http/access-log.ts";
import { Connection } from "./connection.ts";
import { receive } from "./data.ts";
import {
  CLOSING,
  RELAY_DENIED,
  Reply,
  replyTo,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_RECIPIENTS,
  TOO_MANY_STRANGERS,
  TOO_SLOW,
} from "./replies.ts";

export interface SmtpParts {
  readonly mailroom: Mailroom;
  readonly mailDomain: string;
  readonly clock: Clock;
  /** Certificate chain and key, in PEM form. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly report: MailReport;
  readonly patience?: Patience;
}

export interface Patience {
  /** Silence between two commands, or within a message. */
  readonly idleMs: number;
  /** A whole message, and a whole connection. */
  readonly dataMs: number;
  readonly sessionMs: number;
  /** For messages under way when the board ends. */
  readonly closeMs: number;
}

const PATIENCE: Patience = { idleMs: 60_000, dataMs: 180_000, sessionMs: 600_000, closeMs: 3000 };
const ACCEPTED = 250;
/** Nothing waits in a queue: it is on disk. */
const STORED = "Accepted and stored";
const NEVER_MS = 2 ** 31 - 1;
const MAX_CLIENTS = 200;
const MAX_PER_ADDRESS = 20;
/** Recipients that do not exist, in one connection. */
const MAX_STRANGERS = 20;

export class SmtpServer extends SMTPServer {
  readonly #mailroom: Mailroom;
  readonly #mailDomain: string;
  readonly #clock: Clock;
  readonly #report: MailReport;
  readonly #patience: Patience;
  readonly #connections = new Map<string, Connection>();
  #closing = false;
  readonly #recipients = new WeakMap<SMTPServerAddress, Recipient>();
  /** By envelope, how often a recipient was taken: the library lists one that is named twice once. */
  readonly #taken = new WeakMap<object, number>();

  constructor({ mailroom, mailDomain, clock, tls, report, patience = PATIENCE }: SmtpParts) {
    super(options(mailDomain, tls, patience));
    this.#mailroom = mailroom;
    this.#mailDomain = mailDomain;
    this.#clock = clock;
    this.#report = report;
    this.#patience = patience;
    // Broken connections and failed handshakes are the clients' own affair.
    this.on("error", () => {});
  }

  /** Resolves with the address it got. */
  async start(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.listen(port, host, resolve);
    });
    const { address, family, port: got } = this.server.address() as AddressInfo;
    return `smtp://${family === "IPv6" ? `[${address}]` : address}:${got}`;
  }

  /** Messages under way are answered first, for a short while. */
  stop(): Promise<void> {
    this.#closing = true;
    return new Promise((resolve) => {
      const giveUp = this.#after(this.#patience.closeMs, () => {
        for (const connection of this.#connections.values()) connection.end(CLOSING);
        resolve();
      });
      super.close(() => {
        giveUp();
        resolve();
      });
      for (const connection of this.#connections.values()) if (!connection.busy) connection.end(CLOSING);
    });
  }

  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, socketOptions ?? undefined);
    this.connections.add(connection);
    this.#connections.set(connection.id, connection);
    const inTime = this.#after(this.#patience.sessionMs, () => connection.end(TOO_SLOW));
    socket.once("close", () => {
      inTime();
      this.#connections.delete(connection.id);
    });
    connection.on("error", (error: Error) => this.emit("error", error));
    connection.init();
  }

  override onConnect({ remoteAddress }: SMTPServerSession, callback: (error?: Error | null) => void): void {
    const caller = callerOf(remoteAddress);
    const open = [...this.#connections.values()].filter((one) => callerOf(one.remoteAddress) === caller).length;
    callback(open > MAX_PER_ADDRESS ? TOO_MANY_CONNECTIONS : null);
  }

  override onMailFrom(_address: SMTPServerAddress, session: SMTPServerSession, callback: (error?: Error | null) => void): void {
    void this.#answer(session, callback, async () => this.#mailroom.requireOpen());
  }

  override onRcptTo(to: SMTPServerAddress, session: SMTPServerSession, callback: (error?: Error | null) => void): void {
    void this.#answer(session, callback, async () => {
      const { envelope } = session;
      const taken = this.#taken.get(envelope) ?? 0;
      if (taken >= LIMITS.mail_recipients) throw TOO_MANY_RECIPIENTS;
      const [, domain] = to.address.split("@");
      if (domain !== undefined && domainToASCII(domain) !== domainToASCII(this.#mailDomain)) throw RELAY_DENIED;
      this.#recipients.set(to, await this.#known(to.address, session));
      this.#taken.set(envelope, taken + 1);
    });
  }

  override onData(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    callback: (error?: Error | null, words?: string) => void,
  ): void {
    const connection = this.#connections.get(session.id);
    const recipients = session.envelope.rcptTo.flatMap((to) => this.#recipients.get(to) ?? []);
    const { mailFrom } = session.envelope;
    const inTime = this.#after(this.#patience.dataMs, () => connection?.end(TOO_SLOW));
    if (connection !== undefined) connection.busy = true;
    void this.#answer(
      session,
      (error) => {
        callback(error, STORED);
        if (error === null || error === undefined)
          this.#report.mailed({ reply: ACCEPTED, words: "accepted", caller: maskedAddress(session.remoteAddress) });
        if (connection === undefined) return;
        connection.busy = false;
        if (this.#closing) connection.end(CLOSING);
      },
      async () => {
        const bytes = await receive(stream).finally(inTime);
        const sender = mailFrom === false ? "" : mailFrom.address;
        await this.#mailroom.deliver({ bytes, ip: session.remoteAddress, helo: session.hostNameAppearsAs, sender }, recipients);
      },
    );
  }

  /** Calls back when so much time has passed; the answer calls it off. */
  #after(ms: number, callback: () => void): () => void {
    return this.#clock.at(this.#clock.now() + ms, callback);
  }

  async #known(address: string, session: SMTPServerSession): Promise<Recipient> {
    try {
      return await this.#mailroom.recipient(address, session.remoteAddress);
    } catch (error) {
      // One that is only told to come back later has guessed nothing.
      const guessed = error instanceof Refusal && error.code === "alias_unknown";
      const connection = this.#connections.get(session.id);
      if (guessed && connection !== undefined && ++connection.strangers > MAX_STRANGERS) throw TOO_MANY_STRANGERS;
      throw error;
    }
  }

  async #answer(session: SMTPServerSession, callback: (error?: Error | null) => void, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      callback(null);
    } catch (error) {
      if (isOurs(error)) this.#report.failed("smtp", error);
      const reply = replyTo(error);
      this.#report.mailed({ reply: reply.responseCode, words: reply.message, caller: maskedAddress(session.remoteAddress) });
      callback(reply);
    }
  }
}

/** A fault of the board, and not a refusal or a client that went away. */
function isOurs(error: unknown): boolean {
  const gone = (error as NodeJS.ErrnoException).code === "ECONNECTION";
  return !(error instanceof Refusal || error instanceof Reply || error instanceof MailUnreadable || gone);
}

function options(name: string, tls: SmtpParts["tls"], { idleMs }: Patience): SMTPServerOptions {
  return {
    name,
    banner: "agent blackboard, receive only",
    size: LIMITS.mail_bytes,
    rejectOversized: true,
    hideENHANCEDSTATUSCODES: false,
    // oxfmt-ignore
    disabledCommands: ["AUTH", "XCLIENT", "XFORWARD", "WIZ", "SHELL", "KILL", ...(tls === undefined ? ["STARTTLS"] : [])],
    authOptional: true,
    disableReverseLookup: true,
    maxClients: MAX_CLIENTS,
    maxCommandLength: 2048,
    socketTimeout: idleMs,
    // The board's clock says when; the library's own must not come first.
    closeTimeout: NEVER_MS,
    logger: false,
    ...(tls === undefined ? {} : { cert: tls.cert, key: tls.key, minVersion: "TLSv1.2" as const }),
  };
}
