// What readers of the past hear: read once for all who stand at the same place, one piece at a time, and never held for those who wait.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogReads, MessageReads } from "../../ports/store.ts";
import type { LiveFilter } from "./filter.ts";
import type { Hub } from "./hub.ts";
import { type LiveEvent, type LogEvent, type OccurrenceParts, occurrences, readWords, dropStale } from "./log-event.ts";

export interface PastParts {
  readonly store: MessageReads & LogReads;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly occurrence: OccurrenceParts;
}

/** What comes next for a reader, as much as is sent in one go. The same piece goes to many, so that its bytes are made once. */
export interface Piece {
  readonly events: readonly LiveEvent[];
  /** The last entry it covers. */
  readonly upTo: number;
  /** What a filter by text has to remember; nothing where it is by other things. */
  readonly matched: readonly LogEvent[];
}

/** Entries that are read in one go, at most: few where messages are large, since all of them are in memory at once. */
const STEP = 32;
const FIRST_STEP = 4;
/** What is sent in one go, unless a single message is larger. */
const PIECE_CHARS = 64 * 1024;
/** Readers who come together do not go on in step: whoever is a little behind finds what the others were told, for a moment. */
const KEPT_CHARS = 4 * 1024 * 1024;
const KEPT_MS = 500;

export class Backlog {
  readonly #parts: PastParts;
  /** Pieces of the present state of the log, by place and filter. */
  readonly #kept = new BoundedCache<string, Piece>(KEPT_CHARS, ({ events }) => charsOf(events));
  readonly #underWay = new Map<string, Promise<Piece>>();
  /** One piece is read at a time, so that memory does not grow with readers; looking for words takes long and holds up only its like. */
  readonly #lines: Record<"plain" | "text", Promise<unknown>> = { plain: Promise.resolve(), text: Promise.resolve() };
  #state = "";
  #step = FIRST_STEP;
  #removals = 0;
  /** Whether those kept are about to be let go. */
  #leaving = false;

  constructor(parts: PastParts) {
    this.#parts = parts;
  }

  /** What follows this entry, which the hub has passed. Never older than the log as it was when it was asked for. */
  after(from: number, filter: LiveFilter): Promise<Piece> {
    const state = this.#stateNow();
    if (state !== this.#state) this.#kept.clear();
    this.#state = state;
    const place = `${from} ${filter.key}`;
    const kept = this.#kept.get(place);
    if (kept !== undefined) return Promise.resolve(kept);
    const key = `${state} ${place}`;
    let piece = this.#underWay.get(key);
    if (piece === undefined) {
      piece = this.#inLine(filter.matchesText === undefined ? "plain" : "text", async () => {
        try {
          const read = await this.#read(from, filter);
          if (state === this.#state && state === this.#stateNow()) this.#keep(place, read);
          return read;
        } finally {
          this.#underWay.delete(key);
        }
      });
      this.#underWay.set(key, piece);
    }
    return piece;
  }

  /** Something was removed: nothing that was read before is told after this. */
  forget(): void {
    this.#removals++;
    this.#kept.clear();
  }

  /** What was read in one state is as good as read anew in the same. */
  #stateNow(): string {
    return `${this.#parts.hub.heard} ${this.#removals}`;
  }

  /** Records say how many seconds are left, and some end: pieces do not outlive the moment. */
  #keep(place: string, piece: Piece): void {
    const { clock } = this.#parts;
    this.#kept.set(place, piece);
    if (this.#leaving) return;
    this.#leaving = true;
    clock.at(clock.now() + KEPT_MS, () => {
      this.#leaving = false;
      this.#kept.clear();
    });
  }

  #inLine<Of>(line: "plain" | "text", work: () => Promise<Of>): Promise<Of> {
    const done = this.#lines[line].then(work);
    const over = (): void => {};
    this.#lines[line] = done.then(over, over);
    return done;
  }

  async #read(from: number, filter: LiveFilter): Promise<Piece> {
    for (;;) {
      const removals = this.#removals;
      const piece = await this.#readOnce(from, filter);
      if (removals === this.#removals) return piece;
    }
  }

  async #readOnce(from: number, filter: LiveFilter): Promise<Piece> {
    const { store, clock, hub, occurrence } = this.#parts;
    // Never further than the hub, which knows how far what readers see is settled.
    const { heard: end } = hub;
    const entries = await store.entries(from, Math.min(this.#step, hub.position - from));
    const heard = await occurrences(entries, occurrence, clock.now(), filter.usesVotes);
    if (filter.matchesText !== undefined) await readWords(heard);
    // Whose words and labels are gone by now may have matched then: its end is told rather than lost, and answers no question about them.
    const news = await dropStale(heard, store, clock.now(), hub.heard !== end);
    const concerning = news.filter((one) => filter.mayConcern(one));
    const fitting = concerning.slice(0, fittingPiece(concerning));
    const events = fitting.map(({ event }) => event);
    const all = fitting.length === concerning.length;
    this.#step = all ? Math.min(STEP, this.#step * 2) : Math.max(1, fitting.length);
    const upTo = (all ? entries : events).at(-1)?.seq ?? hub.position;
    return { events, upTo, matched: filter.matchesText === undefined ? [] : fitting };
  }
}

const charsOf = (events: readonly LiveEvent[]): number => events.reduce((sum, { json }) => sum + json.length, 1);

/** How many of the first ones make a piece; one at least. */
function fittingPiece(heard: readonly LogEvent[]): number {
  let chars = 0;
  const end = heard.findIndex(({ event }) => (chars += event.json.length) > PIECE_CHARS);
  return end === -1 ? heard.length : Math.max(1, end);
}
