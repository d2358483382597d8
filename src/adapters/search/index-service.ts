// The index at work: answers searches, follows the log in the background and maintains the files.
import { setTimeout } from "node:timers/promises";
import { clauseSteps, takesLong } from "../../core/search/index/clause.ts";
import { matching } from "../../core/search/index/matching.ts";
import { termStats } from "../../core/search/index/lexical-nearest-texts.ts";
import { alike } from "../../core/search/index/hybrid-nearest-texts.ts";
import { rank } from "../../core/search/index/rank.ts";
import { ScratchBuffers } from "../../core/search/index/scratch-buffers.ts";
import { SeqSet } from "../../core/search/index/seq-set.ts";
import { type Clause, clauseText, type Query } from "../../core/search/query.ts";
import { prepareNear } from "../../core/search/similarity.ts";
import { slice } from "../../ports/cpu-slices.ts";
import { type SearchIndex, type SearchSource, SearchUnavailable } from "../../ports/search.ts";
import { Follower } from "./follower.ts";
import type { LocalIndex } from "./local-index.ts";
import { type Pace, pace } from "./pace.ts";
import { Corrupt } from "./segment-format.ts";

/** How often the log is checked; entries are indexed in batches, so that indexing does not slow down a flood of posts. */
const FOLLOW_MS = 250;
const TIDY_MS = 1000;
/** Unsaved progress is written to disk after this long, so that little is lost in a crash. */
const SAVE_MS = 60_000;
const RETRY_MS = 5000;
/** When it is this far behind, the index continues without waiting for the next check. */
const LAGGING_ENTRIES = 2000;
/** This many entries a second are a flood: while it lasts, posts get the processor, unless somebody has searched recently. */
const FLOOD_PER_S = 400;
const UNASKED_MS = 5000;
/** The most entries that may wait during a flood, so that a search after it waits about a second at most. */
const PATIENT_ENTRIES = 8000;
/** When it is this far behind, the index no longer rests during a flood: still further behind, searches would be refused. */
const HURRIED_ENTRIES = 2 * PATIENT_ENTRIES;
/** How often a search looks up what has arrived while it looked up its phrases. The rest is looked up in one turn; it is little. */
const ROUNDS = 3;

export class SearchNode implements SearchIndex {
  readonly #index: LocalIndex;
  readonly #source: SearchSource;
  readonly #follower: Follower;
  readonly #onTrouble: (error: unknown) => void;
  readonly #stop = new AbortController();
  /** Used by one search at a time: a search waits for nothing while it runs. */
  readonly #buffers = new ScratchBuffers();
  #work: Promise<unknown> = Promise.resolve();
  /** Phrases and prefixes that are being looked up: who has the same one waits, and finds it cached. */
  readonly #lookups = new Map<string, Promise<void>>();
  #flushing: Promise<void> | undefined;
  #savedAt = performance.now();
  #askedAt = -Infinity;
  /** The end of the log at the last check, and when that was. */
  #seen = { head: 0, at: performance.now() };

  constructor(index: LocalIndex, source: SearchSource, onTrouble: (error: unknown) => void) {
    this.#index = index;
    this.#source = source;
    this.#follower = new Follower(index, source);
    this.#onTrouble = onTrouble;
  }

  start(): void {
    this.#work = Promise.all([
      this.#repeat(FOLLOW_MS, () => this.#follow()),
      this.#repeat(TIDY_MS, () => this.#tidy()),
      this.#once(() => this.#index.verify(pace(3, this.#stop.signal))),
    ]);
  }

  rank: SearchIndex["rank"] = async (query, { upTo, limit, after, only, stats }) => {
    await this.#upTo(upTo);
    await this.#prepare(query);
    return this.#sound(() => rank(this.#index.parts(), query, { limit, after, only: setOf(only), stats }));
  };

  matching: SearchIndex["matching"] = async (query, { only, upTo, ...options }) => {
    await this.#upTo(upTo);
    await this.#prepare(query);
    return this.#sound(() => matching(this.#index.parts(), query, { ...options, only: setOf(only) }, this.#buffers));
  };

  near: SearchIndex["near"] = async (document, upTo) => {
    await this.#upTo(upTo);
    return this.#sound(() => {
      const meaning = this.#index.asked(document.said);
      return { ...prepareNear(document, termStats(this.#index.parts())), ...(meaning === undefined ? {} : { meaning }) };
    });
  };

  similar: SearchIndex["similar"] = async (near, options) => {
    await this.#upTo(options.upTo);
    const { limit, after, threshold, only } = options;
    return this.#sound(() => alike(this.#index.parts(), near, { limit, after, threshold, only: setOf(only) }, this.#buffers));
  };

  status: SearchIndex["status"] = async () => ({ ...this.#index.status(), behind: await this.#follower.behind() });

  async close(): Promise<void> {
    this.#stop.abort(new SearchUnavailable("The search index is being closed."));
    await this.#work;
    await this.#flushing?.catch(this.#onTrouble);
    if (this.#index.unsaved) await this.#index.flush(pace(0)).catch(this.#onTrouble);
    this.#index.close();
    await this.#source.close();
  }

  #upTo(seq: number): Promise<void> {
    this.#askedAt = performance.now();
    return this.#follower.upTo(seq);
  }

  /**
   * Looks up the phrases and prefixes of a query while other searches run in between: those of common words take long. Each slice is
   * charged to the caller, and none follows if it cannot pay. Messages that arrive meanwhile are left for the next round.
   */
  async #prepare({ clauses, not }: Query): Promise<void> {
    const long = new Set([...clauses, ...not].filter(takesLong));
    const steps = pace(0, this.#stop.signal);
    for (let round = 0, rested = long.size > 0; rested && round < ROUNDS; round++) {
      rested = false;
      for (const clause of long) if (await this.#lookUp(clause, steps)) rested = true;
    }
  }

  /** Returns whether other work ran in between. */
  async #lookUp(clause: Clause, steps: Pace): Promise<boolean> {
    const text = clauseText(clause);
    let rested = false;
    for (let other = this.#lookups.get(text); other !== undefined; other = this.#lookups.get(text)) {
      await other;
      rested = true;
    }
    const over = Promise.withResolvers<void>();
    this.#lookups.set(text, over.promise);
    try {
      for (const part of this.#index.parts()) {
        const search = clauseSteps(part, clause);
        while (slice(() => goesOn(search))) {
          const rest = steps.step();
          if (rest === undefined) continue;
          await rest;
          rested = true;
        }
      }
    } finally {
      this.#lookups.delete(text);
      over.resolve();
    }
    return rested;
  }

  /** One round of following the log. */
  async #follow(): Promise<void> {
    await this.#follower.recognise();
    await this.#follower.build(() => this.#flush(), pace(0, this.#stop.signal));
    for (;;) {
      const start = performance.now();
      const { behind, flooded } = await this.#look();
      if (flooded && behind < PATIENT_ENTRIES && start - this.#askedAt > UNASKED_MS) return;
      await this.#follower.advance(flooded);
      if (this.#index.full || (this.#index.unsaved && performance.now() - this.#savedAt > SAVE_MS))
        void this.#flush().catch(this.#onTrouble);
      if (this.#stop.signal.aborted || (await this.#follower.behind()) < LAGGING_ENTRIES) return;
      if (flooded && behind < HURRIED_ENTRIES) await this.#rest(performance.now() - start);
    }
  }

  /** How far behind the index is, and whether many posts have arrived since the last look. */
  async #look(): Promise<{ readonly behind: number; readonly flooded: boolean }> {
    const [head, at] = [await this.#source.head(), performance.now()];
    const seconds = (at - this.#seen.at) / 1000;
    const flooded = head - this.#seen.head > FLOOD_PER_S * seconds;
    this.#seen = { head, at };
    return { behind: head - this.#index.progress.seq, flooded };
  }

  async #tidy(): Promise<void> {
    while (await this.#index.tidy(pace(1, this.#stop.signal))) this.#stop.signal.throwIfAborted();
  }

  #flush(): Promise<void> {
    return (this.#flushing ??= this.#index.flush(pace(0)).finally(() => {
      this.#savedAt = performance.now();
      this.#flushing = undefined;
    }));
  }

  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#stop.signal.aborted) await this.#rest((await this.#once(work)) ? everyMs : RETRY_MS);
  }

  /** Returns whether it succeeded. A damaged index is deleted; the next round rebuilds it. */
  async #once(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      this.#onTrouble(error);
      if (error instanceof Corrupt) this.#index.clear();
      return false;
    }
  }

  async #rest(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }

  #sound<T>(search: () => T): T {
    try {
      return slice(search);
    } catch (error) {
      if (!(error instanceof Corrupt)) throw error;
      this.#onTrouble(error);
      this.#index.clear();
      throw new SearchUnavailable("The search index was damaged and is being rebuilt.", { cause: error });
    }
  }
}

/** A file may have been merged into another meanwhile, or be damaged: the next round or the search itself finds out. */
function goesOn(search: Iterator<void>): boolean {
  try {
    return search.next().done !== true;
  } catch {
    return false;
  }
}

const setOf = (only: Uint32Array | undefined): SeqSet | undefined => (only === undefined ? undefined : new SeqSet(only));
