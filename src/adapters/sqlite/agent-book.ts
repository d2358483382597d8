// Agents in the writer's transaction: whose key is whose, when they were last seen and how much they posted.
import type { DatabaseSync } from "node:sqlite";
import { Recent } from "../../core/recent.ts";
import type { AuthorFacts } from "../../core/message/act.ts";
import { silentAgents } from "../sql/silent-agents.ts";

const AGENTS_KEPT = 10_000;

interface Agent extends AuthorFacts {
  readonly number: number;
  readonly pk: string;
  readonly lastSeen: number;
}

export class AgentBook {
  readonly #sql: ReturnType<typeof statements>;
  /** As they stand in the database; who posts once posts again. */
  readonly #kept = new Recent<string, Agent>(AGENTS_KEPT);

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  find(id: string): Agent | undefined {
    return this.#kept.get(id) ?? this.#keep(id, this.#sql.find.get(id) as Agent | undefined);
  }

  /** Signed something at this moment, so many messages among it. */
  see(id: string, pk: string, messages: 0 | 1, now: number): void {
    const known = this.find(id);
    if (known === undefined) {
      const number = Number(this.#sql.add.run(id, pk, now, now, messages).lastInsertRowid);
      this.#keep(id, { number, pk, firstSeen: now, lastSeen: now, messages });
      return;
    }
    const seen = { ...known, lastSeen: now, messages: known.messages + messages };
    this.#sql.see.run(seen.lastSeen, seen.messages, seen.number);
    this.#kept.set(id, seen);
  }

  /** Forgets those who have done nothing since, and of whom nothing is left. */
  prune(before: number): void {
    if (this.#sql.prune.run(before).changes > 0) this.forget();
  }

  /** What is remembered may not have come to be. */
  forget(): void {
    this.#kept.clear();
  }

  #keep(id: string, agent: Agent | undefined): Agent | undefined {
    if (agent !== undefined) this.#kept.set(id, agent);
    return agent;
  }
}

function statements(db: DatabaseSync) {
  return {
    find: db.prepare("SELECT number, pk, first_seen AS firstSeen, last_seen AS lastSeen, messages FROM agents WHERE id = ?"),
    add: db.prepare("INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?, ?, ?, ?, ?)"),
    prune: db.prepare(`DELETE FROM agents WHERE id IN (${silentAgents("?")})`),
    see: db.prepare("UPDATE agents SET last_seen = ?, messages = ? WHERE number = ?"),
  };
}
