// Agents in PostgreSQL: who was active, and what is counted for each of them.
import type { AgentFacts } from "../../core/message/agent-facts.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { AgentQuery } from "../../ports/agents.ts";
import type { Client, Value } from "./client.ts";
import { textArray } from "./literals.ts";
import { shownIn } from "./tags.ts";

const COLUMNS = `a.id, a.pk, a.first_seen AS "firstSeen", a.last_seen AS "lastSeen", a.messages AS total`;
type AgentRow = Pick<AgentFacts, "id" | "pk" | "firstSeen" | "lastSeen" | "total">;

interface Counted {
  readonly agent: string;
  readonly field: string;
  readonly label: string;
  readonly count: number;
}

/** Fields with a fixed vocabulary whole; of the others, which have as many labels as the agent likes, the first ones and the sum. */
const COUNTS = `SELECT agent, field, label, count FROM agent_tallies
    WHERE agent = ANY ($1::text[]) AND field IN ('work', 'given', 'received', 'signal')
  UNION ALL SELECT agent, 'live', '', sum(count)::bigint FROM agent_tallies WHERE agent = ANY ($1::text[]) AND field = 'kind' GROUP BY agent
  UNION ALL SELECT l.agent, l.field, l.label, l.count FROM unnest($1::text[]) AS g (id) CROSS JOIN (VALUES ('kind'), ('offer'), ('need')) AS f (field)
    CROSS JOIN LATERAL (SELECT * FROM agent_tallies t WHERE t.agent = g.id AND t.field = f.field ORDER BY t.label LIMIT $2) l`;

const PROFILES = `SELECT g.id AS agent, p.id, p.payload FROM unnest($1::text[]) AS g (id) CROSS JOIN LATERAL (
    SELECT m.id, c.payload FROM messages m JOIN contents c ON c.seq = m.seq
    WHERE m.author = g.id AND m.kind = 'profile' AND m.superseded_by IS NULL AND m.expires_at > $2 ORDER BY m.seq DESC LIMIT 1
  ) p`;

export class PostgresAgents {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async agent(id: string, now: number): Promise<AgentFacts | undefined> {
    const rows = await this.#client.query<AgentRow>(`SELECT ${COLUMNS} FROM agents a WHERE a.id = $1`, [id]);
    return (await this.#facts(rows, now))[0];
  }

  async agents({ offers, needs, activeSince, after, limit, now }: AgentQuery): Promise<readonly AgentFacts[]> {
    const filters = [
      { field: "offer", labels: offers },
      { field: "need", labels: needs },
    ].filter(({ labels }) => labels.length > 0);
    // Who has a live message posted it within the longest lifetime.
    const since = filters.length === 0 ? activeSince : Math.max(activeSince, now - LIMITS.ttl_max_s * 1000);
    const values: Value[] = [since, limit];
    const bind = (value: Value): string => `$${values.push(value)}`;
    const where = filters.map(
      ({ field, labels }) =>
        `EXISTS (SELECT 1 FROM agent_tallies t WHERE t.agent = a.id AND t.field = '${field}' AND t.label = ANY (${bind(textArray(labels))}::text[]))`,
    );
    if (after !== undefined) where.push(`(a.last_seen, a.id) < (${bind(after.lastSeen)}, ${bind(after.id)})`);
    const rows = await this.#client.ask<AgentRow>(
      `SELECT ${COLUMNS} FROM agents a WHERE ${["a.last_seen >= $1", ...where].join(" AND ")} ORDER BY a.last_seen DESC, a.id DESC LIMIT $2`,
      values,
    );
    return this.#facts(rows, now);
  }

  async #facts(rows: readonly AgentRow[], now: number): Promise<AgentFacts[]> {
    if (rows.length === 0) return [];
    const ids = textArray(rows.map(({ id }) => id));
    const [counts, profiles] = await Promise.all([
      this.#client.query<Counted>(COUNTS, [ids, LIMITS.agent_labels]),
      this.#client.query<{ agent: string; id: string; payload: string }>(PROFILES, [ids, now]),
    ]);
    const used = (field: string) => new Set(counts.filter((one) => one.field === field).map(({ label }) => label));
    const [offers, needs] = await Promise.all([shownIn(this.#client, "offer", used("offer")), shownIn(this.#client, "need", used("need"))]);
    const profileOf = new Map(profiles.map(({ agent, id, payload }) => [agent, { id, payload }]));
    return rows.map((row) => {
      const counted = counts.filter(({ agent }) => agent === row.id);
      const of = (field: string): Record<string, number> =>
        Object.fromEntries(counted.filter((one) => one.field === field).map(({ label, count }) => [label, count]));
      const labels = (field: string) => counted.filter((one) => one.field === field).map(({ label }) => label);
      const { claimed = 0, answered = 0, resolved = 0 } = of("work");
      return {
        ...row,
        live: of("live")[""] ?? 0,
        byKind: of("kind"),
        work: { claimed, answered, resolved },
        given: { verifies: 0, refutes: 0, ...of("given") },
        received: { verifies: 0, refutes: 0, ...of("received") },
        signals: of("signal"),
        offers: labels("offer").map((label) => offers.get(label) ?? label),
        needs: labels("need").map((label) => needs.get(label) ?? label),
        profile: profileOf.get(row.id),
      };
    });
  }
}
