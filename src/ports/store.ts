// What the board needs of a store, in the board's words.
import type { Entry } from "../core/log/chain.ts";
import type { Seen } from "../core/guard/flags.ts";
import type { Head } from "../core/log/checkpoint.ts";
import type { Act, AuthorFacts, Outcome, ThreadFacts } from "../core/message/act.ts";
import type { AgentFacts } from "../core/message/agent-facts.ts";
import type { AckReads } from "./acks.ts";
import type { InboxReads } from "./inbox.ts";
import type { AliasReads } from "./aliases.ts";
import type { Condition } from "../core/query/condition.ts";
import type { Order as ListOrder, Position } from "../core/query/order.ts";
import type { Tombstone, MessageState } from "../core/message/message-state.ts";
import type { AgentQuery, NamedAgent } from "./agents.ts";
import type { Figures, FiguresQuery } from "./stats.ts";
import type { TagFacts, TagQuery } from "./tags.ts";
import type { KeyReads } from "./keys.ts";
import type { ModerationReads } from "./moderation.ts";
import type { ThreadReads } from "./threads.ts";
import type { Tile } from "../core/tlog/tile.ts";
import type { PostsByBits } from "./wakeup.ts";

export interface Raw {
  readonly payload: string;
  readonly sig: string;
  readonly nonce: string;
}

/**
 * Everything a view of one message needs. A store may hand out the same `standing` and `raw` to many readers, and views remember what they
 * made of one by the object itself (record-text.ts, message-row.ts). So neither is ever changed once it is out: when anything about the
 * message has moved, the store makes another `standing`, and lets the old one go. Whether it has moved is the store's to know, also where
 * somebody else wrote. Facts about author and thread move with every post of theirs, and are no part of that; nor is `readAt`.
 */
export interface StoredMessage {
  readonly standing: MessageState;
  readonly raw: Raw;
  /** One object for each message, whatever else of it the store makes anew. */
  readonly seen: Seen;
  readonly author: AuthorFacts;
  readonly thread: ThreadFacts;
  /** When its addressee had read so far, by an acknowledgement; null where nobody has. Once it is known it stays as it is. */
  readonly readAt?: number | null;
}

export type Found = { readonly card: StoredMessage } | { readonly gone: Tombstone };

/** What is known before a post is checked any further. */
export interface Prior {
  readonly known: { readonly sig: string } | undefined;
  readonly gone: Tombstone | undefined;
  /** The author, or another key of its line. */
  readonly keyBlocked: boolean;
  /** Whose limits the author's posts count on: of a delegated key its parent's. */
  readonly payer: string;
  /** Of the hashes asked for: texts stored, with their bytes, and texts the operator removed. */
  readonly storedBlobs: ReadonlyMap<string, number>;
  readonly blockedBlobs: readonly string[];
}

export interface Appended<One extends Act = Act> {
  /** Of each act, in the same order. */
  readonly outcomes: readonly Outcome<One>[];
  readonly head: Head;
  /** When the next lifetime or lease ends, if any. */
  readonly nextDue: number | null;
  readonly touched: Touched;
}

/** What a transaction may have changed, so that nobody goes on showing what they remember of it. */
export interface Touched {
  readonly seqs: readonly number[];
  readonly agents: readonly string[];
  readonly roots: readonly string[];
  /** Another process wrote in between: nothing remembered can be trusted. */
  readonly all: boolean;
}

export interface LogEntry extends Entry {
  /** Of a message: whether the board signed it for its author; null where nobody noted it. */
  readonly assisted: boolean | null;
  readonly raw: Raw | null;
}

/** A question for a listing; liveness is part of the condition. */
export interface ListQuery {
  readonly condition: Condition;
  readonly order: ListOrder;
  readonly after: Position | undefined;
  readonly limit: number;
  /** Also what was removed or withdrawn, as tombstones. */
  readonly removed: boolean;
  /** Only these seqs, where a search has chosen them. */
  readonly only: readonly number[] | undefined;
}

export type Listed = Found & { readonly position: Position };

/** What is read without waiting, in the same turn of the event loop. */
export interface AtHand {
  /** Where the log stands and when the next thing is due. */
  state(): { readonly seq: number; readonly nextDue: number | null };
  find(id: string, now: number): Found | undefined;
  /** A listing of live messages that takes one short step; undefined where it takes more. */
  list(query: ListQuery): readonly Listed[] | undefined;
}

/** What is written, and the room that it takes. */
export interface Writer {
  /** One transaction for all acts; durable when it resolves. A refused act leaves no trace and fails no other. */
  append<One extends Act>(acts: readonly One[], now: number): Promise<Appended<One>>;
  /** Writes something of no consequence, to learn whether writing works. Never beside an append. */
  trial(): Promise<void>;
  /** Throws where it is plain without a write that nothing can be written: no room is left, or the files are gone. */
  requireUsable(): Promise<void>;
  /** Bytes that the board takes in its database. */
  size(): Promise<number>;
  /** Bytes of it that hold something: what has ended counts no more, whether or not the files have become smaller. */
  used(): Promise<number>;
  /** What was erased leaves the files too, as far as the store can see to that; false where it has to be asked again. */
  scrub(): Promise<boolean>;
  close(): Promise<void>;
}

/** Messages one by one, and how they hang together: always of this moment. */
export interface MessageReads extends ThreadReads {
  prior(id: string, author: string, blobs: readonly string[], now: number): Promise<Prior>;
  /** A live message, or what is left of one that is gone. */
  find(id: string, now: number): Promise<Found | undefined>;
  /** Ids that start with the prefix: live ones, then gone ones; at most `limit`. */
  idsByPrefix(prefix: string, limit: number, now: number): Promise<{ readonly live: readonly string[]; readonly gone: readonly string[] }>;
  /** Live messages and tombstones by id, as they are at this moment; an id that is neither is left out. */
  findAll(ids: readonly string[], now: number): Promise<ReadonlyMap<string, Found>>;
  /** Agents whose standing vote on the message is verifies. */
  verifiers(seq: number): Promise<readonly string[]>;
  /** When an agent was first seen. */
  firstSeen(agent: string): Promise<number | undefined>;
  blob(hash: string, now: number): Promise<string | undefined>;
  /** Live messages in (after, upTo] by seq: a few hundred, fewer where they are large, none when there are no more. */
  dump(after: number, upTo: number, now: number): Promise<readonly StoredMessage[]>;
}

/** The log, and where it stands. */
export interface LogReads {
  /** Where the log stands. */
  head(): Promise<Head>;
  nextDue(): Promise<number | null>;
  /** Entries after a seq, in order, at most `limit`; with the content of messages live at `rawAt`. */
  entries(after: number, limit: number, rawAt?: number): Promise<readonly LogEntry[]>;
  oldestSeq(): Promise<number>;
  /** The first seq at or after a time; one past the newest where there is none. */
  seqAt(unixMs: number): Promise<number>;
  /** Messages posted in each minute since 1970 from one on, where there were any, by the work that they proved; the last week is kept. */
  postedByMinute(from: number): Promise<ReadonlyMap<number, PostsByBits>>;
}

/** The tree over the log. */
export interface TreeReads {
  /** The hashes of a tile, as many as its width says; undefined where the log does not reach so far. */
  tile(tile: Tile): Promise<Uint8Array | undefined>;
}

/** What a listing is read from, all of one source. */
export interface ListingReads extends Pick<LogReads, "head" | "nextDue"> {
  list(query: ListQuery): Promise<readonly Listed[]>;
}

/** Many messages at once, and what is counted of them: as the last sweep left it. */
export interface ListReads extends ListingReads {
  /** Where listings may be read that need not be of this very moment: the board itself, or a replica that is close behind. */
  listingReads(): Promise<ListingReads>;
  /** Where the log stood and what was due: no listing is older than this. */
  leastState(): Promise<{ readonly seq: number; readonly nextDue: number | null; /** Of the newest answer. */ readonly newest: number }>;
  /** Of a store that is kept beside the process; one behind a network has nothing at hand. */
  readonly atHand?: AtHand;
  /** The seqs of a listing without the rest, at most `limit`. */
  listSeqs(query: ListQuery): Promise<readonly number[]>;
  /** Seqs of messages that came or changed after an entry, the first to change first, at most `limit`. */
  changedSince(seq: number, limit: number): Promise<readonly number[]>;
  /** Ids of open work in a thread that is not superseded, oldest first. */
  openWork(root: string, limit: number, now: number): Promise<readonly string[]>;
  /** Seqs of messages that an agent may not claim at this time, because their authors ended its lease; of any time with 0. */
  barredWork(agent: string, now: number): Promise<readonly number[]>;
  /** Of these messages, those with a live part of their own that is open or claimed. */
  divided(ids: readonly string[], now: number): Promise<readonly string[]>;
  agent(id: string, now: number): Promise<AgentFacts | undefined>;
  agents(query: AgentQuery): Promise<readonly AgentFacts[]>;
  /** What these agents may be called by. */
  agentNames(agents: readonly string[], now: number): Promise<readonly NamedAgent[]>;
  tags(query: TagQuery): Promise<readonly TagFacts[]>;
  figures(query: FiguresQuery): Promise<Figures>;
}

/** All that a board is kept in; whoever only reads takes the part that it needs. */
export interface Store
  extends Writer, MessageReads, ListReads, LogReads, TreeReads, AliasReads, AckReads, InboxReads, KeyReads, ModerationReads {}

/** The storage failed; `code` tells callers, `fatal` that only a restart is safe. */
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
