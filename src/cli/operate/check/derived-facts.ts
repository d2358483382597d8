// Compares every derived fact of a board with the same fact of a board that is replayed from the log.
import type { MessageState } from "../../../core/message/message-state.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import { ORDERS } from "../../../core/query/order.ts";
import { type FilterValues, meaningOf } from "../../../core/query/filters.ts";
import { and, atLeast } from "../../../core/query/condition.ts";
import { DAY_MS, HOUR_MS } from "../../../core/durations.ts";
import { BEFORE_ANY_EXPIRY, type StoredMessage, type Store } from "../../../ports/store.ts";
import type { TagFacts } from "../../../ports/tags.ts";
import type { Findings } from "./findings.ts";

const ROWS_PER_READ = 500;
const MOST = 1_000_000;

/** Not compared: `changed`, and what the guard found when the message came. */
const STATE_FIELDS = [
  "seq author principal kind root receivedAt expiresAt to bits assisted hasData hasAttachment lang signal repliedTo status verifies refutes",
  "replies answers answersVerified rejected signals resolvedByAuthor duplicateOf claimedBy leaseUntil claimSeq supersededBy supersededAt withdrawn",
  "handled handledAt handledWhy",
].flatMap((names) => names.split(" "));
const AGENT = ["live", "byKind", "work", "given", "received", "signals", "offers", "needs", "profile"];

export interface ComparedBoards {
  /** The board that is replayed from the log. */
  readonly expected: Store;
  readonly found: Store;
  readonly now: number;
  /** Whether the log is complete from its first entry, so that totals can be counted. */
  readonly whole: boolean;
  /** When each agent first claimed an alias, which may be before its first message. */
  readonly aliased: ReadonlyMap<string, number>;
}

export async function compareFacts(sides: ComparedBoards, ids: readonly string[], findings: Findings): Promise<void> {
  const agents = new Set<string>();
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const batch = ids.slice(at, at + ROWS_PER_READ);
    const [expected, found] = await Promise.all([storedMessages(sides.expected, batch), storedMessages(sides.found, batch)]);
    for (const id of batch) {
      const [wanted, stored] = [expected.get(id), found.get(id)];
      if (wanted !== undefined && stored !== undefined) await compareMessage(sides, wanted, stored, agents, findings);
      else if (wanted !== stored)
        findings.add(
          `message ${id}`,
          wanted === undefined ? "exists, but is gone according to the log" : "is gone, but exists according to the log",
        );
    }
  }
  for (const agent of agents) await compareAgent(sides, agent, findings);
  await compareTags(sides, findings);
  await compareFigures(sides, findings);
}

async function storedMessages(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, StoredMessage>> {
  const found = await store.findAll(ids, BEFORE_ANY_EXPIRY);
  return new Map([...found].flatMap(([id, one]) => ("stored" in one ? [[id, one.stored]] : [])));
}

async function compareMessage(
  sides: ComparedBoards,
  wanted: StoredMessage,
  stored: StoredMessage,
  agents: Set<string>,
  findings: Findings,
): Promise<void> {
  const where = `message ${wanted.state.id}`;
  findings.compare(where, STATE_FIELDS, facts(wanted.state), facts(stored.state));
  findings.compare(where, ["readAt"], wanted, stored);
  findings.compare(`thread of ${where}`, ["messages", "lastActivity"], wanted.thread, stored.thread);
  const { seq, author, to, repliedTo } = wanted.state;
  for (const agent of [author, ...repliedTo, ...(to === null ? [] : [to])]) agents.add(agent);
  const [refs, votes] = [await both(sides, (store) => store.refs([seq])), await both(sides, (store) => store.verifiers([seq]))];
  findings.compare(where, ["refs"], { refs: refs[0] }, { refs: refs[1] });
  findings.compare(where, ["verifiers"], { verifiers: votes[0].get(seq)?.toSorted() }, { verifiers: votes[1].get(seq)?.toSorted() });
}

const facts = (state: MessageState) => ({ ...state, repliedTo: state.repliedTo.toSorted() });

async function compareAgent(sides: ComparedBoards, agent: string, findings: Findings): Promise<void> {
  const where = `agent ${agent}`;
  const [wanted, stored] = await both(sides, (store) => store.agent(agent, sides.now));
  // An agent that was only addressed, and never wrote, does not exist yet.
  if (wanted === undefined) return;
  if (stored === undefined) return findings.add(where, "is unknown, but has posted according to the log");
  const firstSeen = Math.min(wanted.firstSeen, sides.aliased.get(agent) ?? Infinity);
  const short = { ...wanted, firstSeen, profile: wanted.profile?.id ?? null };
  // An agent that was silent for long enough was forgotten, and has started again since.
  const counted = sides.whole && firstSeen > sides.now - LIMITS.agent_days * DAY_MS;
  // `seen` only grows, so the last entry that changed it decides.
  const names = [...AGENT, ...(counted ? ["firstSeen", "total"] : []), ...(wanted.seen > 0 ? ["seen"] : [])];
  findings.compare(where, names, short, { ...stored, profile: stored.profile?.id ?? null });
  if (stored.lastSeen < wanted.lastSeen) findings.add(where, "was last seen later according to the log");
  const [inbox, reached] = await both(sides, (store) => seqsOf(store, { inbox: [agent] }, sides.now));
  findings.compare(where, ["inbox"], { inbox }, { inbox: reached });
}

async function compareTags(sides: ComparedBoards, findings: Findings): Promise<void> {
  for (const field of ["tag", "need", "offer"] as const) {
    const [wanted, stored] = await both(sides, (store) => tagsOf(store, field));
    for (const tag of new Set([...wanted.keys(), ...stored.keys()])) {
      const where = `${field} ${JSON.stringify(tag)}`;
      findings.compare(where, ["count"], { count: wanted.get(tag) ?? 0 }, { count: stored.get(tag) ?? 0 });
      const filter = field === "tag" ? { tag: [tag] } : field === "need" ? { needs: [tag] } : { offers: [tag] };
      const [expected, found] = await both(sides, (store) => seqsOf(store, filter, sides.now));
      findings.compare(where, ["messages"], { messages: expected }, { messages: found });
    }
  }
}

async function tagsOf(store: Store, field: "tag" | "need" | "offer"): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number>();
  for (let after: TagFacts | undefined; ;) {
    const page = await store.tags({ field, prefix: "", after, limit: ROWS_PER_READ });
    for (const { tag, count } of page) all.set(tag, count);
    after = page.at(-1);
    if (after === undefined) return all;
  }
}

function seqsOf(store: Store, filter: FilterValues, now: number): Promise<readonly number[]> {
  return store.listSeqs({ condition: and(atLeast("expiresAt", 1), ...meaningOf(filter, now)), order: ORDERS.old, limit: MOST });
}

async function compareFigures(sides: ComparedBoards, findings: Findings): Promise<void> {
  const { now } = sides;
  const query = { hourAgo: now - HOUR_MS, dayAgo: now - DAY_MS, firstHour: Math.floor(now / HOUR_MS) - 167 };
  const [wanted, stored] = await both(sides, (store) => store.boardStats(query));
  const shown = (figures: typeof wanted) => ({ ...figures, hourly: Object.fromEntries(figures.hourly) });
  findings.compare("counts", ["byStatus", "byKind", "openWork", "threads", "lastHour", "lastDay", "hourly"], shown(wanted), shown(stored));
}

async function both<Answer>(
  { expected, found }: ComparedBoards,
  ask: (store: Store) => Promise<Answer>,
): Promise<readonly [Answer, Answer]> {
  return [await ask(expected), await ask(found)];
}
