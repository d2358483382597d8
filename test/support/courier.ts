// A courier in the test process, and the acts of its receivers.
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import type { Signer } from "../../src/client/key.ts";
import { type CourierConfig, readCourierConfig } from "../../src/courier/config.ts";
import { runCourier } from "../../src/courier/courier.ts";
import { emptyDirectory } from "./process.ts";

export const ACTING_AGENT = resolve(import.meta.dirname, "acting-agent.ts");
export const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

export interface CourierSettings {
  readonly board: string;
  readonly agent?: string;
  readonly key_file?: string;
  readonly state?: string;
  readonly from?: string;
  readonly deliver: readonly object[];
}

/** Writes the courier's only file. */
export function courierFile(settings: CourierSettings, directory = emptyDirectory()): string {
  const path = join(directory, "courier.json");
  writeFileSync(path, JSON.stringify({ state: "state", ...settings }), { mode: 0o600 });
  return path;
}

export class TestCourier {
  readonly config: CourierConfig;
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor(path: string, agent: string, key?: Signer, now: () => number = Date.now) {
    this.config = readCourierConfig(path);
    this.ended = runCourier({ config: this.config, agent, key, now, write: (line) => void this.lines.push(line) }, this.#stop.signal);
    // Its end is reported only to a caller that awaits it.
    this.ended.catch(() => {});
  }

  get said(): string {
    return this.lines.join("");
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The acts of an acting agent, in order. */
export function actsIn(file: string): readonly { readonly id: string; readonly seq: number }[] {
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true, timeout: 60_000 });
  try {
    return database.prepare("SELECT id, seq FROM acts ORDER BY n").all() as { id: string; seq: number }[];
  } catch (error) {
    // The agent has not created its table yet.
    if ((error as Error).message.includes("no such table")) return [];
    throw error;
  } finally {
    database.close();
  }
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
}

/** A real server that records its requests, and answers as the test says. */
export class Receiver {
  readonly received: Received[] = [];
  readonly url: string;
  /** The status of each answer; the last one repeats. */
  answers: number[] = [204];
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
    server.on("request", (request, response) => void this.#take(request, response));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.received.push({ headers: request.headers, path: request.url ?? "", body: await text(request) });
    const status = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    response.writeHead(status ?? 204, { location: "http://127.0.0.1:1/elsewhere" }).end("{}");
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    const { promise, resolve: listening } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", listening);
    await promise;
    const address = server.address();
    return new Receiver(server, `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve: closed } = Promise.withResolvers<void>();
    this.#server.close(() => closed());
    this.#server.closeAllConnections();
    await promise;
  }
}
