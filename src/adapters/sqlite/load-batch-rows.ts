// Fetches what a batch misses, synchronously: each row when it is first read.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { KeyState } from "../../core/keys/key-state.ts";
import { EARLY_REPLIES, type Load, type LoadDialect, LOADS } from "../sql/batch/load-statements.ts";
import { WINDOWS } from "../sql/batch/first-rows-statements.ts";
import type { AgentRow, OpenWindow, TableName, WorkingSet } from "../sql/batch/working-set.ts";
import { STATE_COLUMNS } from "../sql/rows.ts";
import { threadOf } from "./dialect.ts";

const DIALECT: LoadDialect = {
  among: (column) => `${column} = ?1`,
  keys: (columns) =>
    `(SELECT ${Object.entries(columns)
      .map(([name, type], i) => `${type === "bigint" ? `CAST(?${i + 1} AS INTEGER)` : `?${i + 1}`} AS ${name}`)
      .join(", ")}) AS k`,
  // A bare placeholder as a limit makes SQLite plan the whole statement again each time it is bound.
  limit: (place) => `+?${place}`,
  threads: `SELECT ?1 AS root, t.number, t.messages, t.last_activity AS "lastActivity" FROM threads t WHERE t.number = ${threadOf("?1")}`,
  earlyReplies: `SELECT ?1 AS target, ${STATE_COLUMNS}
    FROM (SELECT DISTINCT seq FROM refs WHERE target = ?1 AND rel = 'reply' ORDER BY seq LIMIT ${EARLY_REPLIES}) r
    JOIN messages m ON m.seq = r.seq ORDER BY m.seq`,
  // Labels have no index by seq, so they are read from the payload.
  labels: "SELECT seq, payload FROM contents WHERE seq = ?1",
};
/** The number of agents, and of keys, whose rows are cached. */
const MAX_ROWS = 10_000;
const ANY_TRACE = `SELECT 1 FROM messages WHERE id = ?1 UNION ALL SELECT 1 FROM gone WHERE id = ?1
  UNION ALL SELECT 1 FROM refs WHERE target = ?1 UNION ALL SELECT 1 FROM strays WHERE root = ?1 LIMIT 1`;

export class Fetcher {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #anyTrace: StatementSync;
  readonly #anyBlock: StatementSync;
  /** Rows as in the database. They are cached because an agent that posts once posts again. */
  readonly #agents = new BoundedCache<string, AgentRow>(MAX_ROWS);
  readonly #keys = new BoundedCache<string, KeyState>(MAX_ROWS);
  /** Whether anything is blocked at all: on most boards nothing is, and every post asks. */
  #blocks: boolean | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#anyTrace = db.prepare(ANY_TRACE);
    this.#anyBlock = db.prepare("SELECT 1 FROM blocks LIMIT 1");
  }

  /** From now on the working set fetches missing rows at once. */
  serve(set: WorkingSet): void {
    set.syncLoader = { table: (name, key) => this.#table(set, name, key), window: (open) => this.#window(set, open) };
  }

  /** Most posts are new: then one query shows that no message, tombstone or ref has this id. */
  expectNew(set: WorkingSet, id: string): void {
    if (this.#anyTrace.get(id) !== undefined) return;
    for (const table of [set.messages, set.tombstones, set.threads, set.replies, set.earlyReplies]) table.keep([id], []);
  }

  /** Keeps what a batch has written, once it can be read back. Call this after each batch: otherwise the next one reads older rows. */
  learn({ agents, keys, blocks }: WorkingSet): void {
    for (const [id, row] of agents.changes) if (row !== undefined) this.#agents.set(id, row);
    for (const [id, row] of keys.changes) if (row !== undefined) this.#keys.set(id, row);
    if (blocks.changes.size > 0) this.#blocks = undefined;
  }
  /** Another process has written. */
  forget(): void {
    this.#agents.clear();
    this.#keys.clear();
    this.#blocks = undefined;
  }

  #table(set: WorkingSet, name: TableName, one: string): void {
    if (name === "agents") {
      const known = this.#agents.get(one);
      if (known !== undefined) return set.agents.keep([], [[one, known]]);
    }
    if (name === "keys") {
      const known = this.#keys.get(one);
      if (known !== undefined) return set.keys.keep([], [[one, known]]);
    }
    if (name === "blocks" && !(this.#blocks ??= this.#anyBlock.get() !== undefined)) return set.blocks.keep([one], []);
    const { key, keep } = LOADS[name];
    const statement = this.#prepared(name, LOADS[name]);
    keep(
      set,
      [one],
      key === "text" ? statement.all(one) : key === "bigint" ? statement.all(Number(one)) : statement.all(...one.split(" ")),
    );
    const state = name === "keys" ? set.keys.stored(one) : undefined;
    if (state !== undefined) this.#keys.set(one, state);
  }

  #window(set: WorkingSet, { name, window, withdrawal, keep }: OpenWindow): void {
    const { wanted } = window;
    const values = WINDOWS[name].values(set, withdrawal);
    keep(this.#prepared(`first ${name}`, WINDOWS[name]).all(...values, wanted), wanted);
  }

  #prepared(name: string, { sql }: Pick<Load, "sql">): StatementSync {
    let statement = this.#statements.get(name);
    if (statement === undefined) this.#statements.set(name, (statement = this.#db.prepare(sql(DIALECT).replaceAll(/\$(\d)/g, "?$1"))));
    return statement;
  }
}
