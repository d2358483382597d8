// Messages kept in memory after their first reading, until a transaction touches them.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Standing } from "../../core/message/standing.ts";
import type { AuthorFacts, Card, Raw, ThreadFacts, Touched } from "../../ports/store.ts";
import { STANDING_COLUMNS, toStanding } from "./rows.ts";

/** About 3 KB each. */
const CARDS_KEPT = 20_000;
const FACTS_KEPT = 50_000;

type Kept = Pick<Card, "standing" | "raw">;

export class SqliteCards {
  readonly #cards = new Map<number, Kept>();
  readonly #seqs = new Map<string, number>();
  readonly #authors = new Map<string, AuthorFacts>();
  readonly #threads = new Map<string, ThreadFacts>();
  readonly #sql: Readonly<Record<"byId" | "bySeq" | "author" | "thread", StatementSync>>;

  constructor(db: DatabaseSync) {
    const message = (where: string) =>
      db.prepare(`SELECT ${STANDING_COLUMNS}, c.payload, c.sig, c.nonce FROM messages m JOIN contents c ON c.seq = m.seq WHERE ${where}`);
    this.#sql = {
      byId: message("m.id = ?"),
      bySeq: message("m.seq = ?"),
      author: db.prepare("SELECT first_seen AS firstSeen, messages FROM agents WHERE id = ?"),
      thread: db.prepare("SELECT messages, last_activity AS lastActivity FROM threads WHERE root = ?"),
    };
  }

  byId(id: string): Card | undefined {
    const seq = this.#seqs.get(id);
    const kept = seq === undefined ? this.#keep(this.#sql.byId.get(id)) : this.#cards.get(seq);
    return kept === undefined ? undefined : this.#card(kept);
  }

  bySeq(seq: number): Card | undefined {
    const kept = this.#cards.get(seq) ?? this.#keep(this.#sql.bySeq.get(seq));
    return kept === undefined ? undefined : this.#card(kept);
  }

  forget({ seqs, agents, roots, all }: Touched): void {
    if (all) return this.forgetAll();
    for (const seq of seqs) this.#drop(seq);
    for (const agent of agents) this.#authors.delete(agent);
    for (const root of roots) this.#threads.delete(root);
  }

  forgetAll(): void {
    for (const map of [this.#cards, this.#seqs, this.#authors, this.#threads]) map.clear();
  }

  /** Facts of author and thread are looked up each time: they change with every post of theirs. */
  #card({ standing, raw }: Kept): Card {
    const author = this.#facts(this.#authors, standing.author, this.#sql.author) ?? { firstSeen: standing.receivedAt, messages: 1 };
    const thread = this.#facts(this.#threads, standing.root, this.#sql.thread) ?? { messages: 0, lastActivity: standing.receivedAt };
    return { standing, raw, author, thread };
  }

  #facts<Facts>(kept: Map<string, Facts>, key: string, statement: StatementSync): Facts | undefined {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const facts = statement.get(key) as Facts | undefined;
    if (facts === undefined) return undefined;
    if (kept.size >= FACTS_KEPT) kept.clear();
    kept.set(key, facts);
    return facts;
  }

  #keep(row: unknown): Kept | undefined {
    if (row === undefined) return undefined;
    const { payload, sig, nonce, ...rest } = row as Raw & Record<string, unknown>;
    const standing: Standing = toStanding(rest);
    const kept = { standing, raw: { payload, sig, nonce } };
    if (this.#cards.size >= CARDS_KEPT) this.#drop(this.#cards.keys().next().value!);
    this.#cards.set(standing.seq, kept);
    this.#seqs.set(standing.id, standing.seq);
    return kept;
  }

  #drop(seq: number): void {
    const kept = this.#cards.get(seq);
    if (kept === undefined) return;
    this.#cards.delete(seq);
    this.#seqs.delete(kept.standing.id);
  }
}
