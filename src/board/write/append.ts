// Group commit: all acts that arrive during one transaction go into the next one.
import { Refusal } from "../../core/errors.ts";
import {
  type Act,
  arrivalsOf,
  isDryRun,
  isRefused,
  type Outcome,
  type OutcomeOf,
  type RefusedOutcome,
} from "../../core/message/acts-and-outcomes.ts";
import type { Clock } from "../../ports/clock.ts";
import { wroteForCaller } from "../../ports/cpu-slices.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type Appended, StoreFailure, type Writer } from "../../ports/store.ts";

const MAX_QUEUE = 4096;
/** Posts in one transaction. */
const MAX_BATCH = 128;
/** How many bytes all waiting posts may take in memory. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;

const charsOf = (act: Act): number =>
  arrivalsOf(act).reduce(
    (all, { blobs, raw }) => Object.values(blobs).reduce((sum, text) => sum + text.length, all + raw.payload.length),
    0,
  );

interface Waiting {
  readonly act: Act;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

type Hint = (appended: Pick<Appended, "head" | "nextDue">) => void;

/** Resolves with the outcome of one act when that is durable. */
export type Append = <One extends Act>(act: One) => Promise<OutcomeOf<One>>;

/** Thrown if an act is refused inside the transaction. */
export function thrownOf({ refused: { code, message, hint, status, details } }: RefusedOutcome): Error {
  if (code === "internal") return new Error(message);
  return new Refusal(code, message, details === undefined ? { hint, status } : { hint, status, details });
}

export class Appender {
  readonly #store: Pick<Writer, "append">;
  readonly #clock: Clock;
  readonly #report: Telemetry;
  readonly #queue: Waiting[] = [];
  readonly #hints: Hint[] = [];
  #running = false;
  #waitingChars = 0;

  constructor(store: Pick<Writer, "append">, clock: Clock, report: Telemetry) {
    this.#store = store;
    this.#clock = clock;
    this.#report = report;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether a transaction is under way. */
  get writing(): boolean {
    return this.#running;
  }

  /** `hint` is called when the log may have new entries; it reads them from the log itself. */
  onAppend(hint: Hint): void {
    this.#hints.push(hint);
  }

  append = async <One extends Act>(act: One): Promise<OutcomeOf<One>> => {
    const chars = charsOf(act);
    if (this.#queue.length >= MAX_QUEUE || this.#waitingChars + chars > MAX_WAITING_CHARS)
      throw new Refusal("overloaded", `${this.#queue.length} posts are waiting to be written.`);
    this.#waitingChars += chars;
    const outcome = await new Promise<Outcome<One>>((resolve, reject) => {
      // The queue holds acts of every type, and each is answered with its own outcome.
      this.#queue.push({ act, resolve: (given) => resolve(given as Outcome<One>), reject });
      if (!this.#running) this.#begin();
    });
    if (isRefused(outcome)) throw thrownOf(outcome);
    if (!isDryRun(act)) wroteForCaller();
    return outcome;
  };

  /** Other work of the one writer, outside any transaction; acts that arrive meanwhile wait. */
  async alone(work: () => Promise<void>): Promise<void> {
    if (this.#running) throw new Error("A transaction is under way.");
    this.#running = true;
    try {
      await work();
    } finally {
      void this.#run();
    }
  }

  /** Waits a moment, so that posts whose signatures were checked together go into one transaction. */
  #begin(): void {
    this.#running = true;
    queueMicrotask(() => void this.#run());
  }

  /** The acts of the next transaction. A dry run counts with all its posts, because it takes as long. */
  #nextBatch(): Waiting[] {
    let [acts, posts] = [0, 0];
    for (const { act } of this.#queue) {
      posts += Math.max(1, arrivalsOf(act).length);
      if (acts > 0 && posts > MAX_BATCH) break;
      acts++;
    }
    return this.#queue.splice(0, acts);
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      for (const { act } of batch) this.#waitingChars -= charsOf(act);
      try {
        const appended = await this.#store.append(
          batch.map((one) => one.act),
          this.#clock.now(),
        );
        for (const [i, one] of batch.entries()) one.resolve(appended.outcomes[i]!);
        this.#report.appended(batch.length);
        for (const hint of this.#hints) hint(appended);
      } catch (error) {
        const refusal = error instanceof StoreFailure ? new Refusal(error.code) : error;
        this.#report.failed("append", error);
        for (const one of batch) one.reject(refusal);
      }
    }
    this.#running = false;
  }
}
