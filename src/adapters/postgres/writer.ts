// The writer of a PostgreSQL board: many acts in one transaction, one transaction at a time over all nodes.
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { edgeOf, fillsTile, type TreeEdge } from "../../core/log/tree-edge.ts";
import { fromBase64, toBase64 } from "../../core/tlog/base64.ts";
import { decodeFrontier, encodeFrontier } from "../../core/tlog/frontier.ts";
import type { Act, Outcome } from "../../core/message/acts-and-outcomes.ts";
import { type Appended, StoreFailure } from "../../ports/store.ts";
import { changedRows } from "../sql/batch/changed-rows.ts";
import { BatchLedger } from "../sql/batch/in-memory-ledger.ts";
import { anticipate, workOut } from "../sql/batch/run-batch.ts";
import { WRITE_STEPS } from "../sql/batch/write-steps.ts";
import { fieldOf } from "../sql/columns.ts";
import { PRUNE_EVERY_MS, retentionTimes } from "../sql/retention.ts";
import { edgeQueries } from "../sql/tree.ts";
import { postsText } from "./latest-head.ts";
import { textArray } from "./array-literals.ts";
import { Client, type Value } from "./client.ts";
import { type BoardRow, loadMissing } from "./load-batch-rows.ts";
import { HEAD_MOVED, PARAMETER_COUNT, rowsText, WRITE_FUNCTION_NAME, WRITTEN_TABLES } from "./write-function.ts";

/** Each round fetches what the one before found missing; rules follow refs only a few steps. */
const MAX_ROUNDS = 50;
/**
 * After another node wrote in between, this many batches take the lock first: while both nodes write, optimistic batches would mostly be
 * wasted.
 */
const LOCKED_BATCHES = 32;

/** The result of a batch, the version of the board after it, and the last entry before it. */
export interface WrittenBatch<One extends Act> extends Appended<One> {
  readonly version: number;
  readonly after: number;
}

interface Batch<One extends Act> {
  /** Requests the rows that it certainly needs, so that most batches need only one round. */
  readonly foresee: (ledger: BatchLedger) => void;
  readonly work: (ledger: BatchLedger) => readonly Outcome<One>[];
}

const WRITE = `SELECT ${WRITE_FUNCTION_NAME}(${Array.from({ length: PARAMETER_COUNT }, (_, i) => `$${i + 1}`).join(", ")}) AS due`;

const COLUMNS = `SELECT t.name, string_agg(a.attname, ',' ORDER BY a.attnum) AS columns
  FROM unnest($1::text[]) AS t (name) JOIN pg_attribute a ON a.attrelid = to_regclass(t.name)
  WHERE a.attnum > 0 AND NOT a.attisdropped GROUP BY t.name`;

/** The code of the error that the block below throws to roll back its writes. */
const UNDO = "BB000";
/**
 * Like a post: takes the lock and writes 64 KiB of text, then rolls back. The lock alone needs no space, and would succeed on a full disk
 * too.
 */
const TRIAL = `DO $$ BEGIN
  PERFORM 1 FROM board WHERE one = 1 FOR UPDATE;
  INSERT INTO contents (seq, payload, sig, nonce)
    SELECT -pg_backend_pid(), string_agg(md5(i::text), ''), '', '' FROM generate_series(1, 2048) AS i;
  RAISE EXCEPTION USING ERRCODE = '${UNDO}';
EXCEPTION WHEN SQLSTATE '${UNDO}' THEN NULL;
END $$`;

export class PostgresWriter {
  readonly #client: Client;
  readonly #node: string;
  #locked = 0;
  /** The edge of the tree after this node's last batch. */
  #edge: { readonly head: Head; readonly edge: TreeEdge } | undefined;
  /** The fields of each table's columns, in the order that the database has them in. */
  #fields: ReadonlyMap<string, readonly string[]> | undefined;

  /** A separate client with one connection: statements run in the order in which they are sent. */
  constructor(url: string, node = "-") {
    this.#node = node;
    this.#client = new Client({ url, connections: 1, name: "blackboard writer" });
  }

  run<One extends Act>(acts: readonly One[], now: number): Promise<WrittenBatch<One>> {
    return this.#write({ foresee: (ledger) => anticipate(ledger, acts), work: (ledger) => workOut(ledger, acts) }, now);
  }

  /** Ends withdrawn messages that a node left when it crashed. If no node may write later, they would stay visible. */
  async endWithdrawn(): Promise<void> {
    while (await this.#endSome());
  }

  /** Returns whether there is more. */
  async #endSome(): Promise<boolean> {
    let more = false;
    const goOn = (ledger: BatchLedger): [] => {
      more = ledger.goOnWithdrawing();
      return [];
    };
    await this.#write({ foresee: goOn, work: goOn }, 0);
    return more;
  }

  /** Two statements while no other node writes at the same moment: one reads, one writes if the board has not changed since. */
  async #write<One extends Act>(batch: Batch<One>, now: number): Promise<WrittenBatch<One>> {
    try {
      if (this.#locked > 0) this.#locked--;
      else {
        const written = await this.#attempt(batch, now, false);
        if (written !== undefined) return written;
        this.#locked = LOCKED_BATCHES;
      }
      const written = await this.#attempt(batch, now, true);
      if (written === undefined) throw new StoreFailure("storage_unavailable", "The lock was lost with its connection.");
      return written;
    } catch (error) {
      // Whatever state the connection is in, no more of this transaction may be sent on it.
      this.#client.reset();
      throw error;
    }
  }

  async trial(): Promise<void> {
    await this.#client.script(TRIAL);
  }

  end(): Promise<void> {
    return this.#client.end();
  }
  [Symbol.asyncDispose] = (): Promise<void> => this.end();

  /** Writes nothing and returns undefined if the board has changed since it was read. With the lock, it cannot change before the commit. */
  async #attempt<One extends Act>(batch: Batch<One>, now: number, locked: boolean): Promise<WrittenBatch<One> | undefined> {
    const ledger = new BatchLedger();
    const { set } = ledger;
    set.now = now;
    batch.foresee(ledger);
    // All statements are sent at once. The server runs them in order, so statements after the lock see everything that was written before
    // it.
    const lock = locked ? [this.#client.script("BEGIN"), this.#client.query("SELECT 1 FROM board WHERE one = 1 FOR UPDATE")] : [];
    const [board] = await Promise.all([loadMissing(this.#client, set), ...lock]);
    set.start = { seq: board.seq, hash: board.hash };
    // The log's time never runs backwards, whatever the clocks of the nodes do.
    set.now = Math.max(board.at, now);
    const outcomes = await this.#workOut(ledger, batch.work, board.version);
    if (outcomes === undefined) return undefined;
    const edge = ledger.growTree(await this.#edgeAt(board, ledger.entries.length));
    const rows = changedRows(ledger);
    const upkeep = (board.nextDue ?? Infinity) <= set.now || set.now - board.prunedAt > PRUNE_EVERY_MS;
    const head = { seq: ledger.head.seq, hash: ledger.head.hash };
    const touched = { seqs: [], agents: [], roots: [], all: false };
    const commit = async (): Promise<void> => (locked ? this.#client.script("COMMIT") : undefined);
    if (Object.keys(rows).length === 0 && !upkeep) {
      await commit();
      return { outcomes, head, nextDue: board.nextDue, touched, version: board.version, after: board.seq };
    }
    const fields = (this.#fields ??= await this.#readFields());
    const parts = WRITE_STEPS.map((step): Value => {
      const written = rows[step];
      return written === undefined ? null : rowsText(step, written, fields);
    });
    const posts = ledger.entries.filter(({ type }) => type === "create").map(({ id }) => ledger.inserted.get(id)?.arrival.bits ?? 0);
    const values = [
      board.version,
      head.seq,
      head.hash,
      toBase64(encodeFrontier(edge.frontier)),
      set.now,
      PRUNE_EVERY_MS,
      ...Object.values(retentionTimes(set.now)),
      this.#node,
      postsText(posts),
      ...parts,
    ];
    // A crash before the commit loses the whole batch, and nobody was answered; after it, everything is on disk. Without the lock the
    // statement is its own transaction.
    const [[written]] = await Promise.all([this.#client.query<{ due: number | null }>(WRITE, values), commit()]);
    if (written === undefined || written.due === HEAD_MOVED) return undefined;
    this.#edge = { head, edge };
    return { outcomes, head, nextDue: written.due, touched, version: board.version + 1, after: board.seq };
  }

  async #readFields(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#client.query<{ name: string; columns: string }>(COLUMNS, [textArray(WRITTEN_TABLES)]);
    return new Map(rows.map(({ name, columns }) => [name, columns.split(",").map(fieldOf)]));
  }

  /** The edge of the tree at the start of the batch: as this node left it, or, if another node wrote since, from the database. */
  async #edgeAt({ seq, hash, frontier }: BoardRow, more: number): Promise<TreeEdge> {
    const known = this.#edge?.head.seq === seq && this.#edge.head.hash === hash ? this.#edge.edge : undefined;
    const enough = !fillsTile(seq, more);
    if (known !== undefined && (enough || known.open !== undefined)) return known;
    const stored = frontier === null ? undefined : decodeFrontier(fromBase64(frontier, "The frontier"));
    if (enough && stored?.size === seq) return { frontier: stored, open: undefined };
    const open = await Promise.all(
      edgeQueries(seq).map(async ({ sql, values, hashesOf }) => hashesOf(await this.#client.query(sql, values))),
    );
    return edgeOf(seq, open);
  }

  /** Runs the whole batch again and again, each time with more rows in memory, until nothing is missing. */
  async #workOut<One extends Act>(
    ledger: BatchLedger,
    work: Batch<One>["work"],
    version: number,
  ): Promise<readonly Outcome<One>[] | undefined> {
    const { set } = ledger;
    const clean = ledger.mark();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcomes = work(ledger);
      if (set.isKnown) return outcomes;
      ledger.backTo(clean);
      const board = await loadMissing(this.#client, set);
      if (board.version !== version) return undefined;
    }
    throw new Error(`A batch was not worked out in ${MAX_ROUNDS} rounds.`);
  }
}
