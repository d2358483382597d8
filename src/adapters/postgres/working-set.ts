// What one batch sees of the board: rows fetched in bulk, and what the batch has changed.
import type { Head } from "../../core/log/checkpoint.ts";
import { GENESIS } from "../../core/log/chain.ts";
import type { AliasRow } from "../../core/message/alias-rules.ts";
import type { Gone, Label, Standing } from "../../core/message/standing.ts";
import type { Ref } from "../../core/protocol/payload.ts";
import type { ThreadFacts } from "../../core/message/act.ts";
import { BatchModeration } from "./moderation-book.ts";
import { Journal, Table } from "./table.ts";
import { Window } from "./window.ts";

export interface AgentRow {
  readonly pk: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly messages: number;
}
export interface StoredAlias extends AliasRow {
  readonly checkAt: number | null;
}
export interface StoredVote {
  readonly seq: number;
  readonly rel: "verifies" | "refutes";
}
export interface Answerer {
  readonly agent: string;
  readonly seq: number;
}

/** Keys of more than one part; none of the parts holds a space. */
export const keyOf = (...parts: readonly (string | number)[]): string => parts.join(" ");

export class WorkingSet {
  readonly journal = new Journal();
  /** Where the log stood when the batch began; what has a later seq, the database does not know. */
  start: Head = { seq: 0, hash: GENESIS };
  now = 0;
  readonly #bySeq = (key: string): boolean => Number.parseInt(key, 10) > this.start.seq;

  /** By id. */
  readonly messages = new Table<Standing>(this.journal);
  readonly gone = new Table<Gone>(this.journal);
  readonly agents = new Table<AgentRow>(this.journal);
  readonly threads = new Table<ThreadFacts>(this.journal);
  /** Votes of an agent on a target, oldest first, by target and agent. */
  readonly votes = new Table<readonly StoredVote[]>(this.journal, this.#bySeq);
  /** Agents with votes on a target when the batch began. */
  readonly voters = new Table<readonly string[]>(this.journal, this.#bySeq);
  /** The message that carries a signal, by target, agent and signal. */
  readonly signals = new Table<number>(this.journal, this.#bySeq);
  /** Until when an agent may not claim a message again, by both. */
  readonly barred = new Table<number>(this.journal, this.#bySeq);
  readonly answerers = new Table<readonly Answerer[]>(this.journal, this.#bySeq);
  readonly refs = new Table<readonly Ref[]>(this.journal, this.#bySeq);
  readonly labels = new Table<readonly Label[]>(this.journal, this.#bySeq);
  /** Hashes of a message's attachments. */
  readonly attached = new Table<readonly string[]>(this.journal, this.#bySeq);
  /** Ids of the first messages that reply to an id, and how many more of those that act there are. */
  readonly replies = new Table<{ readonly first: readonly string[]; readonly beyond: number }>(this.journal);
  /** The same of messages that came in this batch. */
  readonly repliesSince = new Table<readonly string[]>(this.journal, () => true);
  readonly aliases = new Table<StoredAlias>(this.journal);
  /** Live aliases of an agent when the batch began. */
  readonly held = new Table<readonly string[]>(this.journal);
  /** Messages that an agent held a lease on when the batch began. */
  readonly leases = new Table<readonly string[]>(this.journal);
  readonly arrived = new Table<true>(this.journal);
  /** Agents whose withdrawal was not done with when the batch began. */
  readonly withdrawing = new Table<true>(this.journal);
  /** Authors who withdrew everything before a seq, in this batch. */
  readonly withdrawals = new Map<string, number>();
  readonly moderation = new BatchModeration(this.journal);

  readonly #messageRows = {
    current: (id: string) => this.standing(id),
    changed: () => this.#changedMessages(),
    keyOf: ({ id }: Standing) => id,
  };
  readonly due = new Window<Standing>({
    ...this.#messageRows,
    belongs: ({ expiresAt }) => expiresAt <= this.now,
    compare: (a, b) => a.expiresAt - b.expiresAt || a.seq - b.seq,
  });
  readonly endedLeases = new Window<Standing>({
    ...this.#messageRows,
    belongs: ({ leaseUntil }) => leaseUntil !== null && leaseUntil <= this.now,
    compare: (a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0) || a.seq - b.seq,
  });
  readonly dueAliases = new Window<StoredAlias>({
    current: (alias) => this.aliases.get(alias),
    changed: () => [...this.aliases.changes.values()].filter((row) => row !== undefined),
    keyOf: ({ alias }) => alias,
    belongs: ({ checkAt }) => checkAt !== null && checkAt <= this.now,
    compare: (a, b) => (a.checkAt ?? 0) - (b.checkAt ?? 0) || (a.alias < b.alias ? -1 : 1),
  });
  /** What an author withdrew, oldest first. */
  readonly withdrawn = new Map<string, Window<Standing>>();

  /** All that rows are fetched for. */
  // oxfmt-ignore
  readonly #tables = [
    this.messages, this.gone, this.agents, this.threads, this.votes, this.voters, this.signals, this.barred, this.answerers,
    this.refs, this.labels, this.replies, this.aliases, this.held, this.leases, this.arrived, this.attached,
    this.withdrawing,
  ] as readonly { readonly missing: ReadonlySet<string> }[];
  get windows(): readonly { wanted: number; forget(): void }[] {
    return [this.due, this.endedLeases, this.dueAliases, ...this.withdrawn.values()];
  }

  /** Whether everything that was asked for is known; until it is, what came out is a guess that only tells what else to fetch. */
  get isKnown(): boolean {
    return (
      this.#tables.every(({ missing }) => missing.size === 0) && this.windows.every(({ wanted }) => wanted === 0) && this.moderation.isKnown
    );
  }

  /** A message as it is now: its author may have withdrawn it a moment ago. */
  standing(id: string): Standing | undefined {
    const row = this.messages.get(id);
    return row === undefined ? undefined : this.#asWithdrawn(row);
  }

  withdraw(author: string, seq: number): void {
    const before = this.withdrawals.get(author);
    this.journal.note(() => (before === undefined ? this.withdrawals.delete(author) : this.withdrawals.set(author, before)));
    this.withdrawals.set(author, Math.max(before ?? 0, seq));
    if (this.withdrawn.has(author)) return;
    this.withdrawn.set(
      author,
      new Window<Standing>({
        ...this.#messageRows,
        belongs: (row) => row.author === author && row.expiresAt <= this.now,
        compare: (a, b) => a.seq - b.seq,
      }),
    );
  }

  #asWithdrawn(row: Standing): Standing {
    const before = this.withdrawals.get(row.author);
    if (before === undefined || row.seq >= before || row.expiresAt <= this.now) return row;
    return { ...row, expiresAt: this.now, withdrawn: true };
  }

  *#changedMessages(): Generator<Standing> {
    for (const row of this.messages.changes.values()) if (row !== undefined) yield this.#asWithdrawn(row);
  }
}
