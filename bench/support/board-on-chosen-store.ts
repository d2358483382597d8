// A board on the chosen store, either SQLite or several nodes over one PostgreSQL, used as one board.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../../src/adapters/postgres/client.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { BoardProcess, type Commits } from "./board-process.ts";
import { familyMs } from "./cpu-time.ts";

export interface StoreChoice {
  readonly name: string;
  /** 0 means SQLite. */
  readonly nodes: number;
}

/** `sqlite`, `postgres` for one node over PostgreSQL, `postgres-2` for two, and so on, separated by commas. */
export function storesIn(text: string): readonly StoreChoice[] {
  return text.split(",").map((name) => {
    if (name === "sqlite") return { name, nodes: 0 };
    const found = /^postgres(?:-([1-9]))?$/.exec(name);
    if (found === null)
      throw new Error(`There is no store ${name}. There are sqlite, postgres, and postgres-2 to postgres-9 for so many nodes.`);
    return { name, nodes: Number(found[1] ?? 1) };
  });
}

export class MeasuredBoard {
  readonly name: string;
  readonly nodes: readonly BoardProcess[];
  readonly #server: PostgresServer | undefined;

  private constructor(name: string, nodes: readonly BoardProcess[], server: PostgresServer | undefined) {
    this.name = name;
    this.nodes = nodes;
    this.#server = server;
  }

  static async start({ name, nodes }: StoreChoice, dir: string, server: PostgresServer | undefined): Promise<MeasuredBoard> {
    const home = join(dir, name);
    mkdirSync(home);
    if (nodes === 0) return new MeasuredBoard(name, [await BoardProcess.start(join(home, "data"))], undefined);
    if (server === undefined) throw new Error("There is no PostgreSQL in this run.");
    const database = `board_${nodes}`;
    const admin = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "bench" });
    await admin.script(`CREATE DATABASE ${database}`);
    await admin.end();
    const more = ["--database-url", server.databaseUrl(database), "--key-file", join(home, "board.key")];
    const started: BoardProcess[] = [];
    // One after the other: the first node makes the key that all nodes sign with.
    for (let i = 1; i <= nodes; i++) started.push(await BoardProcess.start(join(home, `node-${i}`), { more }));
    return new MeasuredBoard(name, started, server);
  }

  get ports(): readonly number[] {
    return this.nodes.map(({ port }) => port);
  }

  /** The processes that answer: the nodes, and the database server if there is one. */
  get pids(): readonly (number | undefined)[] {
    return [...this.nodes.map(({ pid }) => pid), this.#server?.pid];
  }

  async commits(): Promise<Commits> {
    const all = await Promise.all(this.nodes.map((node) => node.commits()));
    const sum = (of: (one: Commits) => number): number => all.reduce((total, one) => total + of(one), 0);
    return { transactions: sum(({ transactions }) => transactions), acts: sum(({ acts }) => acts) };
  }

  /** Milliseconds of CPU: of the nodes by thread, and of the database server. */
  cpuMs(): ReadonlyMap<string, number> {
    const times = new Map<string, number>();
    for (const node of this.nodes) for (const [thread, ms] of node.threadMs()) times.set(thread, (times.get(thread) ?? 0) + ms);
    if (this.#server !== undefined) times.set("PostgreSQL", familyMs(this.#server.pid));
    return times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) await node[Symbol.asyncDispose]();
  }
}
