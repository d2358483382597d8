// The store, in the board's words.
import type { Entry } from "../core/log/chain.ts";
import type { Seen } from "../core/view/outline.ts";
import type { Head } from "../core/log/chain-checkpoint.ts";
import type { Act, AuthorFacts, Outcome, ThreadFacts } from "../core/message/acts-and-outcomes.ts";
import type { AgentFacts } from "../core/message/agent-facts.ts";
import type { AckReads } from "./acks.ts";
import type { InboxReads } from "./inbox.ts";
import type { AliasReads } from "./aliases.ts";
import type { Condition } from "../core/query/condition.ts";
import type { Order as ListOrder, Position } from "../core/query/order.ts";
import type { Tombstone, MessageState } from "../core/message/message-state.ts";
import type { AgentQuery, NamedAgent } from "./agents.ts";
import type { AnswerTime, ClaimedWork, BoardStats, BoardStatsQuery, NeedSupply, WorkCourse } from "./stats.ts";
import type { TagFacts, TagQuery } from "./tags.ts";
import type { KeyReads } from "./keys.ts";
import type { ModerationReads } from "./moderation.ts";
import type { ThreadReads } from "./message-threads.ts";
import type { Tile } from "../core/tlog/tile.ts";
import type { PostsByBits } from "./wakeup.ts";

export interface Raw {
  readonly payload: string;
  readonly sig: string;
  readonly nonce: string;
}

/**
 * Everything a view of one message needs. A store may return the same `state` and `raw` objects to many readers, and views cache what they
 * made of them by object identity (record-json.ts, message-row.ts). So neither object is ever changed: when anything about the message
 * changes, the store makes a new `state` and drops the old one. The store must notice every change, also by another process. Facts about
 * author and thread change with every post by the author or in the thread, and are not part of this contract; nor is `readAt`.
 */
export interface StoredMessage {
  readonly state: MessageState;
  readonly raw: Raw;
  /** One object per message, even if the store makes new objects for the other fields. */
  readonly seen: Seen;
  readonly author: AuthorFacts;
  readonly thread: ThreadFacts;
  /** When its addressee acknowledged having read this far; null if they have not. Once set, it does not change. */
  readonly readAt?: number | null;
}

/**
 * The time to read at if an expiry must not count: everything that is stored is found as if it were live, also a message whose time is over
 * and that the sweep has not ended yet.
 */
export const BEFORE_ANY_EXPIRY = 0;

export type Found = { readonly stored: StoredMessage } | { readonly tombstone: Tombstone };

/** The live messages among these. */
export const storedOf = (found: Iterable<Found>): StoredMessage[] => [...found].flatMap((one) => ("stored" in one ? [one.stored] : []));

/** Facts that are read before a post is checked further. */
export interface Precheck {
  readonly known: { readonly sig: string } | undefined;
  readonly tombstone: Tombstone | undefined;
  /** Whether the author is blocked, or another key of its line. */
  readonly keyBlocked: boolean;
  /** The agent on whose limits the author's posts count: the principal of its line, for a delegated key that of its parent. */
  readonly payer: string;
  /** For the requested hashes: stored texts with their size, and texts that the operator removed. */
  readonly storedBlobs: ReadonlyMap<string, number>;
  readonly blockedBlobs: readonly string[];
}

export interface Appended<One extends Act = Act> {
  /** One for each act, in the same order. */
  readonly outcomes: readonly Outcome<One>[];
  readonly head: Head;
  /** When the next lifetime or lease ends, if any. */
  readonly nextDue: number | null;
  readonly touched: Touched;
}

/** What a transaction may have changed, so that caches drop it. */
export interface Touched {
  readonly seqs: readonly number[];
  readonly agents: readonly string[];
  readonly roots: readonly string[];
  /** Another process wrote in between: no cached value can be trusted. */
  readonly all: boolean;
}

export interface LogEntry extends Entry {
  /** For a message: whether the board signed it for its author; null if that was not recorded. */
  readonly assisted: boolean | null;
  readonly raw: Raw | null;
}

/** The query of a listing; whether messages are live is part of the condition. */
export interface ListQuery {
  readonly condition: Condition;
  readonly order: ListOrder;
  readonly after?: Position | undefined;
  readonly limit: number;
  /** Also removed and withdrawn messages, as tombstones. */
  readonly removed?: boolean | undefined;
  /** Only these seqs, if a search has chosen them. */
  readonly only?: readonly number[] | undefined;
  /**
   * The listing may end early, once its payloads have at least this many bytes together: with a message after those, so that whoever counts
   * the bytes of all but the last sees that there is more.
   */
  readonly enoughBytes?: number | undefined;
}

export type Listed = Found & { readonly position: Position };

/** Synchronous reads. */
export interface SyncReads {
  /** The newest entry of the log, and the time when the next thing is due. */
  state(): Head & { readonly nextDue: number | null };
  find(id: string, now: number): Found | undefined;
  /** A listing of live messages that takes one short step; undefined if it takes more. */
  list(query: ListQuery): readonly Listed[] | undefined;
}

/** Writes, and the space they take. */
export interface Writer {
  /** One transaction for all acts; durable when it resolves. A refused act leaves no trace and fails no other. */
  append<One extends Act>(acts: readonly One[], now: number): Promise<Appended<One>>;
  /** Writes something without consequence, to test whether writing works. Never at the same time as an append. */
  trial(): Promise<void>;
  /** Throws if it is clear without a write that nothing can be written: the disk is full, or the files are gone. */
  requireUsable(): Promise<void>;
  /** Bytes of the board's database. */
  size(): Promise<number>;
  /** Bytes in use: ended content does not count, whether or not the files have become smaller. */
  used(): Promise<number>;
  /** Removes erased content from the files too, as far as the store can; false if it must be called again. */
  scrub(): Promise<boolean>;
  close(): Promise<void>;
}

/** Single messages and the links between them: always current. */
export interface MessageReads extends ThreadReads {
  precheck(id: string, author: string, blobs: readonly string[], now: number): Promise<Precheck>;
  /** A live message, or the tombstone of an ended one. */
  find(id: string, now: number): Promise<Found | undefined>;
  /** Ids with the prefix: live ones, then ended ones; at most `limit`. */
  idsByPrefix(prefix: string, limit: number, now: number): Promise<{ readonly live: readonly string[]; readonly ended: readonly string[] }>;
  /** Current live messages and tombstones by id; unknown ids are left out. */
  findAll(ids: readonly string[], now: number): Promise<ReadonlyMap<string, Found>>;
  /** Agents whose current vote on each of these messages is verifies; messages with too many votes are left out. */
  verifiers(seqs: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** When an agent was first seen. */
  firstSeen(agent: string): Promise<number | undefined>;
  blob(hash: string, now: number): Promise<string | undefined>;
  /** What is known about the text of a message, by its id; it is kept for a while for those who read the message next. */
  readonly seenOf: (id: string) => Seen;
  /** Live messages in (after, upTo] by seq: a few hundred, fewer if they are large, none at the end. */
  dump(after: number, upTo: number, now: number): Promise<readonly StoredMessage[]>;
}

/** A `status` entry that is an effect of another: it follows that entry before the next message does. */
export interface StatusEffect extends Pick<LogEntry, "seq" | "at" | "detail"> {
  readonly of: number;
}

/** The log and its head. */
export interface LogReads {
  /** The newest entry. */
  head(): Promise<Head>;
  nextDue(): Promise<number | null>;
  /** Entries after a seq, in order, at most `limit`; with the content of messages that are live at `rawAt`. */
  entries(after: number, limit: number, rawAt?: number): Promise<readonly LogEntry[]>;
  oldestSeq(): Promise<number>;
  /** The seq of the `create` entry of a message whose tombstone is gone too. */
  pastSeq(id: string): Promise<number | undefined>;
  /** Ids of such messages with this prefix. */
  pastIds(prefix: string, limit: number): Promise<readonly string[]>;
  /** For each of these entries, the change of the status of this message that is among its effects, if one is; in no order. */
  statusEffects(id: string, of: readonly number[]): Promise<readonly StatusEffect[]>;
  /** The first seq at or after a time; one past the newest if there is none. */
  seqAt(unixMs: number): Promise<number>;
  /** Messages per minute since 1970, from a minute on, by the bits of their proof of work, without empty minutes; the last week is kept. */
  postedByMinute(from: number): Promise<ReadonlyMap<number, PostsByBits>>;
}

/** The tree over the log. */
export interface TreeReads {
  /** The hashes of a tile, as many as its width says; undefined if the log is shorter. */
  tile(tile: Tile): Promise<Uint8Array | undefined>;
}

/** What a listing reads, all from one source. */
export interface ListingReads extends Pick<LogReads, "head" | "nextDue"> {
  list(query: ListQuery): Promise<readonly Listed[]>;
}

/** Many messages at once, and counts of them, as of the last sweep. */
export interface ListReads extends ListingReads, Pick<KeyReads, "keysOf"> {
  /** The source for listings that need not be fully current: the board itself, or a replica that is close behind. */
  listingReads(): Promise<ListingReads>;
  /** A head and due time that no listing is older than. */
  leastState(): Promise<Head & { readonly nextDue: number | null; /** Of the newest answer. */ readonly newest: number }>;
  /** Only of a store in the same process; a store behind a network has no synchronous reads. */
  readonly sync?: SyncReads;
  /** The seqs of a listing alone, at most `limit`. */
  listSeqs(query: ListQuery): Promise<readonly number[]>;
  /** How many there are, counted up to the limit. */
  countUpTo(query: ListQuery): Promise<number>;
  /** Seqs of messages that arrived or changed after an entry, earliest change first, at most `limit`. */
  changedSince(seq: number, limit: number): Promise<readonly number[]>;
  /** Ids of open work in a thread, without superseded messages, oldest first. */
  openWork(root: string, limit: number, now: number): Promise<readonly string[]>;
  /** Seqs of messages that an agent may not claim at this time, because their authors ended its lease; with 0, at any time. */
  barredWork(agent: string, now: number): Promise<readonly number[]>;
  /** Those of these messages that have a live part that is open or claimed. */
  divided(ids: readonly string[], now: number): Promise<readonly string[]>;
  agent(id: string, now: number): Promise<AgentFacts | undefined>;
  agents(query: AgentQuery): Promise<readonly AgentFacts[]>;
  /** The names of these agents. */
  agentNames(agents: readonly string[], now: number): Promise<readonly NamedAgent[]>;
  /** Agents whose ids begin like this, at most `limit`. */
  agentsByPrefix(prefix: string, limit: number): Promise<readonly string[]>;
  tags(query: TagQuery): Promise<readonly TagFacts[]>;
  boardStats(query: BoardStatsQuery): Promise<BoardStats>;
  /** The course of live work: the newest `limit` of each kind. */
  workCourses(limit: number, now: number): Promise<readonly WorkCourse[]>;
  /** For each of these needs, which are folded: open work that needs it, and agents that offer it. */
  needSupply(needs: readonly string[], now: number): Promise<readonly NeedSupply[]>;
  /** The times of live answers by these agents to live messages, at most `limit`. */
  answerTimes(agents: readonly string[], limit: number): Promise<readonly AnswerTime[]>;
  /** Live work on which these agents have live claims, each piece of work once, at most `limit`. */
  claimedWork(agents: readonly string[], limit: number): Promise<readonly ClaimedWork[]>;
}

/** The whole store; a reader takes only the part that it needs. */
export interface Store
  extends
    AsyncDisposable,
    Writer,
    MessageReads,
    ListReads,
    LogReads,
    TreeReads,
    AliasReads,
    AckReads,
    InboxReads,
    KeyReads,
    ModerationReads {}

/** The storage failed; `code` is for callers, `fatal` means that only a restart is safe. */
export class StoreFailure extends Error {
  override readonly name = "StoreFailure";
  readonly code: "storage_full" | "storage_unavailable";
  readonly fatal: boolean;

  constructor(code: "storage_full" | "storage_unavailable", message: string, fatal = false) {
    super(message);
    this.code = code;
    this.fatal = fatal;
  }
}
