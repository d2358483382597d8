// The board that is attacked: filled once per run and store, indexed, and copied for each attack.
import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { familyMs } from "../../bench/support/cpu-time.ts";
import { Client } from "../../src/adapters/postgres/client.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import type { StoreName } from "../part.ts";
import { sharedServer } from "../support/stores.ts";
import type { Feed, Filling } from "./fill.ts";
import { abuseFlags } from "./attacked-board-flags.ts";

const FULL = { messages: 100_000, tombstones: 300_000, thread: 20_000 };
/** Enough data for all attacks. */
const LEAST = { messages: 3000, tombstones: 4000, thread: 500 };
const CALM_MS = 2000;
/** A share of one core. */
const CALM_SHARE = 0.03;
const CALM_LOOKS = 150;
/** That many looks are for indexing a board of this size. */
const INDEXED_MESSAGES = 100_000;

export class FilledBoard {
  readonly feed: Feed;
  readonly #server: string;
  readonly #dir: string;
  readonly #database: string | undefined;
  #copies = 0;

  private constructor(server: string, dir: string, database: string | undefined, feed: Feed) {
    this.#server = server;
    this.#dir = dir;
    this.#database = database;
    this.feed = feed;
  }

  /** `server` is the checkout of the board. */
  static async make(store: StoreName, server: string, times: (full: number) => number, messages = FULL.messages): Promise<FilledBoard> {
    const dir = join(emptyDirectory(), "filled");
    const database = store === "sqlite" ? undefined : "abuse_filled";
    if (database !== undefined) await admin((client) => client.script(`CREATE DATABASE ${database}`));
    const filling: Filling = {
      server,
      dir,
      databaseUrl: database === undefined ? undefined : sharedServer().databaseUrl(database),
      messages: Math.max(LEAST.messages, times(messages)),
      tombstones: Math.max(LEAST.tombstones, times(FULL.tombstones)),
      thread: Math.max(LEAST.thread, times(FULL.thread)),
    };
    const child = spawn(process.execPath, [join(import.meta.dirname, "fill.ts"), JSON.stringify(filling)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    const output = await text(child.stdout);
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`Filling the board ended with ${code}.`);
    const filled = new FilledBoard(server, dir, database, JSON.parse(output) as Feed);
    if (database !== undefined) {
      // The directory of a node contains only its index.
      rmSync(join(dir, "board.db"));
      const client = new Client({ url: sharedServer().databaseUrl(database), connections: 1, name: "abuse" });
      await client.script("VACUUM ANALYZE");
      await client.end();
    }
    // Builds the index here once, so that the copies need not build it again.
    await using board = await filled.#serve(dir, database, [], {});
    const looks = CALM_LOOKS * Math.max(1, Math.ceil(filling.messages / INDEXED_MESSAGES));
    if (!(await calm(board.pid, looks))) throw new Error(`The board was not indexed within ${(looks * CALM_MS) / 1000} s.`);
    await board.kill("SIGTERM");
    return filled;
  }

  /** The process of the database server, if there is one. */
  get databasePid(): number | undefined {
    return this.#database === undefined ? undefined : sharedServer().pid;
  }

  /** Starts a board on a copy, and waits until it is idle. */
  async start(flags: readonly string[], env: Readonly<Record<string, string>>): Promise<AttackedBoard> {
    const dir = join(emptyDirectory(), "copy");
    execFileSync("cp", ["-a", "--reflink=auto", this.#dir, dir]);
    const database = this.#database === undefined ? undefined : `abuse_${++this.#copies}`;
    if (database !== undefined) {
      await admin((client) => client.script(`CREATE DATABASE ${database} TEMPLATE ${this.#database}`));
      await admin((client) => client.script("CHECKPOINT"));
    }
    // Otherwise the disk would still write the copy while waits are measured.
    execFileSync("sync");
    const board = await this.#serve(dir, database, flags, env);
    await calm(board.pid);
    return new AttackedBoard(board, dir, database);
  }

  async #serve(
    dir: string,
    database: string | undefined,
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<BoardProcess> {
    const where = database === undefined ? [] : ["--database-url", sharedServer().databaseUrl(database)];
    const mail = flags.includes("--smtp-port") ? [] : ["--smtp-port", "0"];
    const args = ["serve", "--port", "0", ...mail, "--data", dir, ...where, ...abuseFlags(this.#server), ...flags];
    const board = BoardProcess.spawn({ args, env, bin: join(this.#server, "src/bin.ts") });
    await board.ready();
    return board;
  }
}

export class AttackedBoard implements AsyncDisposable {
  readonly process: BoardProcess;
  readonly #dir: string;
  readonly #database: string | undefined;

  constructor(board: BoardProcess, dir: string, database: string | undefined) {
    this.process = board;
    this.#dir = dir;
    this.#database = database;
  }

  get port(): number {
    return Number(new URL(this.process.url).port);
  }

  /** The size of its files and of its database. */
  async storedMiB(): Promise<number> {
    const files = readdirSync(this.#dir, { recursive: true, encoding: "utf8" });
    const own = files.reduce((sum, name) => sum + (statSync(join(this.#dir, name), { throwIfNoEntry: false })?.size ?? 0), 0);
    const database = this.#database;
    if (database === undefined) return own / 2 ** 20;
    const [row] = await admin((client) => client.query<{ bytes: number }>("SELECT pg_database_size($1)::float8 AS bytes", [database]));
    return (own + (row?.bytes ?? 0)) / 2 ** 20;
  }

  /** Lets all messages of an author end now, as if they had been posted so. */
  async endTogether(author: string): Promise<void> {
    const end = `UPDATE messages SET expires_at = ${Date.now()} WHERE author = '${author}'`;
    if (this.#database === undefined) {
      using db = new DatabaseSync(join(this.#dir, "board.db"));
      db.exec(`PRAGMA busy_timeout = 10000; ${end}`);
    } else {
      await using client = new Client({ url: sharedServer().databaseUrl(this.#database), connections: 1, name: "abuse" });
      await client.script(end);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
    const database = this.#database;
    if (database !== undefined) await admin((client) => client.script(`DROP DATABASE ${database} WITH (FORCE)`));
  }
}

async function admin<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    url: sharedServer().databaseUrl("postgres"),
    connections: 1,
    name: "abuse",
    session: { statement_timeout: 0 },
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Waits until a process has no background work left, such as indexing, and tells whether it has none. Without /proc, waits for a moment. */
async function calm(pid: number | undefined, most = CALM_LOOKS): Promise<boolean> {
  for (let looks = 0, before = familyMs(pid); looks < most; looks++) {
    await new Promise((resolve) => setTimeout(resolve, CALM_MS));
    const now = familyMs(pid);
    if (now - before < CALM_SHARE * CALM_MS * Math.min(2, availableParallelism())) return true;
    before = now;
  }
  return false;
}
