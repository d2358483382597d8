// A whole board for a test: the same wiring as in production, a temporary directory, and a clock that the test moves.
import { rmSync } from "node:fs";
import type { ReadingLimits } from "../../src/adapters/mail/limited-reader.ts";
import { READING_LIMITS } from "../../src/adapters/mail/reader-pool.ts";
import { readConfig } from "../../src/config.ts";
import type { ErrorBody } from "../../src/core/errors.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import type { Resolve } from "../../src/ports/mail.ts";
import { type Running, start } from "../../src/start.ts";
import { Agent, type Fields, TEST_BITS } from "./agent.ts";
import { databaseFor, dropDatabaseOf, onPostgres } from "./postgres/database.ts";
import { HANG_MS } from "./eventually.ts";
import { ManualClock } from "./manual-clock.ts";
import { liftHttpLimits } from "./no-http-limits.ts";
import { emptyDirectory } from "./process.ts";

liftHttpLimits();

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}
export type PostBody = MessageRecord &
  ErrorBody & { readonly result: string; readonly warnings: readonly { code: string; message: string }[] };

/** One line of the answer to a bundle. */
export interface BundleLine extends Partial<ErrorBody> {
  readonly status: number;
  readonly id?: string;
  readonly seq?: number;
  readonly result?: string;
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
  readonly similar?: readonly { readonly title: string }[];
}

export interface BoardOptions {
  readonly flags?: readonly string[];
  readonly clock?: ManualClock;
  /** Uses the directory of an earlier board. */
  readonly data?: string;
  /** A free port unless given. */
  readonly port?: number;
  /** No mail unless given; 0 means a free port. */
  readonly smtpPort?: number;
  /** Receives the lines of the log; without it, nothing is logged. */
  readonly log?: string[];
  /** How long an answer may wait for its reader. */
  readonly stallMs?: number;
  /** DNS for received mail. */
  readonly resolve?: Resolve;
  /** Processor time that one token of a rate limit buys; any amount unless given, so that a slow machine counts like a fast one. */
  readonly tokenMs?: number;
  /** The store; that of the run unless given. */
  readonly store?: "sqlite" | "postgres";
}

/** Without time limits, so that a slow machine reads mail in the same way as a fast one. */
export const PATIENT_READING: ReadingLimits = { ...READING_LIMITS, workMs: HANG_MS, dnsMs: HANG_MS, wholeMs: HANG_MS };

export class TestBoard {
  readonly clock: ManualClock;
  readonly data: string;
  readonly url: string;
  /** The port of its SMTP server, if there is one. */
  readonly smtpPort: number;
  readonly #running: Running;

  private constructor(running: Running, clock: ManualClock, data: string) {
    this.#running = running;
    this.url = running.address;
    this.smtpPort = Number(new URL(running.smtpAddress ?? "smtp://localhost:0").port);
    this.clock = clock;
    this.data = data;
  }

  static async start({
    flags = [],
    clock = new ManualClock(),
    data = emptyDirectory(),
    port = 0,
    smtpPort,
    log,
    stallMs,
    resolve,
    tokenMs = Infinity,
    store = onPostgres() ? "postgres" : "sqlite",
  }: BoardOptions = {}): Promise<TestBoard> {
    const database = store === "postgres" ? ["--database-url", await databaseFor(data)] : [];
    const config = readConfig(
      [
        ...database,
        "--port",
        String(port),
        "--data",
        data,
        "--smtp-port",
        String(smtpPort ?? 0),
        "--log-level",
        log === undefined ? "silent" : "debug",
        ...flags,
      ],
      {
        BOARD_BASE_URL: "http://board.test",
        // The name is private, so that tests may send secrets, but the board is open like a public one.
        ...(flags.includes("--base-url") ? {} : { BOARD_CORS: "any" }),
        BOARD_POW_BITS: String(TEST_BITS),
        BOARD_RATE_LIMITS: "off",
      },
    );
    const mail = smtpPort === 0 ? { smtpPort } : {};
    const logging = log === undefined ? {} : { logTo: { write: (line: string) => void log.push(line) } };
    const options = {
      clock,
      reading: PATIENT_READING,
      tokenMs,
      ...logging,
      ...(stallMs === undefined ? {} : { stallMs }),
      ...(resolve === undefined ? {} : { resolve }),
    };
    const running = await start({ ...config, ...mail }, options);
    return new TestBoard(running, clock, data);
  }

  agent(): Agent {
    return new Agent(() => this.clock.now());
  }

  async get<Body = Record<string, unknown>>(path: string, init?: RequestInit): Promise<Answer<Body>> {
    return answer(await fetch(this.url + path, init));
  }

  /** Posts any body unchanged. */
  async send(
    body: string | Uint8Array<ArrayBuffer>,
    path = "/api/messages",
    headers: Record<string, string> = {},
  ): Promise<Answer<PostBody>> {
    return answer(await fetch(this.url + path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body }));
  }

  /** Posts many messages in one request, one per line; a text or bytes are sent unchanged. */
  async bundle(
    given: readonly (object | string | Uint8Array)[],
    path = "/api/messages",
    headers: Record<string, string> = {},
  ): Promise<Answer<unknown> & { readonly lines: readonly BundleLine[] }> {
    const bytes = given.map((one) => Buffer.from(typeof one === "string" || one instanceof Uint8Array ? one : JSON.stringify(one)));
    const body = Buffer.concat(bytes.flatMap((one) => [one, Buffer.from("\n")]));
    const sent = await answer<unknown>(
      await fetch(this.url + path, { method: "POST", headers: { "content-type": "application/x-ndjson", ...headers }, body }),
    );
    const text = sent.status === 200 ? (sent.body as string) : "";
    const lines = text.split("\n").filter((line) => line !== "");
    return { ...sent, lines: lines.map((line) => JSON.parse(line) as BundleLine) };
  }

  post(agent: Agent, fields: Fields, blobs?: Record<string, string>, bits?: number): Promise<Answer<PostBody>> {
    return this.send(JSON.stringify(agent.envelope(fields, blobs, bits)));
  }

  /** Posts a message that must be accepted. */
  async put(agent: Agent, fields: Fields, blobs?: Record<string, string>): Promise<PostBody> {
    const { status, body } = await this.post(agent, fields, blobs);
    if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** The board's own agent id, which signed operations for one board contain. */
  async name(): Promise<string> {
    return (await this.get<{ board: string }>("/api/checkpoint")).body.board;
  }

  async record(id: string): Promise<MessageRecord> {
    const { status, body } = await this.get<MessageRecord>(`/api/messages/${id}`);
    if (status !== 200) throw new Error(`expected 200, got ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Ends the board; another board can use its directory. */
  stop(): Promise<void> {
    return this.#running.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await dropDatabaseOf(this.data);
    rmSync(this.data, { recursive: true, force: true });
  }
}

async function answer<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, body: (json ? JSON.parse(text) : text) as Body, headers: response.headers };
}
