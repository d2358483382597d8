// Keeps the index up to date with the log: gradually in the background, at once when a search needs it.
import { setTimeout } from "node:timers/promises";
import type { Payload } from "../../core/protocol/payload.ts";
import { documentOf, WordCaches } from "../../core/search/document.ts";
import { type SearchSource, type SourceMessage, SearchUnavailable } from "../../ports/search.ts";
import type { LocalIndex } from "./local-index.ts";
import { type Pace, pace } from "./pace.ts";

const BATCH_ENTRIES = 500;
const BATCH_MESSAGES = 200;
/** If the index is further behind than this, a search is refused with `Retry-After` instead of waiting for seconds. */
const FAR_ENTRIES = 20_000;
/** A small index is built while the first searches wait. */
const BUILD_WAIT_MS = 5000;
const BUILD_LOOK_MS = 10;

export class Follower {
  readonly #index: LocalIndex;
  readonly #source: SearchSource;
  readonly #words = new WordCaches();
  #advancing: Promise<void> | undefined;
  /** Searches that wait for the index to catch up. */
  #waiting = 0;

  constructor(index: LocalIndex, source: SearchSource) {
    this.#index = index;
    this.#source = source;
  }

  /** Whether the log is the one that the index has followed. If not, everything is deleted and rebuilt. */
  async recognise(): Promise<boolean> {
    const { seq, hash } = this.#index.progress;
    if (hash === "" || (await this.#source.hashAt(seq)) === hash) return true;
    this.#index.clear();
    return false;
  }

  /** Indexes all existing messages if the index has to be rebuilt; continues after an interruption. */
  async build(flush: () => Promise<void>, steps: Pace): Promise<void> {
    const index = this.#index;
    if (index.progress.building === undefined) return;
    if (index.progress.hash === "") {
      const seq = await this.#source.head();
      index.reached({ seq, hash: (await this.#source.hashAt(seq)) ?? "", building: 0 });
    }
    const { seq, hash } = index.progress;
    const { generation } = index;
    for (let after = index.progress.building; ;) {
      const messages = await this.#source.messages(after, seq, BATCH_MESSAGES);
      if (!(await this.#take(messages, generation, steps))) return;
      after = messages.at(-1)?.seq ?? seq;
      index.reached(messages.length === 0 ? { seq, hash } : { seq, hash, building: after });
      if (messages.length === 0) return flush();
      if (index.full) await flush();
    }
  }

  /** Resolves when everything up to this entry is in the index. */
  async upTo(seq: number): Promise<void> {
    const index = this.#index;
    for (const start = performance.now(); index.progress.building !== undefined; await setTimeout(BUILD_LOOK_MS)) {
      const long = (await this.#source.head()) - index.progress.building > FAR_ENTRIES || performance.now() - start > BUILD_WAIT_MS;
      if (long) throw new SearchUnavailable("The search index is being built.");
    }
    this.#waiting++;
    try {
      while (index.progress.seq < seq) {
        const { seq: before } = index.progress;
        if (seq - before > FAR_ENTRIES) throw new SearchUnavailable("The search index is catching up.");
        await this.advance();
        if (index.progress.seq === before) throw new SearchUnavailable("The search index does not reach the end of the log.");
      }
    } finally {
      this.#waiting--;
    }
  }

  /** Indexes the next entries of the log; during a flood of posts only half of the time, unless a search waits. */
  advance(flooded = false): Promise<void> {
    const steps = pace(() => (flooded && this.#waiting === 0 ? 1 : 0));
    return (this.#advancing ??= this.#advance(steps).finally(() => {
      this.#advancing = undefined;
    }));
  }

  /** The number of entries that the index has not seen. */
  async behind(): Promise<number> {
    return (await this.#source.head()) - this.#index.progress.seq;
  }

  async #advance(steps: Pace): Promise<void> {
    const { progress, generation } = this.#index;
    const after = progress.seq;
    const last = Math.min(await this.#source.head(), after + BATCH_ENTRIES);
    if (last <= after) return;
    const { ended, arrived, upTo: seq = last } = await this.#source.changes(after, last);
    const hash = (await this.#source.hashAt(seq)) ?? "";
    for (const departure of ended) this.#index.forget(departure.seq, departure.erase);
    if (await this.#take(arrived, generation, steps)) this.#index.reached({ seq, hash });
  }

  /** Adds messages to the index. Returns false if the index was cleared since the messages were read. */
  async #take(messages: readonly SourceMessage[], generation: number, steps: Pace): Promise<boolean> {
    for (const { seq, payload } of messages) {
      const document = documentOf(JSON.parse(payload) as Payload, this.#words);
      await steps.step();
      if (this.#index.generation !== generation) return false;
      this.#index.add(seq, document);
    }
    return this.#index.generation === generation;
  }
}
