// Finding messages by their words, in the board's words. The index behind it is derived from the log and can be made anew at any time.
import type { Departure } from "../core/message/departures.ts";
import type { Document } from "../core/search/document.ts";
import type { Hit } from "../core/search/index/best.ts";
import type { CorpusStats } from "../core/search/index/rank.ts";
import type { Query } from "../core/search/query.ts";
import type { Near } from "../core/search/similarity.ts";

export interface SearchScope {
  /** The answer knows everything in the log up to this seq. */
  readonly upTo: number;
  /** Only these messages, ascending. */
  readonly only?: Uint32Array | undefined;
}

export interface RankOptions extends SearchScope {
  readonly limit: number;
  /** The last hit of the page before. */
  readonly after?: Hit | undefined;
}

export interface Ranked {
  /** By score, then newest first. A message that is gone from the log is never among them; one that is only past its time may be. */
  readonly hits: readonly Hit[];
}

export interface MatchingOptions extends SearchScope {
  /** Only seqs between these two, both left out. */
  readonly after?: number;
  readonly before?: number;
  /** At most so many, from the named end. */
  readonly first?: { readonly from: "newest" | "oldest"; readonly limit: number };
}

export interface IndexStatus {
  /** Not while the index is being built. */
  readonly ready: boolean;
  /** Newest entry of the log that the index has taken in. */
  readonly seq: number;
  readonly documents: number;
  readonly segments: number;
  readonly bytes: number;
  /** Entries of the log that it has not taken in yet. */
  readonly behind: number;
  /** Words of a message that the operator removed are still on the disk. */
  readonly erasing: boolean;
}

export interface SearchIndex {
  /** With the stats of the first page, scores and order stay as they were however the board changes between pages. */
  rank(
    query: Query,
    options: RankOptions & { readonly stats?: CorpusStats | undefined },
  ): Promise<Ranked & { readonly stats: CorpusStats }>;
  /** Seqs of the messages that match, ascending. */
  matching(query: Query, options: MatchingOptions): Promise<Uint32Array>;
  /** The terms a text is compared by, weighed by the board as it is at `upTo`; kept by the caller, they pin the scores. */
  near(document: Document, upTo: number): Promise<Near>;
  /** Messages that score at least the threshold; the score is that of the live stream. */
  similar(near: Near, options: RankOptions & { readonly threshold: number }): Promise<Ranked>;
  status(): Promise<IndexStatus>;
  close(): Promise<void>;
}

/** The index cannot answer now: it is being built, or it failed and will be built anew. */
export class SearchUnavailable extends Error {
  override readonly name = "SearchUnavailable";
}

/** What the index reads of the board, on the index's own thread. Payloads are the signed texts. */
export interface SearchSource {
  /** Newest entry of the log. */
  head(): Awaitable<number>;
  /** Hash of an entry, by which the index knows that this is still the log it has followed; undefined where it is not kept. */
  hashAt(seq: number): Awaitable<string | undefined>;
  /** What the entries in (after, upTo] changed. A message that came and went in between may be missing from both lists. */
  changes(after: number, upTo: number): Awaitable<SourceChanges>;
  /** Messages in (after, upTo], ascending, at most `limit`. */
  messages(after: number, upTo: number, limit: number): Awaitable<readonly SourceMessage[]>;
  close(): Awaitable<void>;
}

type Awaitable<T> = T | Promise<T>;

export interface SourceMessage {
  readonly seq: number;
  readonly payload: string;
}

/** A message that came back after its removal came with another seq. */
export interface SourceChanges {
  readonly gone: readonly Departure[];
  readonly arrived: readonly SourceMessage[];
  /** The last entry that this tells of, where it is not the one asked for: large messages come a few at a time. */
  readonly upTo?: number | undefined;
}
