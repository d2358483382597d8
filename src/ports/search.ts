// Full-text search, in the board's words. The index behind it is derived from the log and can be rebuilt at any time.
import type { Departure } from "../core/message/search-index-erasure.ts";
import type { Document } from "../core/search/document.ts";
import type { Hit } from "../core/search/index/top-hits.ts";
import type { CorpusStats } from "../core/search/index/rank.ts";
import type { Query } from "../core/search/query.ts";
import type { Near } from "../core/search/similarity.ts";

export interface SearchScope {
  /** The answer includes everything in the log up to this seq. */
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
  /** By score, then newest first. Messages that have ended in the log are never included; messages that are only past their time may be. */
  readonly hits: readonly Hit[];
}

export interface MatchingOptions extends SearchScope {
  /** Only seqs between these two, both excluded. */
  readonly after?: number;
  readonly before?: number;
  /** At most this many, from the named end. */
  readonly first?: { readonly from: "newest" | "oldest"; readonly limit: number };
}

export interface IndexStatus {
  /** False while the index is being built. */
  readonly ready: boolean;
  /** The newest log entry in the index. */
  readonly seq: number;
  readonly documents: number;
  readonly segments: number;
  readonly bytes: number;
  /** Log entries that are not in the index yet. */
  readonly behind: number;
  /** Whether words of a message that the operator removed are still on disk. */
  readonly erasing: boolean;
}

export interface SearchIndex {
  /** With the statistics of the first page, scores and order stay the same even if the board changes between pages. */
  rank(
    query: Query,
    options: RankOptions & { readonly stats?: CorpusStats | undefined },
  ): Promise<Ranked & { readonly stats: CorpusStats }>;
  /** Seqs of the messages that match, ascending. */
  matching(query: Query, options: MatchingOptions): Promise<Uint32Array>;
  /**
   * The terms by which a text is compared, weighted by the board's statistics at `upTo`. The caller keeps them, so that scores stay the
   * same.
   */
  near(document: Document, upTo: number): Promise<Near>;
  /** Messages with at least the threshold as their score, which is the same as on the live stream. */
  similar(near: Near, options: RankOptions & { readonly threshold: number }): Promise<Ranked>;
  status(): Promise<IndexStatus>;
  close(): Promise<void>;
}

/** The index cannot answer now: it is being built, or it failed and will be rebuilt. */
export class SearchUnavailable extends Error {
  override readonly name = "SearchUnavailable";
}

/** What the index reads from the store, in the index's own thread. Payloads are the signed texts. */
export interface SearchSource {
  /** Newest entry of the log. */
  head(): Awaitable<number>;
  /** Hash of an entry, by which the index recognises the log it has followed; undefined if the entry is not kept. */
  hashAt(seq: number): Awaitable<string | undefined>;
  /** The changes in the entries (after, upTo]. A message that was added and ended in between may be missing from both lists. */
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

/** A message that was posted again after its removal has another seq. */
export interface SourceChanges {
  readonly ended: readonly Departure[];
  readonly arrived: readonly SourceMessage[];
  /** The last entry included, if it is not the one asked for: large messages are read a few at a time. */
  readonly upTo?: number | undefined;
}
