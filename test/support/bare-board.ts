// A board without network, signatures and threads: the real writer and reader on a real SQLite file, with the time as a parameter.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { SqlReads } from "../../src/adapters/sql/reads.ts";
import { SqliteHead } from "../../src/adapters/sqlite/head.ts";
import { SqliteMessageCache } from "../../src/adapters/sqlite/message-cache.ts";
import { databasePath, openDatabase } from "../../src/adapters/sqlite/open.ts";
import { SqliteReader } from "../../src/adapters/sqlite/reader.ts";
import { SqliteRows } from "../../src/adapters/sqlite/statement-runner.ts";
import { failureOf } from "../../src/adapters/sqlite/store.ts";
import { SqliteWriter } from "../../src/adapters/sqlite/writer.ts";
import { GENESIS } from "../../src/core/log/chain.ts";
import type { Head } from "../../src/core/log/chain-checkpoint.ts";
import { NOTHING } from "../../src/core/guard/risk-and-copies.ts";
import type { Arrival } from "../../src/core/message/message-state.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Payload } from "../../src/core/protocol/payload.ts";
import { iso } from "../../src/core/protocol/time.ts";
import type { Act, Admitted, Outcome } from "../../src/core/message/acts-and-outcomes.ts";
import type { Appended, LogEntry, Raw } from "../../src/ports/store.ts";
import type { Change } from "./chain.ts";

export class BareBoard implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), "bare-board-"));
  readonly #readDb: DatabaseSync;
  /** The writer's connection. */
  readonly db: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #storedMessages: SqliteMessageCache;
  readonly reader: SqliteReader;
  readonly reads: SqlReads;

  constructor() {
    this.db = openDatabase(databasePath(this.dir), "write");
    // No test here is about power cuts, and thousands of syncs would take minutes.
    this.db.exec("PRAGMA synchronous = OFF");
    this.#writer = new SqliteWriter(this.db);
    this.#readDb = openDatabase(databasePath(this.dir), "read");
    this.#storedMessages = new SqliteMessageCache(this.#readDb);
    this.reader = new SqliteReader(this.#readDb, this.#storedMessages);
    this.reads = new SqlReads(new SqliteRows(this.#readDb));
  }

  run<One extends Act>(acts: readonly One[], now: number): Appended<One> {
    const appended = this.#writer.run(acts, now);
    // As in the store: cached messages that the transaction changed are dropped.
    this.#storedMessages.forget(appended.touched, appended.head.seq);
    return appended;
  }

  /** The same as a function for the appender, which turns failures into store failures. */
  append = async <One extends Act>(acts: readonly One[], now: number): Promise<Appended<One>> => {
    try {
      return this.run(acts, now);
    } catch (error) {
      throw failureOf(error as { message: string; errcode: number | undefined });
    }
  };

  /** The result of one post: "created", "exists", or the code of its refusal. */
  post(text: string, now: number): string {
    const [outcome] = this.run([postAct(text)], now).outcomes;
    if (outcome === undefined) throw new Error("The writer gave no outcome.");
    return said(outcome);
  }

  /** One batch of the sweep. */
  sweep(now: number): void {
    this.run([{ type: "sweep" }], now);
  }

  head(): Head {
    return new SqliteHead(this.#readDb).read();
  }

  /** Sweeps until nothing is due. */
  sweepAll(now: number): void {
    for (let before = -1; before !== this.head().seq;) {
      before = this.head().seq;
      this.sweep(now);
    }
  }

  rows(table: string, where = "true"): number {
    return this.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).get()?.["n"] as number;
  }

  /** The log as far as it is stored, as the public endpoint would show it. */
  changes(): readonly Change[] {
    const content = this.#readDb.prepare("SELECT payload, sig, nonce FROM contents WHERE seq = ?");
    const rows = this.#readDb.prepare("SELECT seq, at, type, id, detail, digest, hash, assisted FROM log ORDER BY seq").all();
    const entries = rows as unknown as (Omit<LogEntry, "assisted"> & { assisted: 0 | 1 | null })[];
    const changes = entries.map(({ at, assisted, ...entry }, i) => ({
      ...entry,
      at: iso(at),
      prev: entries[i - 1]?.hash ?? GENESIS,
      assisted: assisted === null ? null : assisted === 1,
      raw: entry.type === "create" ? ((content.get(entry.seq) as unknown as Raw | undefined) ?? null) : null,
    }));
    // If older entries were deleted, the first one is only the anchor of the chain.
    return changes[0]?.seq === 1 ? changes : changes.slice(1);
  }

  [Symbol.dispose](): void {
    this.#readDb.close();
    this.#writer.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function said(outcome: Outcome<Act<"post">>): string {
  if ("refused" in outcome) return outcome.refused.code === "internal" ? outcome.refused.message : outcome.refused.code;
  return outcome.result;
}

/** A guard that finds nothing. */
export const UNGUARDED = {
  look: () => ({ flags: [], risk: 0, signature: undefined }) as const,
  spreadOf: () => ({ copies: 0, lately: 1, before: undefined }),
};

/** Marks an arrival as checked, without checking it. */
export const admitted = (arrival: Arrival): Admitted => arrival as Admitted;

export function arrivalOf(text: string, blobs: Record<string, string> = {}): Admitted {
  const payload = JSON.parse(text) as Payload;
  const raw = { payload: text, sig: "A".repeat(86), nonce: "0" };
  return admitted({ id: messageId(text), author: agentId(payload.pk), payload, raw, bits: 0, assisted: false, blobs, noticed: NOTHING });
}

export const postAct = (text: string, blobs?: Record<string, string>): Act<"post"> => ({
  type: "post",
  arrival: arrivalOf(text, blobs),
  dryRun: false,
});
