// Receives e-mail: an SMTP server that accepts mail for the board's aliases and never sends or forwards any.
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { domainToASCII } from "node:url";
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js";
import { callerOf, maskedAddress } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import type { Mailroom, Recipient } from "../../board/write/mail.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { MailUnreadable } from "../../ports/mail.ts";
import type { MailReport } from "../../ports/telemetry.ts";
import { Connection } from "./connection.ts";
import { receiveData } from "./data.ts";
import {
  CLOSING,
  EVICTED,
  RELAY_DENIED,
  SmtpReply,
  smtpReplyTo,
  TOO_LARGE,
  TOO_MANY_COMMANDS,
  TOO_MANY_SENDERS,
  TOO_MANY_RECIPIENTS,
  TOO_MANY_STRANGERS,
  TOO_SLOW,
} from "./replies.ts";
import { type SeatLimits, Seats } from "./connection-limits.ts";

export interface SmtpParts {
  readonly mailroom: Mailroom;
  readonly mailDomain: string;
  readonly clock: Clock;
  /** Certificate chain and key, in PEM form. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly report: MailReport;
  readonly rates: Pick<RateLimiter, "has" | "owe">;
  readonly patience?: SmtpTimeouts;
  readonly seats?: SeatLimits;
}

export interface SmtpTimeouts {
  /** The longest silence between two commands, or within a message. */
  readonly idleMs: number;
  /** The longest time for a message, and for a connection. */
  readonly dataMs: number;
  readonly sessionMs: number;
  /** How long a stopping board waits for messages under way. */
  readonly closeMs: number;
}

const PATIENCE: SmtpTimeouts = { idleMs: 30_000, dataMs: 120_000, sessionMs: 300_000, closeMs: 3000 };
const SEATS: SeatLimits = { all: 200, perAddress: 5, perNetwork: 20 };
const ACCEPTED = 250;
/** There is no queue: an accepted message is on disk. */
const STORED = "Accepted and stored";
const NEVER_MS = 2 ** 31 - 1;
/** Unknown recipients that one connection may name. */
const MAX_STRANGERS = 20;

export class SmtpServer extends SMTPServer {
  readonly #mailroom: Mailroom;
  readonly #mailDomain: string;
  readonly #clock: Clock;
  readonly #report: MailReport;
  readonly #rates: SmtpParts["rates"];
  readonly #patience: SmtpTimeouts;
  readonly #connections = new Map<string, Connection>();
  readonly #seats: Seats<Connection>;
  #closing = false;
  readonly #recipients = new WeakMap<SMTPServerAddress, Recipient>();
  /** How often an envelope named a recipient; the library lists one that is named twice only once. */
  readonly #taken = new WeakMap<object, number>();

  constructor({ mailroom, mailDomain, clock, tls, report, rates, patience = PATIENCE, seats = SEATS }: SmtpParts) {
    super(options(mailDomain, tls, patience));
    this.#mailroom = mailroom;
    this.#mailDomain = mailDomain;
    this.#clock = clock;
    this.#report = report;
    this.#rates = rates;
    this.#patience = patience;
    this.#seats = new Seats(seats, (connection) => connection.end(EVICTED));
    // Broken connections and failed handshakes are not logged: they are the clients' faults.
    this.on("error", () => {});
  }

  /** Open connections that were accepted. */
  get open(): number {
    return this.#seats.taken;
  }

  /** Resolves with the address of the listener. */
  async start(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.listen(port, host, resolve);
    });
    const { address, family, port: got } = this.server.address() as AddressInfo;
    return `smtp://${family === "IPv6" ? `[${address}]` : address}:${got}`;
  }

  /** Messages under way are answered first, for a short time. */
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
    const caller = callerOf(socket.remoteAddress);
    if (!this.#rates.has("reads", caller)) return turnAway(socket, TOO_MANY_COMMANDS);
    const connection = new Connection(this, socket, socketOptions ?? undefined, (reads) => {
      this.#rates.owe("reads", caller, reads);
      return this.#rates.has("reads", caller);
    });
    if (!this.#seats.take(socket.remoteAddress, connection)) return turnAway(socket, TOO_MANY_SENDERS);
    this.connections.add(connection);
    this.#connections.set(connection.id, connection);
    const inTime = this.#after(this.#patience.sessionMs, () => connection.end(TOO_SLOW));
    socket.once("close", () => {
      inTime();
      this.#seats.leave(connection);
      this.#connections.delete(connection.id);
    });
    connection.on("error", (error: Error) => this.emit("error", error));
    connection.init();
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
        const bytes = await receiveData(stream, () => connection?.end(TOO_LARGE)).finally(inTime);
        const sender = mailFrom === false ? "" : mailFrom.address;
        await this.#mailroom.deliver({ bytes, ip: session.remoteAddress, helo: session.hostNameAppearsAs, sender }, recipients);
      },
    );
  }

  /** Calls back after this time. The returned function cancels it. */
  #after(ms: number, callback: () => void): () => void {
    return this.#clock.at(this.#clock.now() + ms, callback);
  }

  async #known(address: string, session: SMTPServerSession): Promise<Recipient> {
    try {
      return await this.#mailroom.recipient(address, session.remoteAddress);
    } catch (error) {
      // If the refusal says to come back later, the client has not guessed a name.
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
      const reply = smtpReplyTo(error);
      this.#report.mailed({ reply: reply.responseCode, words: reply.message, caller: maskedAddress(session.remoteAddress) });
      callback(reply);
    }
  }
}

/** Refuses the connection before any state is kept for it: sends the reason, and does not wait for the client to hang up. */
function turnAway(socket: Socket, { responseCode, message }: SmtpReply): void {
  socket.on("error", () => {});
  socket.end(`${responseCode} ${message}\r\n`);
  socket.destroySoon();
}

/** A fault of the board, not a refusal and not a client that went away. */
function isOurs(error: unknown): boolean {
  const gone = (error as NodeJS.ErrnoException).code === "ECONNECTION";
  return !(error instanceof Refusal || error instanceof SmtpReply || error instanceof MailUnreadable || gone);
}

function options(name: string, tls: SmtpParts["tls"], { idleMs }: SmtpTimeouts): SMTPServerOptions {
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
    maxCommandLength: 2048,
    socketTimeout: idleMs,
    // The board's own timers decide; the library's must not end the connection first.
    closeTimeout: NEVER_MS,
    logger: false,
    ...(tls === undefined ? {} : { cert: tls.cert, key: tls.key, minVersion: "TLSv1.2" as const }),
  };
}
