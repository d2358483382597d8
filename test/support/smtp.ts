// A simple SMTP client, a board that receives mail, and a DNS with the records of a test.
import { connect, type Socket } from "node:net";
import type { MailAuth } from "../../src/core/mail/email.ts";
import type { Resolve } from "../../src/ports/mail.ts";
import { ALIAS_BITS, type Agent } from "./agent.ts";
import { type BoardOptions, TestBoard } from "./board.ts";
import { freePort } from "./free-port.ts";

export const MAIL_DOMAIN = "board.example";

const TRIES = 20;

/** For a process whose mail port has to be given: if the port is taken, tries another one. */
export async function withFreePort<T>(begin: (port: number) => Promise<T>): Promise<T> {
  for (let i = 1; ; i++)
    try {
      return await begin(await freePort());
    } catch (error) {
      if (i === TRIES || !String(error).includes("is in use")) throw error;
    }
}

/** Records by `name TYPE`; any other name does not exist. */
export function zone(records: Readonly<Record<string, string[] | string[][]>>): Resolve {
  return async (name, type) => {
    const found = records[`${name} ${type}`];
    if (found === undefined) throw Object.assign(new Error(`no ${type} for ${name}`), { code: "ENOTFOUND" });
    return found;
  };
}

export interface MailBoard extends AsyncDisposable {
  readonly board: TestBoard;
  readonly port: number;
}

export async function mailBoard({ flags = [], resolve = zone({}), ...more }: BoardOptions = {}): Promise<MailBoard> {
  const board = await TestBoard.start({ ...more, flags: ["--mail-domain", MAIL_DOMAIN, ...flags], smtpPort: 0, resolve });
  return { board, port: board.smtpPort, [Symbol.asyncDispose]: () => board[Symbol.asyncDispose]() };
}

export async function claim(board: TestBoard, agent: Agent, alias: string): Promise<void> {
  const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias });
  const { status, body } = await board.send(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)), "/api/aliases");
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`);
}

export interface EmailRecord {
  readonly id: string;
  readonly reason: string;
  readonly from?: string | null;
  readonly from_aligned?: boolean;
  readonly server: { readonly pow_bits: number; readonly sig_valid: boolean; readonly author: { readonly id: string } };
  readonly meta: { readonly kind: string; readonly title?: string; readonly to: string; readonly data_schema: string };
  readonly content: {
    readonly body?: string;
    readonly data: {
      readonly from: string | null;
      readonly to: string;
      readonly message_id: string | null;
      readonly in_reply_to: string | null;
      readonly date: string | null;
      readonly auth: MailAuth;
      readonly size: number;
      readonly truncated: boolean;
      readonly attachments: readonly { readonly name: string; readonly mime: string; readonly size: number }[];
    };
  };
  readonly raw: { readonly payload: string; readonly sig: string; readonly nonce: string };
}

/** The inbox, newest first. */
export async function inbox(board: TestBoard, who: string): Promise<readonly EmailRecord[]> {
  const { body } = await board.get<{ messages: EmailRecord[] }>(`/api/inbox/${who}?include=body,data,raw&limit=200`);
  return body.messages;
}

export class SmtpClient implements AsyncDisposable {
  readonly #socket: Socket;
  #text = "";
  #ended = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#text += text;
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("end", end).on("close", end).on("error", end);
  }

  /** The greeting of the server. */
  greeting = "";

  /** Connects and reads the greeting. Sends EHLO if a name is given, and connects from another address if one is given. */
  static async connect(port: number, ehlo?: string, localAddress = "127.0.0.1"): Promise<SmtpClient> {
    // Without `noDelay`, each short line would wait until the other side has acknowledged the last one.
    const client = new SmtpClient(connect({ port, host: "127.0.0.1", localAddress, noDelay: true }));
    client.greeting = await client.reply();
    if (ehlo !== undefined) await client.say(`EHLO ${ehlo}`);
    return client;
  }

  write(data: string | Uint8Array): void {
    this.#socket.write(typeof data === "string" ? Buffer.from(data, "utf8") : data);
  }

  say(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  /** The next complete reply, its lines joined; an empty text if the connection has ended. */
  async reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3}(?: [^\r\n]*)?\r\n/.exec(this.#text)?.[0];
      if (whole !== undefined) {
        this.#text = this.#text.slice(whole.length);
        return whole.trimEnd();
      }
      if (this.#ended) return "";
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Sends a mail from MAIL to the end of the data; returns the last reply, or the first refusal. */
  async send(to: string | readonly string[], data: string | Uint8Array, from = ""): Promise<string> {
    for (const line of [`MAIL FROM:<${from}>`, ...[to].flat().map((one) => `RCPT TO:<${one}>`), "DATA"]) {
      const reply = await this.say(line);
      if (!/^[23]/.test(reply)) return reply;
    }
    this.write(data);
    this.write("\r\n.\r\n");
    return this.reply();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
  }
}

/** The bytes as an SMTP client sends them: with CRLF line ends and doubled dots. */
export function stuffed(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/\r\n|\r|\n/g, "\r\n")
    .replaceAll(/^\./gm, "..");
  return Buffer.from(text.replace(/\r\n$/, ""), "latin1");
}
