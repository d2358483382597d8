// The live readers by their filters: readers with the same filter are one group, and groups are found by the terms of a message.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { Reader } from "./fan-out.ts";
import { type KnownTexts, type LiveFilter, NO_TEXTS } from "./filter.ts";
import type { LogEvent } from "./log-event.ts";
import { MatchedMessages } from "./text-filter-matches.ts";

/** Readers with the same filter. */
export interface ReaderGroup {
  readonly filter: LiveFilter;
  readonly readers: Set<Reader>;
  /** Of a text filter: charges each of the readers, by processor time. */
  readonly payers: Set<(ms: number) => void>;
  /** How long the text filter was matched since the readers were charged. */
  unpaidMs: number;
  /** Messages whose text matched while they were live; see KnownTexts. */
  readonly known: MatchedMessages;
  /** Of a text filter: whether it matches messages that have changed, so that the next change of such a message needs no words. */
  readonly verdicts: BoundedCache<number, boolean> | undefined;
  /** Groups are numbered in the order of their creation. */
  readonly arrived: number;
}

/** For each text filter. A verdict stays right, because texts do not change. */
const VERDICTS_CACHED = 4096;
/** The readers of a text filter are charged when each has caused this much work, so that charging many readers is no work itself. */
const CHARGED_MS = 1;

export class ReaderGroups {
  readonly #byKey = new Map<string, ReaderGroup>();
  readonly #byTerm = new Map<string, Set<ReaderGroup>>();
  readonly #everywhere = new Set<ReaderGroup>();
  #arrivals = 0;

  get size(): number {
    return this.#byKey.size;
  }
  /** The number of the newest group. */
  get arrivals(): number {
    return this.#arrivals;
  }

  all(): Iterable<ReaderGroup> {
    return this.#byKey.values();
  }

  /** The group of a filter, made if there is none yet. */
  of(filter: LiveFilter): ReaderGroup {
    let group = this.#byKey.get(filter.key);
    if (group === undefined) {
      const [readers, payers, known] = [new Set<Reader>(), new Set<(ms: number) => void>(), new MatchedMessages()];
      const verdicts = filter.matchesText === undefined ? undefined : new BoundedCache<number, boolean>(VERDICTS_CACHED);
      this.#add((group = { filter, readers, payers, unpaidMs: 0, known, verdicts, arrived: ++this.#arrivals }));
    }
    return group;
  }

  drop(group: ReaderGroup): void {
    this.#byKey.delete(group.filter.key);
    this.#everywhere.delete(group);
    for (const term of group.filter.terms ?? []) {
      const groups = this.#byTerm.get(term);
      groups?.delete(group);
      if (groups?.size === 0) this.#byTerm.delete(term);
    }
  }

  /** The numbers of messages mean other messages from now on. */
  renumbered(): void {
    for (const { verdicts } of this.#byKey.values()) verdicts?.clear();
  }

  /** Whether the present readers need votes and texts to be read. */
  needs(): { readonly votes: boolean; readonly text: boolean } {
    let [votes, text] = [false, false];
    for (const { filter } of this.#byKey.values()) {
      votes ||= filter.usesVotes;
      text ||= filter.matchesText !== undefined;
    }
    return { votes, text };
  }

  /** The groups that an event may concern. */
  candidates({ subjects, named }: LogEvent): Iterable<ReaderGroup> {
    const [subject] = subjects;
    if (subject === undefined) return this.#byKey.values();
    if (this.#byTerm.size === 0) return this.#everywhere;
    const found = new Set(this.#everywhere);
    // Several subjects are one message at several times, with the same terms. If they are named messages, each has its own terms.
    for (const one of named === undefined ? [subject] : subjects) {
      for (const term of one.terms()) {
        for (const group of this.#byTerm.get(term) ?? []) found.add(group);
      }
    }
    return found;
  }

  #add(group: ReaderGroup): void {
    this.#byKey.set(group.filter.key, group);
    if (group.filter.terms === undefined) this.#everywhere.add(group);
    for (const term of group.filter.terms ?? []) {
      const groups = this.#byTerm.get(term);
      if (groups === undefined) this.#byTerm.set(term, new Set([group]));
      else groups.add(group);
    }
  }
}

/**
 * A text filter is matched at the cost of its readers; the first filter that needs the words of a message pays for them. Nothing is lost if
 * they cannot pay: their other requests are refused.
 */
export function groupMatches(group: ReaderGroup, logEvent: LogEvent): boolean {
  const { filter, payers } = group;
  if (filter.matchesText === undefined) return filter.concerns(logEvent, NO_TEXTS);
  // Not measured in processor time, which is told in steps longer than most filters take; nothing else runs meanwhile.
  const began = performance.now();
  const concerned = filter.concerns(logEvent, textsOf(group, logEvent));
  group.unpaidMs += performance.now() - began;
  const each = group.unpaidMs / payers.size;
  if (each < CHARGED_MS) return concerned;
  group.unpaidMs = 0;
  for (const pay of payers) pay(each);
  return concerned;
}

/** Most messages never change, so it is not kept for new ones. */
const textsOf = ({ known, verdicts }: ReaderGroup, { event }: LogEvent): KnownTexts => ({
  knew: (message) => known.has(message),
  matches: (message, look) => (event.name === "message" ? look() : (verdicts?.of(message, look) ?? look())),
});

/** Text filters remember the messages that they matched: when a message ends, its words are erased and cannot be matched again. */
export function remember(filter: LiveFilter, known: MatchedMessages, { event, message, document }: LogEvent): void {
  if (filter.matchesText === undefined || event.name === "ack") return;
  if (event.name === "gone" && document === undefined) known.delete(message);
  else known.add(message);
}
