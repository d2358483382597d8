// Agents: who was active, and the counts of each.
import type { AgentFacts } from "../../core/message/agent-facts.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { AgentQuery } from "../../ports/agents.ts";
import type { ListReads } from "../../ports/store.ts";
import type { SeenOf } from "./message-caches.ts";
import { first, fromJson, spelled, type SqlRows, type SqlValue } from "./dialect.ts";
import { authorLineOf } from "./key-rows.ts";
import { SORTABLE } from "./lookup-table-spec.ts";
import { fewAtATime, firstFitting } from "./short-statements.ts";
import { shownAs } from "./tags.ts";

const COLUMNS = `a.id, a.pk, a.first_seen AS "firstSeen", a.last_seen AS "lastSeen", a.messages AS total, a.seen, a.last_ack AS "lastAck", a.line`;
type AgentRow = Pick<AgentFacts, "id" | "pk" | "firstSeen" | "lastSeen" | "total" | "seen" | "lastAck"> & { readonly line: string | null };
const ONE = `SELECT ${COLUMNS} FROM agents a WHERE a.id = $1`;

/** The tally of votes in force that verify an agent's work. */
export const VERIFIED_WORK = "field = 'received' AND label = 'verifies'";

interface LabelFilter {
  /** Agents with one of the labels. The field is in the statement's text, so that the database sees that the partial index fits. */
  readonly matching: (place: string) => string;
  readonly labels: string;
  readonly rows: number;
}

export const agentReads = (rows: SqlRows, seenOf: SeenOf): Pick<ListReads, "agent" | "agents"> => ({
  agent: async (id, now) => (await factsOf(rows, seenOf, await rows.all<AgentRow>(ONE, [id]), now))[0],
  agents: async (query) => factsOf(rows, seenOf, await pageOf(rows, query), query.now),
});

async function pageOf(rows: SqlRows, query: AgentQuery): Promise<readonly AgentRow[]> {
  const { after, limit, now } = query;
  const filters = [...(await filterBy(rows, "offer", query.offers)), ...(await filterBy(rows, "need", query.needs))];
  // An agent with a live message posted it within the longest lifetime.
  const since = filters.length === 0 ? query.activeSince : Math.max(query.activeSince, now - LIMITS.ttl_max_s * 1000);
  const values: SqlValue[] = [since];
  const bind = (value: SqlValue): string => `$${values.push(value)}`;
  const [fewest, ...others] = filters.sort((a, b) => a.rows - b.rows);
  // A few are looked up and sorted; otherwise agents are scanned in page order.
  const narrowest = fewest !== undefined && fewest.rows <= SORTABLE ? fewest : undefined;
  const from =
    narrowest === undefined
      ? "agents a WHERE"
      : `(SELECT DISTINCT t.agent FROM agent_tallies t WHERE ${narrowest.matching(bind(narrowest.labels))}) d
        CROSS JOIN agents a WHERE a.id = d.agent AND`;
  const tests = (narrowest === undefined ? filters : others).map(({ matching, labels }) =>
    rows.dialect.exists(`SELECT 1 FROM agent_tallies t WHERE t.agent = a.id AND ${matching(bind(labels))}`),
  );
  const tested = ["a.last_seen >= $1", ...tests].join(" AND ");
  const [where, fits] = narrowest === undefined ? ["a.last_seen >= $1", `CASE WHEN ${tested} THEN 1 ELSE 0 END`] : [tested, "1"];
  const [most, lastSeen, id] = [1, 2, 3].map((n) => `$${values.length + n}`);
  return firstFitting<AgentRow>(limit, (last, rowLimit) => {
    const place = last ?? after;
    const beyond = place === undefined ? "" : ` AND (a.last_seen, a.id) < (${lastSeen}, ${id})`;
    return rows.all<AgentRow & { readonly fits: number }>(
      `SELECT ${COLUMNS}, ${fits} AS fits FROM ${from} ${where}${beyond} ORDER BY a.last_seen DESC, a.id DESC LIMIT ${most}`,
      [...values, rowLimit, ...(place === undefined ? [] : [place.lastSeen, place.id])],
    );
  });
}

async function filterBy(rows: SqlRows, field: "offer" | "need", names: readonly string[]): Promise<LabelFilter[]> {
  if (names.length === 0) return [];
  const { dialect } = rows;
  const matching = (place: string): string => `t.field = '${field}' AND ${dialect.among("t.label", place, "text")}`;
  const labels = dialect.list(names);
  const counted = await first<{ rows: number }>(
    rows,
    `SELECT count(*) AS rows FROM (SELECT 1 FROM agent_tallies t WHERE ${matching("$1")} LIMIT ${SORTABLE + 1}) few`,
    [labels],
  );
  return [{ matching, labels, rows: counted?.rows ?? 0 }];
}

interface FactsRow {
  readonly agent: string;
  readonly fixed: string | null;
  readonly kinds: string | null;
  readonly offers: string | null;
  readonly needs: string | null;
}

/** The counts of an agent: all of them for fields with a fixed vocabulary, the first ones for fields that can have any number of labels. */
const FACTS = spelled(({ each, json }) => {
  const own = (columns: string): string => `SELECT ${columns} FROM agent_tallies t WHERE t.agent = g.value AND t.field`;
  const few = (field: string): string => `${own("t.label, t.count")} = '${field}' ORDER BY t.label LIMIT ${LIMITS.agent_labels}`;
  return `SELECT g.value AS agent,
      ${json(["field", "label", "count"], `${own("t.field, t.label, t.count")} IN ('live', 'work', 'given', 'received', 'signal') ORDER BY t.field, t.label`)} AS fixed,
      ${json(["label", "count"], few("kind"))} AS kinds,
      ${json(["label"], few("offer"))} AS offers,
      ${json(["label"], few("need"))} AS needs
    FROM ${each("$1", "text", "g")}`;
});

/** Every key that acts for one of these agents, with the facts that are stored per key. */
const MEMBERS = spelled(
  ({ each }) =>
    `SELECT k.principal, k.agent, coalesce(a.messages, 0) AS total, coalesce(a.seen, 0) AS seen, a.last_ack AS "lastAck"
      FROM ${each("$1", "text", "g")} JOIN keys k ON k.principal = g.value AND k.role <> 'signer' LEFT JOIN agents a ON a.id = k.agent`,
);
interface MemberRow extends Pick<AgentRow, "total" | "seen" | "lastAck"> {
  readonly principal: string;
  readonly agent: string;
}

const PROFILES = spelled(
  ({ each }) =>
    `SELECT p.agent, m.seq, m.id, c.payload FROM (SELECT g.value AS agent, (
      SELECT m.seq FROM messages m WHERE m.author = g.value AND m.kind = 'profile' AND m.superseded_by IS NULL AND +m.expires_at > $2
      ORDER BY m.seq DESC LIMIT 1) AS seq FROM ${each("$1", "text", "g")}) p
    JOIN messages m ON m.seq = p.seq JOIN contents c ON c.seq = p.seq`,
);

async function factsOf(rows: SqlRows, seenOf: SeenOf, found: readonly AgentRow[], now: number): Promise<AgentFacts[]> {
  if (found.length === 0) return [];
  // Counts are kept for the principal of a key.
  const principals = new Map(found.map(({ id, line }) => [id, authorLineOf(line)?.principal ?? id]));
  const ids = rows.dialect.list([...new Set(principals.values())]);
  const [counted, members] = await Promise.all([rows.all<FactsRow>(FACTS(rows), [ids]), rows.all<MemberRow>(MEMBERS(rows), [ids])]);
  const membersOf = Map.groupBy(members, ({ principal }) => principal);
  const authors = [...new Set([...found.map(({ id }) => id), ...members.map(({ agent }) => agent)])];
  const profiles = await profilesOf(rows, authors, now);
  const labelsOf = (text: string | null): string[] => (fromJson(text) as [string][]).map(([label]) => label);
  const used = (field: "offers" | "needs") => new Set(counted.flatMap((one) => labelsOf(one[field])));
  const [offerAs, needAs] = await Promise.all([shownAs(rows, "offer", used("offers")), shownAs(rows, "need", used("needs"))]);
  const countedOf = new Map(counted.map((one) => [one.agent, one]));
  return found.map((row) => {
    const { id, pk, firstSeen, lastSeen } = row;
    const principal = principals.get(id) ?? id;
    const own = countedOf.get(principal);
    const keys = membersOf.get(principal) ?? [{ ...row, agent: id }];
    const [written] = profiles.filter((one) => keys.some((key) => key.agent === one.agent)).sort((a, b) => b.seq - a.seq);
    const fixed = fromJson(own?.fixed ?? null) as [string, string, number][];
    const of = (field: string): Record<string, number> =>
      Object.fromEntries(fixed.filter(([one]) => one === field).map(([, label, count]) => [label, count]));
    const { claimed = 0, answered = 0, resolved = 0 } = of("work");
    return {
      id,
      pk,
      firstSeen,
      lastSeen,
      total: keys.reduce((sum, key) => sum + key.total, 0),
      seen: Math.max(...keys.map((key) => key.seen)),
      lastAck: keys.reduce<number | null>((last, key) => (key.lastAck === null ? last : Math.max(last ?? 0, key.lastAck)), null),
      live: of("live")[""] ?? 0,
      byKind: Object.fromEntries(fromJson(own?.kinds ?? null) as [string, number][]),
      work: { claimed, answered, resolved },
      given: { verifies: 0, refutes: 0, ...of("given") },
      received: { verifies: 0, refutes: 0, ...of("received") },
      signals: of("signal"),
      offers: labelsOf(own?.offers ?? null).map(offerAs),
      needs: labelsOf(own?.needs ?? null).map(needAs),
      profile: written && { id: written.id, payload: written.payload, seen: seenOf(written.id) },
    };
  });
}

/** A profile may have half a megabyte, so a few are read at a time. */
const PROFILES_PER_READ = 16;

const profilesOf = (rows: SqlRows, authors: readonly string[], now: number): Promise<readonly ProfileRow[]> =>
  fewAtATime(authors, PROFILES_PER_READ, (few) => rows.all<ProfileRow>(PROFILES(rows), [rows.dialect.list(few), now]));

interface ProfileRow {
  readonly agent: string;
  readonly seq: number;
  readonly id: string;
  readonly payload: string;
}
