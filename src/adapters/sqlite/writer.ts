// The one writer of a SQLite board: many acts, one transaction, one fsync.
import type { DatabaseSync } from "node:sqlite";
import { GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { edgeOf, type TreeEdge } from "../../core/log/tree-edge.ts";
import { type Act, arrivalsOf, type Outcome } from "../../core/message/acts-and-outcomes.ts";
import { refusalOf } from "../../core/message/perform.ts";
import type { Appended } from "../../ports/store.ts";
import { BatchLedger } from "../sql/batch/in-memory-ledger.ts";
import { workOut } from "../sql/batch/run-batch.ts";
import { edgeQueries } from "../sql/tree.ts";
import { prepared } from "./dialect.ts";
import { errcodeOf, primaryCode } from "./faults.ts";
import { Fetcher } from "./load-batch-rows.ts";
import { Flush } from "./write-batch-rows.ts";
import { openDatabase } from "./open.ts";
import { PRUNE_EVERY_MS } from "../sql/retention.ts";
import { sqliteUpkeep } from "./retention.ts";

export class SqliteWriter {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof statements>;
  readonly #fetcher: Fetcher;
  readonly #flush: Flush;
  readonly #upkeep: ReturnType<typeof sqliteUpkeep>;
  /** The head of the log after the last batch, and its time, which never runs backwards. */
  #head: Head | undefined;
  /** The edge of the tree at the head of the log; undefined until it is read. */
  #edge: TreeEdge | undefined;
  #now = 0;
  #nextDue: number | null | undefined;
  #prunedAt = 0;
  readonly #forgetsAgents: boolean;

  /** Only the board itself forgets agents: it keeps their rows in memory, and would not notice that another process has deleted them. */
  constructor(db: DatabaseSync, as: "board" | "operator" = "board") {
    this.#db = db;
    this.#forgetsAgents = as === "board";
    this.#sql = statements(db);
    this.#fetcher = new Fetcher(db);
    this.#flush = new Flush(db);
    this.#upkeep = sqliteUpkeep(db);
  }

  run<One extends Act>(acts: readonly One[], now: number): Appended<One> {
    try {
      return this.#transact(now, (ledger) => {
        this.#fetcher.serve(ledger.set);
        for (const { id } of acts.flatMap(arrivalsOf)) this.#fetcher.expectNew(ledger.set, id);
        // The rules only read here, so a failure is not the fault of an act.
        return workOut(ledger, acts, (error) => errcodeOf(error) !== undefined);
      });
    } catch (error) {
      if (!isFaultOfRows(error)) throw error;
      return acts.length === 1 ? this.#refused(error, now) : this.#oneByOne(acts, now);
    }
  }

  /** Ends withdrawn messages that the board left when it crashed. If it may not write later, they would stay visible. */
  endWithdrawn(): void {
    if (this.#sql.anyWithdrawal.get() !== undefined) while (this.#endSome());
  }

  nextDue(): number | null {
    return this.#upkeep.nextDue();
  }

  /**
   * Checkpoints the write-ahead log and truncates it: until then it contains what was erased since the last time. Returns whether it could:
   * a reader in a long query can block it.
   */
  scrub(): boolean {
    return this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  }

  /** Writes the header unchanged. An existing write-ahead log may accept one more page on a full disk, but not much more. */
  trial(): void {
    const { user_version: version } = this.#db.prepare("PRAGMA user_version").get() as { user_version: number };
    this.#sql.begin.run();
    try {
      this.#db.exec(`PRAGMA user_version = ${version}`);
      this.#sql.commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  #transact<One extends Act>(now: number, work: (ledger: BatchLedger) => readonly Outcome<One>[]): Appended<One> {
    this.#sql.begin.run();
    try {
      const ledger = new BatchLedger();
      const all = this.#begin(ledger, now);
      const isDue = this.#nextDue === undefined || (this.#nextDue !== null && this.#nextDue <= this.#now);
      if (isDue) this.#upkeep.dropOverdueTexts(this.#now);
      else ledger.set.nothingIsDue();
      const pruning = this.#now - this.#prunedAt > PRUNE_EVERY_MS;
      if (pruning) this.#upkeep.prune(this.#now);
      const outcomes = work(ledger);
      const edge = ledger.growTree((this.#edge ??= this.#readEdge(ledger.set.start.seq)));
      const touched = this.#flush.write(ledger);
      // Done after the batch is written, so that agents that have just become active again are kept.
      if (pruning && this.#forgetsAgents && this.#upkeep.forgetSilentAgents(this.#now)) this.#fetcher.forget();
      const nextDue = this.#upkeep.nextDue();
      // A crash before this line loses the whole batch, and nobody was answered; after it, everything is on disk.
      this.#sql.commit.run();
      if (pruning) this.#prunedAt = this.#now;
      const { seq, hash } = ledger.head;
      this.#head = { seq, hash };
      this.#edge = edge;
      this.#nextDue = nextDue;
      this.#fetcher.learn(ledger.set);
      return { outcomes, head: this.#head, nextDue, touched: { ...touched, all } };
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Returns whether there is more. */
  #endSome(): boolean {
    let more = false;
    this.#transact(0, (ledger) => {
      this.#fetcher.serve(ledger.set);
      more = ledger.goOnWithdrawing();
      return [];
    });
    return more;
  }

  /** Continues from the head of the log. Returns whether another process, such as an operator's command, has written to it. */
  #begin({ set }: BatchLedger, now: number): boolean {
    const last = this.#sql.lastEntry.get() as (Head & { readonly at: number }) | undefined;
    set.start = last === undefined ? { seq: 0, hash: GENESIS } : { seq: last.seq, hash: last.hash };
    // The log's time never runs backwards, whatever the clock does.
    this.#now = Math.max(this.#now, last?.at ?? 0, now);
    set.now = this.#now;
    if (set.start.seq === (this.#head?.seq ?? 0)) return false;
    this.#fetcher.forget();
    this.#nextDue = undefined;
    this.#edge = undefined;
    return true;
  }

  /** Reads at most two hundred leaves and a few hundred roots. Nothing is cached that could differ from them. */
  #readEdge(size: number): TreeEdge {
    return edgeOf(
      size,
      edgeQueries(size).map(({ sql, values, hashesOf }) => hashesOf(prepared(this.#db, sql).all(...values))),
    );
  }

  /** Runs the acts one by one, because one of them resulted in rows that cannot be written. This way it harms no other act. */
  #oneByOne<One extends Act>(acts: readonly One[], now: number): Appended<One> {
    const each = acts.map((act) => this.run([act], now));
    const { head, nextDue } = each.at(-1) ?? this.run([], now);
    const touched = {
      seqs: each.flatMap((one) => one.touched.seqs),
      agents: each.flatMap((one) => one.touched.agents),
      roots: each.flatMap((one) => one.touched.roots),
      all: each.some((one) => one.touched.all),
    };
    return { outcomes: each.flatMap((one) => one.outcomes), head, nextDue, touched };
  }
  #refused<One extends Act>(error: unknown, now: number): Appended<One> {
    const { head, nextDue, touched } = this.run([], now);
    return { outcomes: [{ refused: refusalOf(error) }], head, nextDue, touched };
  }
}

/** Ends the withdrawn messages that a board, or a copied board, has left. */
export function endWithdrawn(path: string): void {
  using db = openDatabase(path, "write");
  new SqliteWriter(db).endWithdrawn();
}

function statements(db: DatabaseSync) {
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    lastEntry: db.prepare("SELECT seq, hash, at FROM log ORDER BY seq DESC LIMIT 1"),
    anyWithdrawal: db.prepare("SELECT 1 FROM withdrawals LIMIT 1"),
  };
}

/** Result codes of SQLite about the written values: too big, against a constraint, or of another type. */
const FAULTS_OF_ROWS: ReadonlySet<number> = new Set([18, 19, 20]);

/** After a full disk or another failure of the storage, no act of the batch may be answered as done. */
function isFaultOfRows(error: unknown): boolean {
  const errcode = errcodeOf(error);
  return errcode === undefined || FAULTS_OF_ROWS.has(primaryCode(errcode));
}
