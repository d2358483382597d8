// Messages kept in memory after their first reading, until a transaction touches them; never older than the file.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Head } from "../../core/log/checkpoint.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { AuthorFacts, ThreadFacts } from "../../core/message/act.ts";
import type { StoredMessage, Touched } from "../../ports/store.ts";
import { SqliteHead } from "./head.ts";
import { CARDS_KEPT, cardMemory, seenMemory, type SeenOf } from "../sql/card-memory.ts";
import { principalOf } from "../sql/key-rows.ts";
import { STANDING_COLUMNS, standingFrom } from "../sql/rows.ts";

const FACTS_KEPT = 50_000;

interface Kept extends Pick<StoredMessage, "standing" | "raw" | "seen"> {
  /** Its number. */
  readonly thread: number;
  /** Once it is known. */
  readAt?: number;
}

type Facts<Of extends object> = Pick<BoundedCache<string, Of>, "get" | "set">;

export interface CardReader {
  byId(id: string): StoredMessage | undefined;
  bySeq(seq: number): StoredMessage | undefined;
}

export class SqliteCards {
  readonly #cards = cardMemory<Kept>();
  readonly #seqs = new BoundedCache<string, number>(CARDS_KEPT);
  readonly #authors = new BoundedCache<string, AuthorFacts>(FACTS_KEPT);
  readonly #threads = new BoundedCache<string, ThreadFacts>(FACTS_KEPT);
  readonly #sql: Readonly<Record<"byId" | "bySeq" | "author" | "thread" | "readAt", StatementSync>>;
  /** Where the log stood when all that is kept was true. */
  #seq = -1;
  readonly #head: SqliteHead;

  readonly #seenOf: SeenOf;

  constructor(db: DatabaseSync, head = new SqliteHead(db), seenOf = seenMemory()) {
    this.#head = head;
    this.#seenOf = seenOf;
    const message = (where: string) => {
      const statement = db.prepare(
        `SELECT ${STANDING_COLUMNS}, m.thread, c.payload, c.sig, c.nonce FROM messages m JOIN contents c ON c.seq = m.seq WHERE ${where}`,
      );
      statement.setReturnArrays(true);
      return statement;
    };
    this.#sql = {
      byId: message("m.id = ?"),
      bySeq: message("m.seq = ?"),
      author: db.prepare("SELECT first_seen AS firstSeen, messages, line FROM agents WHERE id = ?"),
      thread: db.prepare("SELECT messages, last_activity AS lastActivity FROM threads WHERE number = ?"),
      readAt: db.prepare(`SELECT at FROM acks WHERE moved = 1 AND agent = ${principalOf("?1")} AND seen >= ?2 ORDER BY seen LIMIT 1`),
    };
  }

  head(): Head {
    return this.#head.read();
  }

  /** What to read cards through at this moment: memory where it is as new as the file, else the file itself. */
  current(): CardReader {
    const { seq } = this.#head.read();
    if (seq <= this.#seq) return this.#kept;
    // The file is ahead of what we have been told to forget.
    if (this.#head.writing) return this.stored;
    // Somebody else wrote, such as an operator's command.
    this.#forgetAll();
    this.#seq = seq;
    return this.#kept;
  }

  /** What a transaction touched; the log stands at `seq` since. */
  forget({ seqs, agents, roots, all }: Touched, seq: number): void {
    if (all) this.#forgetAll();
    for (const one of seqs) this.#cards.delete(one);
    for (const agent of agents) this.#authors.delete(agent);
    for (const root of roots) this.#threads.delete(root);
    this.#seq = seq;
  }

  readonly #kept: CardReader = {
    byId: (id) => {
      const seq = this.#seqs.get(id);
      const kept = seq === undefined ? undefined : this.#cards.get(seq);
      return this.#card(kept ?? this.#keep(this.#sql.byId.get(id)), this.#authors, this.#threads);
    },
    bySeq: (seq) => this.#card(this.#cards.get(seq) ?? this.#keep(this.#sql.bySeq.get(seq)), this.#authors, this.#threads),
  };

  /** Reads and keeps nothing. */
  readonly stored: CardReader = {
    byId: (id) => this.#card(this.#read(this.#sql.byId.get(id)), new Map(), new Map()),
    bySeq: (seq) => this.#card(this.#read(this.#sql.bySeq.get(seq)), new Map(), new Map()),
  };

  /** Facts of author and thread are looked up each time: they change with every post of theirs. */
  #card(kept: Kept | undefined, authors: Facts<AuthorFacts>, threads: Facts<ThreadFacts>): StoredMessage | undefined {
    if (kept === undefined) return undefined;
    const { standing, raw, seen } = kept;
    const author = this.#facts(authors, standing.author, this.#sql.author, standing.author) ?? {
      firstSeen: standing.receivedAt,
      messages: 1,
    };
    const thread = this.#facts(threads, standing.root, this.#sql.thread, kept.thread) ?? { messages: 0, lastActivity: standing.receivedAt };
    return { standing, raw, seen, author, thread, readAt: standing.to === null ? null : this.#readAt(kept, standing.to) };
  }

  /** Looked up until its addressee has read so far. */
  #readAt(kept: Kept, to: string): number | null {
    if (kept.readAt !== undefined) return kept.readAt;
    const found = this.#sql.readAt.get(to, kept.standing.seq) as { readonly at: number } | undefined;
    if (found === undefined) return null;
    kept.readAt = found.at;
    return found.at;
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
    this.#cards.set(kept.standing.seq, kept);
    this.#seqs.set(kept.standing.id, kept.standing.seq);
    return kept;
  }

  #read(row: unknown): Kept | undefined {
    if (row === undefined) return undefined;
    // After the columns of the standing.
    const [thread, payload, sig, nonce] = (row as unknown[]).slice(-4) as [number, string, string, string];
    const standing = standingFrom(row);
    return { standing, raw: { payload, sig, nonce }, seen: this.#seenOf(standing.id), thread };
  }

  #forgetAll(): void {
    for (const map of [this.#cards, this.#seqs, this.#authors, this.#threads]) map.clear();
  }
}
