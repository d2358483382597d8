// Threads in the writer's transaction: the number of each, how many live messages stand in it, and when the last one came.
import type { DatabaseSync } from "node:sqlite";
import { Recent } from "../../core/recent.ts";
import type { ThreadFacts } from "../../core/message/act.ts";

const NUMBERS_KEPT = 10_000;

/** The number of the thread with this root, as an expression; null where it has none. `root` is named several times. */
export function threadOf(root: () => string): string {
  const own = (table: string) => `(SELECT r.thread FROM ${table} r WHERE r.id = ${root()} AND r.root = ${root()})`;
  return `coalesce((SELECT s.thread FROM strays s WHERE s.root = ${root()}), ${own("messages")}, ${own("gone")})`;
}

export class ThreadBook {
  readonly #sql: ReturnType<typeof statements>;
  /** By root. */
  readonly #numbers = new Recent<string, number>(NUMBERS_KEPT);
  /** As the last message that joined left them; joining and showing follow each other. */
  #joined: { readonly root: string; readonly facts: ThreadFacts } | undefined;
  /** Of the message that is being entered, where it is the first of its thread. */
  #begun: number | undefined;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** The number for a new message of the thread; one that begins a thread gives it its own. `unmet`: nothing here refers to it. */
  enter({ root, id, seq }: { readonly root: string; readonly id: string; readonly seq: number }, unmet: boolean): number {
    // Replies may have come before what they reply to.
    const known = unmet && root === id ? undefined : this.number(root);
    if (known !== undefined) return known;
    this.#begun = seq;
    this.#numbers.set(root, seq);
    if (root !== id) this.#sql.addStray.run(root, seq);
    return seq;
  }

  join(root: string, now: number): number {
    const number = this.number(root);
    if (number === undefined) throw new Error(`The thread ${root} has no number.`);
    const messages = number === this.#begun ? 1 : this.#messages(number) + 1;
    this.#begun = undefined;
    if (messages === 1) this.#sql.begin.run(number, now);
    else this.#sql.join.run(messages, now, number);
    this.#joined = { root, facts: { messages, lastActivity: now } };
    return messages;
  }

  leave(root: string): number {
    const number = this.number(root);
    this.#joined = undefined;
    if (number === undefined) return 0;
    const messages = this.#messages(number) - 1;
    if (messages > 0) this.#sql.leave.run(messages, number);
    else {
      this.#sql.end.run(number);
      this.#sql.dropStray.run(root);
      this.#numbers.delete(root);
    }
    return Math.max(0, messages);
  }

  facts(root: string): ThreadFacts {
    if (this.#joined?.root === root) return this.#joined.facts;
    return (this.#sql.facts.get(this.number(root) ?? 0) as ThreadFacts | undefined) ?? { messages: 0, lastActivity: 0 };
  }

  number(root: string): number | undefined {
    const known = this.#numbers.get(root);
    if (known !== undefined) return known;
    const number = this.#sql.number.get(root)?.["number"] as number | null | undefined;
    if (number === null || number === undefined) return undefined;
    this.#numbers.set(root, number);
    return number;
  }

  /** A tombstone is about to be dropped; its thread may go on without it. */
  keepRootOf(gone: string): void {
    this.#sql.keepRoot.run(gone);
  }
  keepRootsBefore(at: number): void {
    this.#sql.keepRootsBefore.run(at);
  }

  /** What is remembered may not have come to be. */
  forget(): void {
    this.#numbers.clear();
    this.#joined = this.#begun = undefined;
  }

  #messages(number: number): number {
    return (this.#sql.messages.get(number)?.["messages"] as number | undefined) ?? 0;
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  const keep = (which: string) =>
    p(
      `INSERT OR IGNORE INTO strays (root, thread) SELECT g.root, g.thread FROM gone g JOIN threads t ON t.number = g.thread WHERE ${which}`,
    );
  return {
    number: p(`SELECT ${threadOf(() => "?1")} AS number`),
    messages: p("SELECT messages FROM threads WHERE number = ?"),
    facts: p("SELECT messages, last_activity AS lastActivity FROM threads WHERE number = ?"),
    begin: p("INSERT INTO threads (number, messages, last_activity) VALUES (?, 1, ?)"),
    join: p("UPDATE threads SET messages = ?, last_activity = ? WHERE number = ?"),
    leave: p("UPDATE threads SET messages = ? WHERE number = ?"),
    end: p("DELETE FROM threads WHERE number = ?"),
    addStray: p("INSERT INTO strays (root, thread) VALUES (?, ?)"),
    dropStray: p("DELETE FROM strays WHERE root = ?"),
    keepRoot: keep("g.id = ?"),
    keepRootsBefore: keep("g.at <= ?"),
  };
}
