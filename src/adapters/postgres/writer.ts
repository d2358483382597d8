// The writer of a PostgreSQL board: many acts, one transaction, one lock over all nodes.
import { sweep } from "../../core/message/sweep.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { type Act, type Appended, type Outcome, StoreFailure } from "../../ports/store.ts";
import { perform, refusalOf } from "../sql/perform.ts";
import { oldestMinuteKept } from "../sql/tally-moves.ts";
import { Client, type Value } from "./client.ts";
import { changedRows } from "./flush.ts";
import { BatchLedger } from "./ledger.ts";
import { loadMissing } from "./load.ts";
import { PARTS } from "./write-function.ts";

const PRUNE_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Each round fetches what the one before found missing; rules follow refs only a few steps. */
const MAX_ROUNDS = 50;
const SWEEP_FIRST: Act = { type: "sweep" };

/** What a batch came to, and the version of the board that it left. */
export interface Written extends Appended {
  readonly version: number;
}

interface BoardRow {
  readonly version: number;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
  readonly nextDue: number | null;
  readonly prunedAt: number;
}

const WRITE = `SELECT write_batch(${Array.from({ length: 12 + PARTS.length }, (_, i) => `$${i + 1}`).join(", ")}) AS due`;

export class PostgresWriter {
  readonly #client: Client;
  readonly #node: string;

  /** A client of its own, with one connection: statements run in the order in which they are sent. */
  constructor(url: string, node = "-") {
    this.#node = node;
    this.#client = new Client({ url, connections: 1, name: "blackboard writer" });
  }

  async run(acts: readonly Act[], now: number): Promise<Written> {
    try {
      return await this.#run(acts, now);
    } catch (error) {
      // Whatever state the connection is in, nothing more of this transaction may follow on it.
      this.#client.reset();
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  async #run(acts: readonly Act[], now: number): Promise<Written> {
    const ledger = new BatchLedger();
    const { set } = ledger;
    set.now = now;
    anticipate(ledger, acts);
    // All on their way at once; the server takes them one by one, and what comes after the lock sees what was written before it.
    const [, [board]] = await Promise.all([
      this.#client.script("BEGIN"),
      this.#client.query<BoardRow>(
        `SELECT version, seq, hash, at, next_due AS "nextDue", pruned_at AS "prunedAt" FROM board WHERE one = 1 FOR UPDATE`,
      ),
      loadMissing(this.#client, set),
    ]);
    if (board === undefined) throw new StoreFailure("storage_unavailable", "The database holds no board.");
    set.start = { seq: board.seq, hash: board.hash };
    // The log's time never runs backwards, whatever the clocks of the nodes do.
    set.now = Math.max(board.at, now);
    if (set.now !== now) for (const window of set.windows) window.forget();
    const outcomes = await this.#workOut(ledger, acts);
    const rows = changedRows(ledger);
    const upkeep = (board.nextDue ?? Infinity) <= set.now || set.now - board.prunedAt > PRUNE_EVERY_MS;
    const unchanged = Object.keys(rows).length === 0 && !upkeep;
    const head = { seq: ledger.head.seq, hash: ledger.head.hash };
    const touched = { seqs: [], agents: [], roots: [], all: false };
    if (unchanged) {
      await this.#client.script("COMMIT");
      return { outcomes, head, nextDue: board.nextDue, touched, version: board.version };
    }
    const parts = PARTS.map((part): Value => (rows[part] === undefined ? null : JSON.stringify(rows[part])));
    const posted = ledger.entries.filter(({ type }) => type === "create").length;
    const keeping = [LIMITS.log_days, LIMITS.gone_days, LIMITS.once_days, LIMITS.report_text_days].map((days) => set.now - days * DAY_MS);
    const values = [
      board.version,
      head.seq,
      head.hash,
      set.now,
      PRUNE_EVERY_MS,
      ...keeping,
      oldestMinuteKept(set.now),
      this.#node,
      posted,
      ...parts,
    ];
    // A crash before the commit loses the whole batch, and nobody was answered; after it, everything is on disk.
    const [[written]] = await Promise.all([this.#client.query<{ due: number | null }>(WRITE, values), this.#client.script("COMMIT")]);
    return { outcomes, head, nextDue: written?.due ?? null, touched, version: board.version + 1 };
  }

  /** Plays the whole batch again and again, each time with more of the board at hand, until nothing was missing. */
  async #workOut(ledger: BatchLedger, acts: readonly Act[]): Promise<readonly Outcome[]> {
    const { set } = ledger;
    const clean = ledger.mark();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // Acts are judged by the board as it is now, not as the sweep last left it.
      const swept = guarded(ledger, SWEEP_FIRST);
      const outcomes = acts.map((act) => guarded(ledger, act));
      if (set.isKnown) {
        if ("refused" in swept) throw new Error(swept.refused.message);
        return outcomes;
      }
      ledger.backTo(clean);
      await loadMissing(this.#client, set);
    }
    throw new Error(`A batch of ${acts.length} acts was not worked out in ${MAX_ROUNDS} rounds.`);
  }
}

/** Asks for what each act surely needs, so that most batches are known after the first round. */
function anticipate(ledger: BatchLedger, acts: readonly Act[]): void {
  sweep(ledger);
  for (const act of acts) {
    if (act.type === "alias") {
      ledger.alias(act.payload.alias);
      ledger.liveAliases(act.agent);
    }
    if (act.type !== "post") continue;
    const { id, author, payload, once } = act.arrival;
    if (once !== undefined) ledger.hasArrived(once);
    ledger.moderation.isBlocked("key", author);
    for (const { sha256 } of payload.attachments ?? []) ledger.moderation.isBlocked("blob", sha256);
    ledger.keyOf(author);
    ledger.repliesTo(id);
    ledger.threadFacts(id);
    for (const one of [id, ...(payload.refs ?? []).map((ref) => ref.id)]) {
      ledger.find(one);
      ledger.gone(one);
    }
  }
}

/** What one act half did is undone without touching its neighbours. */
function guarded(ledger: BatchLedger, act: Act): Outcome {
  const before = ledger.mark();
  try {
    const outcome = perform(ledger, act);
    if ("dryRun" in act && act.dryRun) ledger.backTo(before);
    return outcome;
  } catch (error) {
    ledger.backTo(before);
    return { refused: refusalOf(error) };
  }
}
