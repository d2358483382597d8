// Caches messages after they were first read, until a transaction changes them; never older than the file.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { AuthorFacts, ThreadFacts } from "../../core/message/acts-and-outcomes.ts";
import type { StoredMessage, Touched } from "../../ports/store.ts";
import { SqliteHead } from "./head.ts";
import { MESSAGES_CACHED, messageCache, seenCache, type SeenOf } from "../sql/message-caches.ts";
import { VERIFIED_WORK } from "../sql/agents.ts";
import { principalOf } from "../sql/key-rows.ts";
import { unknownAuthor, unknownThread } from "../sql/known-message.ts";
import { STATE_COLUMNS, stateFrom } from "../sql/rows.ts";

const MAX_FACTS = 50_000;

interface CachedMessage extends Pick<StoredMessage, "state" | "raw" | "seen"> {
  /** The thread's number. */
  readonly thread: number;
  /** When its addressee read it, once that is known. */
  readAt?: number;
  /** With the facts about author and thread, as they were at this number of changes. */
  whole?: StoredMessage;
  wholeAt?: number;
}

/** How many votes in force verify the work of an agent. */
interface Verified {
  readonly verified: number;
}
type Facts<Of extends object> = Pick<BoundedCache<string, Of>, "get" | "set">;

export interface MessageReader {
  byId(id: string): StoredMessage | undefined;
  bySeq(seq: number): StoredMessage | undefined;
}

export class SqliteMessageCache {
  readonly #storedMessages = messageCache<number, CachedMessage>();
  readonly #seqs = new BoundedCache<string, number>(MESSAGES_CACHED);
  readonly #authors = new BoundedCache<string, AuthorFacts>(MAX_FACTS);
  /** By principal. */
  readonly #verified = new BoundedCache<string, Verified>(MAX_FACTS);
  readonly #threads = new BoundedCache<string, ThreadFacts>(MAX_FACTS);
  readonly #sql: Readonly<Record<"byId" | "bySeq" | "author" | "verified" | "thread" | "readAt", StatementSync>>;
  /** The head of the log at which everything cached was current. */
  #seq = -1;
  /** How often something was dropped. */
  #changes = 0;
  readonly #head: SqliteHead;

  readonly #seenOf: SeenOf;

  constructor(db: DatabaseSync, head = new SqliteHead(db), seenOf = seenCache()) {
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
      verified: db.prepare(`SELECT coalesce((SELECT count FROM agent_tallies WHERE agent = ? AND ${VERIFIED_WORK}), 0) AS verified`),
      thread: db.prepare("SELECT messages, last_activity AS lastActivity FROM threads WHERE number = ?"),
      readAt: db.prepare(`SELECT at FROM acks WHERE moved = 1 AND agent = ${principalOf("?1")} AND seen >= ?2 ORDER BY seen LIMIT 1`),
    };
  }

  /** The reader of messages to use now: the cache if it is as new as the file, else the file itself. */
  current(): MessageReader {
    const { seq } = this.#head.read();
    if (seq <= this.#seq) return this.#cached;
    // The file is newer than the last change that this cache has handled.
    if (this.#head.writing) return this.stored;
    // Another process wrote, such as an operator's command.
    this.#forgetAll();
    this.#seq = seq;
    return this.#cached;
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
    this.#changes++;
  }

  readonly #cached: MessageReader = {
    byId: (id) => {
      const seq = this.#seqs.get(id);
      const cached = seq === undefined ? undefined : this.#storedMessages.get(seq);
      return this.#whole(cached ?? this.#keep(this.#sql.byId.get(id)));
    },
    bySeq: (seq) => this.#whole(this.#storedMessages.get(seq) ?? this.#keep(this.#sql.bySeq.get(seq))),
  };

  #whole(message: CachedMessage | undefined): StoredMessage | undefined {
    if (message === undefined || message.wholeAt === this.#changes) return message?.whole;
    const whole = this.#stored(message, this.#authors, this.#verified, this.#threads);
    message.whole = whole;
    message.wholeAt = this.#changes;
    return whole;
  }

  /** Reads without caching. */
  readonly stored: MessageReader = {
    byId: (id) => this.#fromFile(this.#sql.byId.get(id)),
    bySeq: (seq) => this.#fromFile(this.#sql.bySeq.get(seq)),
  };

  #fromFile(row: unknown): StoredMessage | undefined {
    const message = this.#read(row);
    return message && this.#stored(message, new Map(), new Map(), new Map());
  }

  /** Facts about author and thread are looked up after each change: they change with every post by the author or in the thread. */
  #stored(message: CachedMessage, authors: Facts<AuthorFacts>, verifications: Facts<Verified>, threads: Facts<ThreadFacts>): StoredMessage {
    const { state, raw, seen } = message;
    const { firstSeen, messages, line = null } = this.#facts(authors, state.author, this.#sql.author, state.author) ?? unknownAuthor(state);
    const { verified } = this.#facts(verifications, state.principal, this.#sql.verified, state.principal) ?? { verified: 0 };
    const author = { firstSeen, messages, line, verified };
    const thread = this.#facts(threads, state.root, this.#sql.thread, message.thread) ?? unknownThread(state);
    return { state, raw, seen, author, thread, readAt: state.to === null ? null : this.#readAt(message, state.to) };
  }

  /** When the addressee read the message; null if it has not. Looked up each time until it has. */
  #readAt(message: CachedMessage, to: string): number | null {
    if (message.readAt !== undefined) return message.readAt;
    const found = this.#sql.readAt.get(to, message.state.seq) as { readonly at: number } | undefined;
    if (found === undefined) return null;
    message.readAt = found.at;
    return found.at;
  }

  #facts<Of extends object>(cache: Facts<Of>, key: string, statement: StatementSync, of: string | number): Of | undefined {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const row = statement.get(of) as Of | undefined;
    if (row === undefined) return undefined;
    // A copy: reading the fields of a row of SQLite takes much longer than those of a plain object.
    const facts = { ...row };
    cache.set(key, facts);
    return facts;
  }

  #keep(row: unknown): CachedMessage | undefined {
    const message = this.#read(row);
    if (message === undefined) return undefined;
    this.#storedMessages.set(message.state.seq, message);
    this.#seqs.set(message.state.id, message.state.seq);
    return message;
  }

  #read(row: unknown): CachedMessage | undefined {
    if (row === undefined) return undefined;
    // After the columns of the message state.
    const [thread, payload, sig, nonce] = (row as unknown[]).slice(-4) as [number, string, string, string];
    const state = stateFrom(row);
    return { state, raw: { payload, sig, nonce }, seen: this.#seenOf(state.id), thread };
  }

  #forgetAll(): void {
    this.#changes++;
    for (const map of [this.#storedMessages, this.#seqs, this.#authors, this.#verified, this.#threads]) map.clear();
  }
}
