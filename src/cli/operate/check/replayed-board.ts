// A second board, replayed from the log alone, to compare the first board with.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { BatchLedger } from "../../../adapters/sql/batch/in-memory-ledger.ts";
import { newAgent } from "../../../adapters/sql/batch/keys.ts";
import { Fetcher } from "../../../adapters/sqlite/load-batch-rows.ts";
import { type Holdings, openHoldings } from "../../../adapters/sqlite/non-message-rows.ts";
import { Flush } from "../../../adapters/sqlite/write-batch-rows.ts";
import { databasePath, openDatabase } from "../../../adapters/sqlite/open.ts";
import { openSqliteStore } from "../../../adapters/sqlite/store.ts";
import { GENESIS } from "../../../core/log/chain.ts";
import { endLeases } from "../../../core/message/sweep.ts";
import { replay, type ReplayedEntry } from "../../../core/message/replay.ts";
import type { EntryType } from "../../../core/log/entry-type.ts";
import { withItem } from "../../../core/message/inbox-items.ts";
import type { StoredInboxChange, InboxChange } from "../../../core/message/inbox-types.ts";
import type { MessageState, Tombstone } from "../../../core/message/message-state.ts";
import type { Store } from "../../../ports/store.ts";

/** The log exists already, so entries that the rules append are dropped, and a message has the seq of its entry. */
class ReplayLedger extends BatchLedger {
  seq = 0;
  override log(): number {
    return this.seq;
  }
  protected override get newest(): number {
    return this.seq;
  }
}

/** A status that the rules gave a message, and the entry that caused it. */
export interface ReplayedStatus {
  readonly seq: number;
  readonly at: number;
  readonly detail: string;
}

/** A change that the rules report to an agent; `nth` is the position of the status among all statuses of that message. */
export type ReplayedChange = StoredInboxChange & { readonly nth: number };

/** The history of live messages according to the rules: their statuses by id, and the agents' inbox items by seq. */
export class Courses {
  readonly statuses = new Map<string, ReplayedStatus[]>();
  readonly inboxChanges = new Map<number, readonly ReplayedChange[]>();
}

/** Collects inbox items. Their seq is added later: a replay does not know the seqs of the entries of new statuses. */
class CollectingLedger extends ReplayLedger {
  readonly #courses: Courses;
  #nth = 0;
  constructor(courses: Courses) {
    super();
    this.#courses = courses;
  }

  override log(type?: EntryType, id = "", detail: string | null = null): number {
    if (type === "status") this.#nth = added(this.#courses.statuses, id, { seq: this.seq, at: this.now, detail: detail ?? "" });
    return super.log();
  }
  override inboxItems(target: number): readonly InboxChange[] {
    return this.#courses.inboxChanges.get(target) ?? [];
  }
  override addInboxChange(change: InboxChange, at: number = this.now): void {
    const { inboxChanges } = this.#courses;
    const { target } = change;
    inboxChanges.set(target, withItem(inboxChanges.get(target) ?? [], { ...change, at, nth: this.#nth }));
  }
  override erase(state: MessageState, tombstone: Tombstone): void {
    super.erase(state, tombstone);
    this.#courses.statuses.delete(state.id);
    this.#courses.inboxChanges.delete(state.seq);
  }
}

/** Its position among the changes with the same key. */
function added<Key, One>(all: Map<Key, One[]>, key: Key, one: One): number {
  const others = all.get(key) ?? [];
  all.set(key, others);
  return others.push(one) - 1;
}

export class ReplayedBoard {
  readonly #dir = mkdtempSync(join(tmpdir(), "blackboard-check-"));
  readonly #db: DatabaseSync;
  readonly #fetcher: Fetcher;
  readonly #flush: Flush;
  readonly courses = new Courses();

  constructor() {
    this.#db = openDatabase(databasePath(this.#dir), "write");
    this.#db.exec("PRAGMA synchronous = OFF");
    this.#fetcher = new Fetcher(this.#db);
    this.#flush = new Flush(this.#db);
  }

  /** Adds an agent whose first act can no longer be replayed. */
  addAgent(agent: string, firstSeen: number): void {
    this.#batch(
      0,
      () => new ReplayLedger(),
      ({ set }) => set.agents.set(agent, newAgent("", firstSeen)),
    );
  }

  /** Applies all of them or none. */
  play(history: readonly ReplayedEntry[], onFault: (replayed: ReplayedEntry, error: Error) => void): void {
    const [first] = history;
    if (first === undefined) return;
    this.#batch(
      first.entry.seq - 1,
      () => new CollectingLedger(this.courses),
      (ledger) => {
        for (const replayed of history) {
          ledger.seq = replayed.entry.seq;
          ledger.set.now = replayed.entry.at;
          const before = ledger.mark();
          try {
            replay(ledger, replayed);
          } catch (error) {
            ledger.backTo(before);
            onFault(replayed, error as Error);
          }
        }
      },
    );
  }

  /** A lease may end without an entry, by time or by its holder. If the board has ended it, it is ended here too. */
  endLeases(endedThere: (target: MessageState) => boolean): void {
    // It is unknown when they ended, and so whose inbox has it.
    this.#batch(
      Number.MAX_SAFE_INTEGER,
      () => new ReplayLedger(),
      (ledger) => {
        // All leases, whenever they end.
        ledger.set.now = Number.MAX_SAFE_INTEGER;
        endLeases(ledger, (target) => !endedThere(target), Number.MAX_SAFE_INTEGER);
      },
    );
  }

  /** `start`: entries with a later seq are not applied yet. */
  #batch(start: number, open: () => ReplayLedger, work: (ledger: ReplayLedger) => void): void {
    this.#db.exec("BEGIN");
    for (let more = true, next = work; more; next = () => {}) {
      const ledger = open();
      ledger.set.start = { seq: start, hash: GENESIS };
      this.#fetcher.serve(ledger.set);
      next(ledger);
      // Withdrawn messages end at once.
      more = ledger.goOnWithdrawing();
      ledger.finishAdopting();
      this.#flush.write(ledger);
      this.#fetcher.learn(ledger.set);
    }
    this.#db.exec("COMMIT");
  }

  /** Call this after `read`. */
  holdings(): Holdings {
    return openHoldings(databasePath(this.#dir));
  }

  /** Nothing can be replayed after this. */
  async read(): Promise<Store> {
    this.#db.close();
    return openSqliteStore(this.#dir, () => {}, "operator");
  }

  remove(): void {
    if (this.#db.isOpen) this.#db.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
