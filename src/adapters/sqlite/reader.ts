// Reads of a SQLite board: prepared statements on separate connections, never blocked by the writer.
import { sliced } from "../../ports/cpu-slices.ts";
import type { Found, Precheck } from "../../ports/store.ts";
import type { SqliteMessageCache } from "./message-cache.ts";
import { authorLineOf } from "../sql/key-rows.ts";
import { foundAt, precheckOf } from "../sql/known-message.ts";
import { TOMBSTONES, toTombstone } from "../sql/rows.ts";
import type { DatabaseSync, StatementSync } from "node:sqlite";

const NOTHING_KNOWN = precheckOf({
  found: undefined,
  author: "",
  line: undefined,
  blobs: [],
  storedBlobs: new Map(),
  isBlocked: () => false,
});

export class SqliteReader {
  readonly #sql: ReturnType<typeof statements>;
  readonly #storedMessages: SqliteMessageCache;

  constructor(db: DatabaseSync, storedMessages: SqliteMessageCache) {
    this.#sql = statements(db);
    this.#storedMessages = storedMessages;
  }

  /** Pages in use. */
  used(): number {
    return this.#sql.used.get()?.["bytes"] as number;
  }

  precheck(id: string, author: string, blobs: readonly string[], now: number): Precheck {
    // Most posts are new and nothing refers to them yet: one query instead of four.
    if (blobs.length === 0 && this.#sql.anyTrace.get(id, author) === undefined) return { ...NOTHING_KNOWN, payer: author };
    const stored = blobs.flatMap((hash) =>
      this.#sql.blobBytes.all(hash, now).map((row): [string, number] => [hash, row["bytes"] as number]),
    );
    return precheckOf({
      found: this.find(id, now),
      author,
      line: authorLineOf(this.#sql.line.get(author)?.["line"] as string | null | undefined),
      blobs,
      storedBlobs: new Map(stored),
      isBlocked: (what, name) => this.#sql.blocked.get(what, name) !== undefined,
    });
  }

  find(id: string, now: number): Found | undefined {
    const stored = this.#storedMessages.current().byId(id);
    if (stored !== undefined) return foundAt(stored, now);
    const tombstone = this.#sql.tombstone.get(id);
    return tombstone === undefined ? undefined : { tombstone: toTombstone(tombstone) };
  }

  /** In slices, because each of them can be long. */
  async findAll(ids: readonly string[], now: number): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    await sliced(ids, (id) => {
      const one = this.find(id, now);
      if (one !== undefined) found.set(id, one);
    });
    return found;
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    tombstone: p(`${TOMBSTONES} WHERE id = ?`),
    used: db.prepare(
      `SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ),
    anyTrace: p(`SELECT 1 FROM messages WHERE id = ?1 UNION ALL SELECT 1 FROM gone WHERE id = ?1
      UNION ALL SELECT 1 FROM blocks WHERE what = 'key' AND name = ?2
      UNION ALL SELECT 1 FROM keys WHERE agent = ?2 LIMIT 1`),
    line: p("SELECT line FROM agents WHERE id = ?"),
    blocked: p("SELECT 1 FROM blocks WHERE what = ? AND name = ? LIMIT 1"),
    blobBytes: p("SELECT octet_length(text) AS bytes FROM blobs WHERE sha256 = ? AND expires_at > ?"),
  };
}

interface Waiting extends PromiseWithResolvers<Precheck> {
  readonly ask: () => Precheck;
}

/** Looks up what is known of all posts of one turn of the event loop: a transaction costs more than the lookups in it. */
export class SqlitePrechecks {
  readonly #reader: SqliteReader;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #waiting: Waiting[] = [];

  constructor(db: DatabaseSync, reader: SqliteReader) {
    this.#reader = reader;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  ask(...question: Parameters<SqliteReader["precheck"]>): Promise<Precheck> {
    const one: Waiting = { ask: () => this.#reader.precheck(...question), ...Promise.withResolvers<Precheck>() };
    if (this.#waiting.push(one) === 1) setImmediate(() => this.#answer());
    return one.promise;
  }

  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#begin.run();
      try {
        for (const one of waiting) one.resolve(one.ask());
      } finally {
        this.#commit.run();
      }
    } catch (error) {
      // Promises that were resolved already ignore this.
      for (const one of waiting) one.reject(error);
    }
  }
}
