// Caches messages after they were first read, until a transaction changes them; never older than the file.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Head } from "../../core/log/checkpoint.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { AuthorFacts, ThreadFacts } from "../../core/message/act.ts";
import type { StoredMessage, Touched } from "../../ports/store.ts";
import { SqliteHead } from "./head.ts";
import { MESSAGES_CACHED, messageCache, flagsCache, type SeenOf } from "../sql/message-caches.ts";
import { VERIFIED_WORK } from "../sql/agents.ts";
import { principalOf } from "../sql/key-rows.ts";
import { STATE_COLUMNS, stateFrom } from "../sql/rows.ts";

const FACTS_KEPT = 50_000;

interface Kept extends Pick<StoredMessage, "state" | "raw" | "seen"> {
  /** The thread's number. */
  readonly thread: number;
  /** Once it is known. */
  readAt?: number;
}

type Facts<Of extends object | number> = Pick<BoundedCache<string, Of>, "get" | "set">;

export interface MessageReader {
  byId(id: string): StoredMessage | undefined;
  bySeq(seq: number): StoredMessage | undefined;
}

export class SqliteMessageCache {
  readonly #storedMessages = messageCache<Kept>();
  readonly #seqs = new BoundedCache<string, number>(MESSAGES_CACHED);
  readonly #authors = new BoundedCache<string, AuthorFacts>(FACTS_KEPT);
  /** By principal. */
  readonly #verified = new BoundedCache<string, number>(FACTS_KEPT);
  readonly #threads = new BoundedCache<string, ThreadFacts>(FACTS_KEPT);
  readonly #sql: Readonly<Record<"byId" | "bySeq" | "author" | "verified" | "thread" | "readAt", StatementSync>>;
  /** The head of the log at which everything cached was current. */
  #seq = -1;
  readonly #head: SqliteHead;

  readonly #seenOf: SeenOf;

  constructor(db: DatabaseSync, head = new SqliteHead(db), seenOf = flagsCache()) {
    this.#head = head;
    this.#seenOf = seenOf;
    const message = (where: string) => {
      const statement = db.prepare(
        `SELECT ${STATE_COLUMNS}, m.thread, c.payload, c.sig, c.nonce FROM messages m JOIN contents c ON c.seq = m.seq WHERE ${where}`,
      );
      statement.setReturnArrays(true);
      return statement;
    };
    this.#sql = {
      byId: message("m.id = ?"),
      bySeq: message("m.seq = ?"),
      author: db.prepare("SELECT first_seen AS firstSeen, messages, line FROM agents WHERE id = ?"),
      verified: db.prepare(`SELECT count AS verified FROM agent_tallies WHERE agent = ? AND ${VERIFIED_WORK}`),
      thread: db.prepare("SELECT messages, last_activity AS lastActivity FROM threads WHERE number = ?"),
      readAt: db.prepare(`SELECT at FROM acks WHERE moved = 1 AND agent = ${principalOf("?1")} AND seen >= ?2 ORDER BY seen LIMIT 1`),
    };
  }

  head(): Head {
    return this.#head.read();
  }

  /** The reader of messages to use now: the cache if it is as new as the file, else the file itself. */
  current(): MessageReader {
    const { seq } = this.#head.read();
    if (seq <= this.#seq) return this.#kept;
    // The file is ahead of what this cache was told to drop.
    if (this.#head.writing) return this.stored;
    // Another process wrote, such as an operator's command.
    this.#forgetAll();
    this.#seq = seq;
    return this.#kept;
  }

  /** Drops what a transaction changed; the head of the log is `seq` since. */
  forget({ seqs, agents, roots, all }: Touched, seq: number): void {
    if (all) this.#forgetAll();
    for (const one of seqs) this.#storedMessages.delete(one);
    for (const agent of agents) {
      this.#authors.delete(agent);
      this.#verified.delete(agent);
    }
    for (const root of roots) this.#threads.delete(root);
    this.#seq = seq;
  }

  readonly #kept: MessageReader = {
    byId: (id) => {
      const seq = this.#seqs.get(id);
      const kept = seq === undefined ? undefined : this.#storedMessages.get(seq);
      return this.#stored(kept ?? this.#keep(this.#sql.byId.get(id)), this.#authors, this.#verified, this.#threads);
    },
    bySeq: (seq) =>
      this.#stored(this.#storedMessages.get(seq) ?? this.#keep(this.#sql.bySeq.get(seq)), this.#authors, this.#verified, this.#threads),
  };

  /** Reads without caching. */
  readonly stored: MessageReader = {
    byId: (id) => this.#stored(this.#read(this.#sql.byId.get(id)), new Map(), new Map(), new Map()),
    bySeq: (seq) => this.#stored(this.#read(this.#sql.bySeq.get(seq)), new Map(), new Map(), new Map()),
  };

  /** Facts about author and thread are looked up each time: they change with every post of theirs. */
  #stored(
    kept: Kept | undefined,
    authors: Facts<AuthorFacts>,
    verified: Facts<number>,
    threads: Facts<ThreadFacts>,
  ): StoredMessage | undefined {
    if (kept === undefined) return undefined;
    const { state, raw, seen } = kept;
    const known = this.#facts(authors, state.author, this.#sql.author, state.author) ?? { firstSeen: state.receivedAt, messages: 1 };
    const author = { ...known, verified: this.#verifiedOf(state.principal, verified) };
    const thread = this.#facts(threads, state.root, this.#sql.thread, kept.thread) ?? { messages: 0, lastActivity: state.receivedAt };
    return { state, raw, seen, author, thread, readAt: state.to === null ? null : this.#readAt(kept, state.to) };
  }

  /** Looked up until its addressee has read this far. */
  #readAt(kept: Kept, to: string): number | null {
    if (kept.readAt !== undefined) return kept.readAt;
    const found = this.#sql.readAt.get(to, kept.state.seq) as { readonly at: number } | undefined;
    if (found === undefined) return null;
    kept.readAt = found.at;
    return found.at;
  }

  #verifiedOf(principal: string, kept: Facts<number>): number {
    const known = kept.get(principal);
    if (known !== undefined) return known;
    const { verified } = (this.#sql.verified.get(principal) as { readonly verified: number } | undefined) ?? { verified: 0 };
    kept.set(principal, verified);
    return verified;
  }

  #facts<Of extends object>(kept: Facts<Of>, key: string, statement: StatementSync, of: string | number): Of | undefined {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const facts = statement.get(of) as Of | undefined;
    if (facts === undefined) return undefined;
    kept.set(key, facts);
    return facts;
  }

  #keep(row: unknown): Kept | undefined {
    const kept = this.#read(row);
    if (kept === undefined) return undefined;
    this.#storedMessages.set(kept.state.seq, kept);
    this.#seqs.set(kept.state.id, kept.state.seq);
    return kept;
  }

  #read(row: unknown): Kept | undefined {
    if (row === undefined) return undefined;
    // After the columns of the message state.
    const [thread, payload, sig, nonce] = (row as unknown[]).slice(-4) as [number, string, string, string];
    const state = stateFrom(row);
    return { state, raw: { payload, sig, nonce }, seen: this.#seenOf(state.id), thread };
  }

  #forgetAll(): void {
    for (const map of [this.#storedMessages, this.#seqs, this.#authors, this.#verified, this.#threads]) map.clear();
  }
}
