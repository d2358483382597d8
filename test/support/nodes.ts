// Several boards as separate processes over one database, as an operator runs them behind a load balancer.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { type Running, start } from "../../src/start.ts";
import { TEST_BITS } from "./agent.ts";
import type { TestBoard } from "./board.ts";
import { databaseFor, dropDatabaseOf } from "./postgres/database.ts";
import { BoardProcess, emptyDirectory } from "./process.ts";

const FLAGS = ["--pow-bits", String(TEST_BITS), "--base-url", "http://board.test", "--log-level", "fatal"];

export class Nodes implements AsyncDisposable {
  readonly #home: string;
  readonly #flags: readonly string[];
  readonly database: string;
  readonly all: BoardProcess[] = [];

  private constructor(home: string, database: string, flags: readonly string[]) {
    this.#home = home;
    this.database = database;
    this.#flags = flags;
  }

  /** `database` is a database of another server, instead of this run's. */
  static async start(count: number, flags: readonly string[] = ["--rate-limits", "off"], database?: string): Promise<Nodes> {
    const home = emptyDirectory();
    const nodes = new Nodes(home, database ?? (await databaseFor(home)), flags);
    await Promise.all(Array.from({ length: count }, (_, i) => nodes.add(i)));
    return nodes;
  }

  get urls(): readonly string[] {
    return this.all.map(({ url }) => url);
  }

  /** The key file of all nodes. */
  get keyFile(): string {
    return join(this.#home, "board.key");
  }

  /** Starts a node, or replaces one. All have the same key, and each has its own directory. */
  async add(place: number): Promise<BoardProcess> {
    const node = BoardProcess.spawn({ args: ["serve", ...this.#arguments(place)] });
    this.all[place] = node;
    await node.ready();
    return node;
  }

  #arguments(place: number): readonly string[] {
    const data = join(this.#home, `node-${place}`);
    const own = ["--port", "0", "--smtp-port", "0", "--data", data, "--key-file", this.keyFile];
    return [...own, "--database-url", this.database, ...FLAGS, ...this.#flags];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((node) => node[Symbol.asyncDispose]()));
    await dropDatabaseOf(this.#home);
  }
}

/** Posts a message that must be accepted; returns its id and seq. */
export async function postTo(url: string, envelope: object): Promise<{ readonly id: string; readonly seq: number }> {
  const response = await fetch(`${url}/api/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(envelope),
  });
  const body = (await response.json()) as { id: string; seq: number };
  if (response.status !== 201) throw new Error(`expected 201, got ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

/** Another node over the database of a test board, in this process and with the same clock. */
export async function nodeBeside(one: TestBoard, more: readonly string[] = [], url?: string, log?: string[]): Promise<Running> {
  const data = emptyDirectory();
  copyFileSync(join(one.data, "board.key"), join(data, "board.key"));
  const database = ["--database-url", url ?? (await databaseFor(one.data))];
  const flags = [
    ...database,
    "--port",
    "0",
    "--smtp-port",
    "0",
    "--data",
    data,
    "--log-level",
    log === undefined ? "silent" : "debug",
    ...more,
  ];
  const settings = { BOARD_POW_BITS: String(TEST_BITS), BOARD_RATE_LIMITS: "off", BOARD_PROFILE: "public" };
  // With its own address, the node reserves no port through a second listener. A process that another test starts at that moment would keep
  // that listener open until it runs its own program, and connections to it would be reset.
  return start(readConfig(flags, { ...settings, BOARD_BASE_URL: "http://board.test" }), {
    clock: one.clock,
    ...(log === undefined ? {} : { logTo: { write: (line: string) => void log.push(line) } }),
  });
}
