// The crowd of live readers: each new entry of the log is read once, held against each distinct filter once, and told to many.
import { Refusal } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Report } from "../../ports/report.ts";
import type { LiveFilter } from "./filter.ts";
import { type LiveEvent, type Occurrence, type OccurrenceParts, occurrences } from "./occurrence.ts";

export interface Reader {
  /** Events in order of seq. The same array goes to every reader of the same filter, so that it is rendered once. */
  deliver(events: readonly LiveEvent[]): void;
  /** No more will come; why is told to the reader. */
  end(refusal: Refusal): void;
}

/** Readers with the same filter. */
interface Group {
  readonly filter: LiveFilter;
  readonly readers: Set<Reader>;
  /** Messages whose text matched while they were there; see LiveFilter.concerns. */
  readonly known: Set<number>;
}

const STEP = 500;
/** A hint may be lost when another process writes; then the log is looked at this often. */
const LOOK_MS = 1000;

export class Hub {
  readonly #parts: OccurrenceParts;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #groups = new Map<string, Group>();
  readonly #byTerm = new Map<string, Set<Group>>();
  readonly #everywhere = new Set<Group>();
  #position: number;
  #running: Promise<void> | undefined;
  #again = false;
  #stopLooking = () => {};
  #readers = 0;

  constructor(parts: OccurrenceParts, clock: Clock, report: Report, position: number) {
    this.#parts = parts;
    this.#clock = clock;
    this.#report = report;
    this.#position = position;
    this.#look();
  }

  /** The last entry that was told; a reader that attaches now hears everything after it. */
  get position(): number {
    return this.#position;
  }
  get readers(): number {
    return this.#readers;
  }

  /** The log may have moved. */
  hint(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#follow().finally(() => {
      this.#running = undefined;
      if (this.#again) {
        this.#again = false;
        this.hint();
      }
    });
  }

  /** Resolves once everything up to this seq has been told. */
  async caughtUp(seq: number): Promise<void> {
    while (this.#position < seq) {
      this.hint();
      await this.#running;
    }
  }

  attach(filter: LiveFilter, reader: Reader, known: Iterable<number> = []): () => void {
    let group = this.#groups.get(filter.key);
    if (group === undefined) this.#addGroup((group = { filter, readers: new Set(), known: new Set(known) }));
    const { readers } = group;
    readers.add(reader);
    this.#readers++;
    return () => {
      if (!readers.delete(reader)) return;
      this.#readers--;
      if (readers.size === 0) this.#dropGroup(group);
    };
  }

  /** Ends every reader; nothing is told after this. */
  close(): void {
    this.#stopLooking();
    for (const { readers } of this.#groups.values()) {
      for (const reader of [...readers]) reader.end(new Refusal("shutting_down"));
    }
  }

  async #follow(): Promise<void> {
    try {
      for (;;) {
        const entries = await this.#parts.store.entries(this.#position, STEP, undefined);
        const last = entries.at(-1);
        if (last === undefined) return;
        const votes = [...this.#groups.values()].some(({ filter }) => filter.usesVotes);
        const heard = this.#groups.size === 0 ? [] : await occurrences(entries, this.#parts, this.#clock.now(), votes);
        // Telling and moving on happen in one go: who attaches sees a position whose events are all out.
        this.#tell(heard);
        this.#position = last.seq;
      }
    } catch (error) {
      // The log is read again from the same place at the next hint or look.
      this.#report.failed("stream", error);
    }
  }

  #tell(heard: readonly Occurrence[]): void {
    const told = new Map<Group, LiveEvent[]>();
    for (const occurrence of heard) {
      for (const group of this.#candidates(occurrence)) {
        if (!group.filter.concerns(occurrence, (message) => group.known.has(message))) continue;
        remember(group, occurrence);
        const events = told.get(group);
        if (events === undefined) told.set(group, [occurrence.event]);
        else events.push(occurrence.event);
      }
    }
    for (const [group, events] of told) {
      for (const reader of [...group.readers]) reader.deliver(events);
    }
  }

  #candidates({ before, after, unknown }: Occurrence): Iterable<Group> {
    const subject = after ?? before;
    if (unknown || subject === undefined) return [...this.#groups.values()];
    const found = new Set(this.#everywhere);
    for (const term of subject.terms()) {
      for (const group of this.#byTerm.get(term) ?? []) found.add(group);
    }
    return found;
  }

  #addGroup(group: Group): void {
    this.#groups.set(group.filter.key, group);
    if (group.filter.terms === undefined) this.#everywhere.add(group);
    for (const term of group.filter.terms ?? []) {
      const groups = this.#byTerm.get(term);
      if (groups === undefined) this.#byTerm.set(term, new Set([group]));
      else groups.add(group);
    }
  }

  #dropGroup(group: Group): void {
    this.#groups.delete(group.filter.key);
    this.#everywhere.delete(group);
    for (const term of group.filter.terms ?? []) {
      const groups = this.#byTerm.get(term);
      groups?.delete(group);
      if (groups?.size === 0) this.#byTerm.delete(term);
    }
  }

  #look(): void {
    this.#stopLooking = this.#clock.at(this.#clock.now() + LOOK_MS, () => {
      this.hint();
      this.#look();
    });
  }
}

/** Text filters remember what they matched, to know whose end concerns them once the words are gone. */
function remember({ filter, known }: Group, { event, message, document }: Occurrence): void {
  if (filter.matchesText === undefined) return;
  if (event.name === "gone" && document === undefined) known.delete(message);
  else known.add(message);
}
