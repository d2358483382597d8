// Replays for readers of the past. Chunks are read one at a time, each once for all readers at the same position, and none is kept for slow
// readers.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { Clock } from "../../ports/clock.ts";
import { forOthersToo, sliced } from "../../ports/cpu-slices.ts";
import type { LogReads, MessageReads } from "../../ports/store.ts";
import { type KnownTexts, type LiveFilter, NO_TEXTS } from "./filter.ts";
import type { Hub } from "./hub.ts";
import { type LiveEvent, type LogEvent, type LogEventParts, dropStale } from "./log-event.ts";
import { logEvents } from "./read-log-events.ts";
import type { MatchedMessages } from "./text-filter-matches.ts";

export interface BacklogParts {
  readonly store: MessageReads & LogReads;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly eventParts: LogEventParts;
}

/** The next chunk for a reader, as much as is sent at once. The same chunk goes to many readers, so that its bytes are made once. */
export interface Chunk {
  readonly events: readonly LiveEvent[];
  /** The last entry it covers. */
  readonly upTo: number;
  /** Messages that a text filter has to remember; undefined for other filters. */
  readonly matched: readonly LogEvent[];
}

/** Maximum of entries read at once: few if messages are large, since all of them are in memory together. */
const MAX_ENTRIES = 32;
const FIRST_ENTRIES = 4;
/** The size of a chunk, unless a single message is larger. */
const CHUNK_CHARS = 64 * 1024;
/** Readers who connect together drift apart: for a moment, a reader slightly behind still finds the chunk of the others. */
const CACHED_CHARS = 4 * 1024 * 1024;
const CACHED_MS = 500;

export class Backlog {
  readonly #parts: BacklogParts;
  /** Chunks of the present state of the log, by position and filter. */
  readonly #cache = new BoundedCache<string, Chunk>(CACHED_CHARS, ({ events }) => charsOf(events));
  readonly #underWay = new Map<string, Promise<Chunk>>();
  /**
   * One chunk is read at a time, so that memory does not grow with readers. Text filters have a separate queue: matching text takes long,
   * and must delay only other text filters.
   */
  readonly #lines: Record<"plain" | "text", Promise<unknown>> = { plain: Promise.resolve(), text: Promise.resolve() };
  #state = "";
  #entriesPerRead = FIRST_ENTRIES;
  #removals = 0;
  /** Whether the cached chunks are about to be dropped. */
  #leaving = false;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
  }

  /**
   * The chunk after this entry, which the hub has passed. It is never older than the log at the time of the call. `known`: messages before
   * the chunk that a text filter matches; they are the same for all its readers.
   */
  after(from: number, filter: LiveFilter, known?: MatchedMessages): Promise<Chunk> {
    const state = this.#stateNow();
    if (state !== this.#state) this.#cache.clear();
    this.#state = state;
    const place = `${from} ${filter.key}`;
    const cached = this.#cache.get(place);
    if (cached !== undefined) return Promise.resolve(cached);
    const key = `${state} ${place}`;
    let chunk = this.#underWay.get(key);
    if (chunk === undefined) {
      chunk = this.#inLine(filter.matchesText === undefined ? "plain" : "text", async () => {
        try {
          const read = await forOthersToo(() => this.#read(from, filter, known));
          if (state === this.#state && state === this.#stateNow()) this.#keep(place, read);
          return read;
        } finally {
          this.#underWay.delete(key);
        }
      });
      this.#underWay.set(key, chunk);
    }
    return chunk;
  }

  /** Something was removed: nothing that was read before may be sent after this. */
  forget(): void {
    this.#removals++;
    this.#cache.clear();
  }

  /** A cached chunk is valid as long as the state of the log is the same. */
  #stateNow(): string {
    return `${this.#parts.hub.head} ${this.#removals}`;
  }

  /** Records contain the seconds left, and some messages end: chunks are cached for a moment only. */
  #keep(place: string, chunk: Chunk): void {
    const { clock } = this.#parts;
    this.#cache.set(place, chunk);
    if (this.#leaving) return;
    this.#leaving = true;
    clock.at(clock.now() + CACHED_MS, () => {
      this.#leaving = false;
      this.#cache.clear();
    });
  }

  #inLine<Of>(line: "plain" | "text", work: () => Promise<Of>): Promise<Of> {
    const done = this.#lines[line].then(work);
    const over = (): void => {};
    this.#lines[line] = done.then(over, over);
    return done;
  }

  async #read(from: number, filter: LiveFilter, known: MatchedMessages | undefined): Promise<Chunk> {
    for (;;) {
      const removals = this.#removals;
      const chunk = await this.#readOnce(from, filter, known);
      if (removals === this.#removals) return chunk;
    }
  }

  async #readOnce(from: number, filter: LiveFilter, known: MatchedMessages | undefined): Promise<Chunk> {
    const { store, clock, hub, eventParts } = this.#parts;
    // Never further than the hub, which knows up to where the log is settled.
    const { head: end } = hub;
    const entries = await store.entries(from, Math.min(this.#entriesPerRead, hub.position - from));
    const read = await logEvents(entries, eventParts, clock.now(), filter.usesVotes);
    // The erased text and labels of an ended message may have matched the filter: its end is sent rather than lost, without revealing
    // whether they did.
    const matched =
      filter.matchesText === undefined ? read.filter((one) => filter.mayConcern(one, NO_TEXTS)) : await byText(read, filter, known);
    const concerning = await dropStale(matched, store, clock.now(), hub.head !== end);
    const fitting = concerning.slice(0, fittingChunk(concerning));
    const events = fitting.map(({ event }) => event);
    const all = fitting.length === concerning.length;
    this.#entriesPerRead = all ? Math.min(MAX_ENTRIES, this.#entriesPerRead * 2) : Math.max(1, fitting.length);
    const upTo = (all ? entries : events).at(-1)?.seq ?? hub.position;
    return { events, upTo, matched: filter.matchesText === undefined ? [] : fitting };
  }
}

/** Matched in slices, one message at a time, and paid for by the reader. What matched here counts for the acknowledgements after it. */
async function byText(events: readonly LogEvent[], filter: LiveFilter, known: MatchedMessages | undefined): Promise<readonly LogEvent[]> {
  const here = new Set<number>();
  const verdicts = new Map<number, boolean>();
  const texts: KnownTexts = {
    knew: (message) => here.has(message) || known?.has(message) === true,
    matches(message, look) {
      const verdict = verdicts.get(message) ?? look();
      verdicts.set(message, verdict);
      return verdict;
    },
  };
  const concerning: LogEvent[] = [];
  await sliced(events, (one) => {
    if (!filter.mayConcern(one, texts)) return;
    concerning.push(one);
    here.add(one.message);
  });
  return concerning;
}

const charsOf = (events: readonly LiveEvent[]): number => events.reduce((sum, { json }) => sum + json.length, 1);

/** How many of the first events make a chunk; at least one. */
function fittingChunk(events: readonly LogEvent[]): number {
  let chars = 0;
  const end = events.findIndex(({ event }) => (chars += event.json.length) > CHUNK_CHARS);
  return end === -1 ? events.length : Math.max(1, end);
}
