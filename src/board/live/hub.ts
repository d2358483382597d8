// The live readers: each new entry of the log is read once, matched once against each distinct filter, and sent to many.
import { setImmediate as nextTurn } from "node:timers/promises";
import { Refusal } from "../../core/errors.ts";
import { madeOnce } from "../../core/made-once.ts";
import { type Clock, every } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { atNobodysCost, costOfNow, nextSlice } from "../../ports/cpu-slices.ts";
import type { LogReads } from "../../ports/store.ts";
import { fanOut, type Reader } from "./fan-out.ts";
import type { LiveFilter } from "./filter.ts";
import { type LiveEvent, type LogEvent, type LogEventParts, dropStale } from "./log-event.ts";
import { logEvents } from "./read-log-events.ts";
import { groupMatches, type ReaderGroup, ReaderGroups, remember } from "./reader-groups.ts";
import type { MatchedMessages } from "./text-filter-matches.ts";

/** Some entries of the log, as they were read. */
interface ReadBatch {
  readonly events: readonly LogEvent[];
  readonly upTo: number;
  readonly entries: number;
  readonly current: boolean;
  /** The number of changes when its messages were last checked for being live. */
  readonly changes: number;
}

export interface HubParts extends LogEventParts {
  readonly store: LogEventParts["store"] & LogReads;
  readonly clock: Clock;
  readonly report: Telemetry;
  /** Whether a transaction of this process is running: its changes may be in the log already, but not yet visible to readers. */
  readonly writing: () => boolean;
}

/** Entries that are read before other work gets a turn. */
const ENTRIES_PER_BATCH = 128;
/** Fewer with text filters: matching text takes long, and everybody waits for it. */
const ENTRIES_PER_TEXT_BATCH = 8;
/** Writes of another process give no hint, so the log is also checked this often. */
const LOOK_MS = 500;
/** Filters are matched for this long before other work gets a turn. */
const ASK_MS = 8;
const NOTHING: readonly LiveEvent[] = [];

export class Hub {
  readonly #parts: HubParts;
  readonly #groups = new ReaderGroups();
  readonly #followers = new Set<() => void>();
  #waiting: { readonly seq: number; readonly resolve: (reached: boolean) => void }[] = [];
  #position: number;
  #upTo: number;
  #following = false;
  #closed = false;
  readonly #stopLooking: () => void;
  #readers = 0;
  #removals = 0;
  /** Counts everything that may have ended a message: new entries and removals. */
  #changes = 0;

  constructor(parts: HubParts, position: number) {
    this.#parts = parts;
    this.#position = this.#upTo = position;
    const { store, clock, report, writing } = parts;
    const look = async (): Promise<void> => {
      const { seq } = await store.head();
      // While a transaction is running, the hint after it is enough.
      if (!writing()) this.hint(seq);
    };
    this.#stopLooking = every(clock, LOOK_MS, () => {
      look().catch((error: unknown) => report.failed("stream", error));
    });
  }

  /**
   * Everything up to this entry was sent, or is being sent, to the readers that were attached then. A reader that attaches now gets
   * everything after it.
   */
  get position(): number {
    return this.#position;
  }
  /** The log has at least this seq. */
  get head(): number {
    return this.#upTo;
  }
  get readers(): number {
    return this.#readers;
  }

  /** The log has this seq now. */
  hint(seq: number): void {
    if (seq > this.#upTo) this.#changes++;
    this.#upTo = Math.max(this.#upTo, seq);
    // Not at the cost of the caller whose post moved the log: others would wait for its pauses.
    if (!this.#following && !this.#closed) void atNobodysCost(() => this.#follow());
  }

  /** The log ends here, before the position: what comes next has the numbers of entries that were lost. */
  goBack(seq: number): void {
    // What is being read is from before.
    this.forget();
    this.#groups.renumbered();
    this.#upTo = seq;
    this.#position = Math.min(this.#position, seq);
  }

  /** Something was removed: nothing that was read before may be sent after this. */
  forget(): void {
    this.#removals++;
    this.#changes++;
  }

  /** Resolves once the position has reached this seq; with false if the hub is closed. */
  caughtUp(seq: number): Promise<boolean> {
    if (this.#closed || this.#position >= seq) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }));
  }

  /** `known`: messages whose text the filter matches already. */
  attach(filter: LiveFilter, reader: Reader, known?: MatchedMessages): () => void {
    if (this.#closed) {
      reader.end(new Refusal("shutting_down"));
      return () => {};
    }
    const group = this.#groups.of(filter);
    if (known !== undefined) group.known.absorb(known);
    const { readers, payers } = group;
    readers.add(reader);
    const pay = filter.matchesText && costOfNow();
    if (pay !== undefined) payers.add(pay);
    this.#readers++;
    return () => {
      if (!readers.delete(reader)) return;
      if (pay !== undefined) payers.delete(pay);
      this.#readers--;
      if (readers.size === 0) this.#groups.drop(group);
    };
  }

  /** Ends every reader; nothing is sent after this. */
  close(): void {
    this.#closed = true;
    this.#stopLooking();
    for (const { readers } of this.#groups.all()) {
      for (const reader of readers) reader.end(new Refusal("shutting_down"));
    }
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }

  /** Calls back after every step, whatever the entries are. */
  onMove(moved: () => void): () => void {
    this.#followers.add(moved);
    return () => void this.#followers.delete(moved);
  }

  async #follow(): Promise<void> {
    this.#following = true;
    let most = ENTRIES_PER_BATCH;
    try {
      while (this.#position < this.#upTo && !this.#closed) {
        if (this.#groups.size === 0) {
          this.#moveTo(this.#upTo);
          break;
        }
        const batch = await this.#read(most);
        if (batch === undefined) break;
        if (!batch.current) {
          // Fewer entries each time, so that the hub makes progress however often a batch is outdated.
          most = Math.max(1, Math.floor(batch.entries / 2));
          await nextTurn();
          continue;
        }
        most = ENTRIES_PER_BATCH;
        await this.#broadcast(batch);
        if (this.#position < this.#upTo) await nextTurn();
      }
    } catch (error) {
      // The log is read again from the same position at the next hint or check.
      this.#parts.report.failed("stream", error);
    } finally {
      this.#following = false;
    }
  }

  /**
   * Reads the next entries. The batch is not current if something was removed meanwhile, or if a reader attached that needs more to be read.
   */
  async #read(most: number): Promise<ReadBatch | undefined> {
    const { store, clock } = this.#parts;
    const [removals, changes] = [this.#removals, this.#changes];
    const { votes, text } = this.#groups.needs();
    const limit = Math.min(most, text ? ENTRIES_PER_TEXT_BATCH : ENTRIES_PER_BATCH, this.#upTo - this.#position);
    const entries = await store.entries(this.#position, limit);
    const last = entries.at(-1);
    if (last === undefined) return undefined;
    const read = await logEvents(entries, this.#parts, clock.now(), votes);
    const looked = this.#changes;
    const events = await dropStale(read, store, clock.now(), changes !== looked);
    const needed = this.#groups.needs();
    const current = removals === this.#removals && (votes || !needed.votes) && (text || !needed.text);
    return { events, upTo: last.seq, entries: entries.length, current, changes: looked };
  }

  async #broadcast({ events, upTo, changes: before }: ReadBatch): Promise<void> {
    const { store, clock } = this.#parts;
    const { matched, paused } = await this.#concerned(events);
    const audiences = [...matched].map(([{ readers }, events]) => ({ events, readers, present: [...readers] }));
    // From here on, readers that attach get only later entries, and present readers get these, so that no entry is sent twice or lost.
    this.#moveTo(upTo);
    let [news, changes] = [events, before];
    const over = async (): Promise<ReadonlySet<number>> => {
      for (let removals = -1; removals !== this.#removals;) {
        removals = this.#removals;
        const moved = changes !== this.#changes;
        changes = this.#changes;
        news = await dropStale(news, store, clock.now(), moved);
      }
      const left = new Set(news);
      return new Set(events.flatMap((one) => (left.has(one) ? [] : [one.event.seq])));
    };
    await fanOut(audiences, over, paused);
  }

  /** Which readers get what, and whether other work ran meanwhile: text filters take long on a long text, acknowledgements name many. */
  async #concerned(
    events: readonly LogEvent[],
  ): Promise<{ readonly matched: ReadonlyMap<ReaderGroup, readonly LiveEvent[]>; readonly paused: boolean }> {
    const matched = new Map<ReaderGroup, readonly LiveEvent[]>();
    let paused = false;
    let began = performance.now();
    const pause = async (next: () => Promise<void>): Promise<void> => {
      paused = true;
      await next();
      began = performance.now();
    };
    // Readers that attach while others are matched are matched in the next round: all of it is new to them.
    for (let [from, upTo] = [0, this.#groups.arrivals]; from < upTo; [from, upTo] = [upTo, this.#groups.arrivals]) {
      for (const logEvent of events) {
        // Groups with the same events so far that also get this one go on sharing one list, so that its bytes are made once.
        const grown = new Map<readonly LiveEvent[], readonly LiveEvent[]>();
        let worded: LogEvent | undefined;
        for (const group of this.#groups.candidates(logEvent)) {
          if (group.arrived <= from || group.arrived > upTo) continue;
          const byText = group.filter.matchesText !== undefined;
          // The words of a message may take longer than a slice, so they begin one.
          if (byText && worded === undefined && logEvent.document !== undefined) await pause(nextTurn);
          else if ((byText || logEvent.named !== undefined) && performance.now() - began > ASK_MS) await pause(nextSlice);
          if (byText) worded ??= withWordsMadeOnce(logEvent);
          if (!groupMatches(group, worded ?? logEvent)) continue;
          remember(group.filter, group.known, logEvent);
          const earlier = matched.get(group) ?? NOTHING;
          let more = grown.get(earlier);
          if (more === undefined) grown.set(earlier, (more = [...earlier, logEvent.event]));
          matched.set(group, more);
        }
      }
    }
    return { matched, paused };
  }

  #moveTo(position: number): void {
    this.#position = position;
    for (const moved of this.#followers) moved();
    if (this.#waiting.length === 0) return;
    const reached = this.#waiting.filter(({ seq }) => seq <= position);
    this.#waiting = this.#waiting.filter(({ seq }) => seq > position);
    for (const { resolve } of reached) resolve(true);
  }
}

/** Made by the first filter that needs them, for all filters, and dropped with this: the words of a long message take a megabyte. */
const withWordsMadeOnce = (logEvent: LogEvent): LogEvent =>
  logEvent.document === undefined ? logEvent : { ...logEvent, document: madeOnce(logEvent.document) };
