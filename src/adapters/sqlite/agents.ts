// Agents in SQLite: who was active, and what is counted for each of them.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { AgentFacts } from "../../core/message/agent-facts.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { AgentQuery } from "../../ports/agents.ts";
import { SORTABLE } from "../sql/driven.ts";
import type { SqliteTags } from "./tags.ts";

const COLUMNS = "a.id, a.pk, a.first_seen AS firstSeen, a.last_seen AS lastSeen, a.messages AS total";
type AgentRow = Pick<AgentFacts, "id" | "pk" | "firstSeen" | "lastSeen" | "total">;
type LabelField = "offer" | "need";

interface LabelFilter {
  readonly field: LabelField;
  /** The labels as a JSON array, so that a list of any length is the same statement. */
  readonly labels: string;
  readonly rows: number;
}

export class SqliteAgents {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof statements>;
  readonly #lists = new Map<string, StatementSync>();

  readonly #tags: SqliteTags;

  constructor(db: DatabaseSync, tags: SqliteTags) {
    this.#db = db;
    this.#tags = tags;
    this.#sql = statements(db);
  }

  agent(id: string, now: number): AgentFacts | undefined {
    const row = this.#sql.agent.get(id) as AgentRow | undefined;
    return row === undefined ? undefined : this.#facts(row, now);
  }

  agents(query: AgentQuery): AgentFacts[] {
    const { after, limit, now } = query;
    const filters = [...this.#filter("offer", query.offers), ...this.#filter("need", query.needs)].sort((a, b) => a.rows - b.rows);
    // Who has a live message posted it within the longest lifetime.
    const since = filters.length === 0 ? query.activeSince : Math.max(query.activeSince, now - LIMITS.ttl_max_s * 1000);
    const values: SQLInputValue[] = [];
    const [first] = filters;
    const drives = first !== undefined && first.rows <= SORTABLE;
    let from = "agents a";
    if (drives) {
      from = `(SELECT DISTINCT agent FROM agent_tallies WHERE ${labelSql(first.field)}) d CROSS JOIN agents a ON a.id = d.agent`;
      values.push(first.labels);
    }
    const where = ["a.last_seen >= ?"];
    values.push(since);
    for (const { field, labels } of drives ? filters.slice(1) : filters) {
      where.push(`EXISTS (SELECT 1 FROM agent_tallies WHERE agent = a.id AND ${labelSql(field)})`);
      values.push(labels);
    }
    if (after !== undefined) {
      where.push("(a.last_seen, a.id) < (?, ?)");
      values.push(after.lastSeen, after.id);
    }
    const sql = `SELECT ${COLUMNS} FROM ${from} WHERE ${where.join(" AND ")} ORDER BY a.last_seen DESC, a.id DESC LIMIT +?`;
    const rows = this.#list(sql).all(...values, limit) as unknown as AgentRow[];
    return rows.map((row) => this.#facts(row, now));
  }

  #filter(field: LabelField, labels: readonly string[]): LabelFilter[] {
    if (labels.length === 0) return [];
    const text = JSON.stringify(labels);
    const rows = this.#sql.having[field].get(text, SORTABLE + 1)?.["rows"] as number;
    return [{ field, labels: text, rows }];
  }

  #facts(row: AgentRow, now: number): AgentFacts {
    const { id } = row;
    const counted = this.#sql.counts.all(id) as unknown as { field: string; label: string; count: number }[];
    const of = (field: string): Record<string, number> =>
      Object.fromEntries(counted.filter((one) => one.field === field).map(({ label, count }) => [label, count]));
    const { claimed = 0, answered = 0, resolved = 0 } = of("work");
    const labels = (field: string) => this.#sql.labels.all(id, field, LIMITS.agent_labels) as unknown as { label: string; count: number }[];
    return {
      ...row,
      live: this.#sql.live.get(id)?.["count"] as number,
      byKind: Object.fromEntries(labels("kind").map(({ label, count }) => [label, count])),
      work: { claimed, answered, resolved },
      given: { verifies: 0, refutes: 0, ...of("given") },
      received: { verifies: 0, refutes: 0, ...of("received") },
      signals: of("signal"),
      offers: labels("offer").map(({ label }) => this.#tags.shown("offer", label)),
      needs: labels("need").map(({ label }) => this.#tags.shown("need", label)),
      profile: this.#sql.profile.get(id, now) as AgentFacts["profile"],
    };
  }

  #list(sql: string): StatementSync {
    let statement = this.#lists.get(sql);
    if (statement === undefined) this.#lists.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

/** The field stands in the text, for only then SQLite sees that the partial index fits. */
const labelSql = (field: LabelField): string => `field = '${field}' AND label IN (SELECT value FROM json_each(?))`;

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  const having = (field: LabelField) => p(`SELECT count(*) AS rows FROM (SELECT 1 FROM agent_tallies WHERE ${labelSql(field)} LIMIT +?)`);
  return {
    agent: p(`SELECT ${COLUMNS} FROM agents a WHERE a.id = ?`),
    having: { offer: having("offer"), need: having("need") },
    // Fields with a fixed vocabulary; the others have as many labels as the agent likes.
    live: db.prepare("SELECT coalesce(sum(count), 0) AS count FROM agent_tallies WHERE agent = ? AND field = 'kind'"),
    counts: p(`SELECT field, label, count FROM agent_tallies
      WHERE agent = ? AND field IN ('work', 'given', 'received', 'signal')`),
    labels: p("SELECT label, count FROM agent_tallies WHERE agent = ? AND field = ? ORDER BY label LIMIT +?"),
    profile: p(`SELECT m.id, c.payload FROM messages m JOIN contents c ON c.seq = m.seq
      WHERE m.author = ? AND m.kind = 'profile' AND m.superseded_by IS NULL AND m.expires_at > ? ORDER BY m.seq DESC LIMIT 1`),
  };
}
