// A read-only board cannot sweep: this view corrects counts that still include ended messages, and leases that have ended.
import type { AgentFacts } from "../../core/message/agent-facts.ts";
import { foldLabel } from "../../core/protocol/tags-needs-offers.ts";
import { and, atLeast, atMost, type Condition, hasAny, not, oneOf, partsOf } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ListQuery, ListReads } from "../../ports/store.ts";
import type { TagFacts } from "../../ports/tags.ts";
import { WORKABLE } from "./offered-work.ts";
import { liveReads } from "./unpaged-live-messages.ts";

const FIELDS = { tag: "tags", need: "needs", offer: "offers" } as const;

/** What is read as it is stored. */
const asStored = (store: ListReads) =>
  ({
    head: () => store.head(),
    nextDue: () => store.nextDue(),
    leastState: () => store.leastState(),
    keysOf: (agent) => store.keysOf(agent),
    barredWork: (agent, now) => store.barredWork(agent, now),
    agentNames: (agents, now) => store.agentNames(agents, now),
    workCourses: (limit, now) => store.workCourses(limit, now),
    needSupply: (needs, now) => store.needSupply(needs, now),
    answerTimes: (agents, limit) => store.answerTimes(agents, limit),
    claimedWork: (agents, limit) => store.claimedWork(agents, limit),
    agentsByPrefix: (prefix, limit) => store.agentsByPrefix(prefix, limit),
    divided: (ids, now) => store.divided(ids, now),
    changedSince: (seq, limit) => store.changedSince(seq, limit),
  }) satisfies Partial<ListReads>;

/** The same lists; their numbers are those of the last sweep, their labels and leases are current. */
export function readOnlyView(store: ListReads, clock: Clock, { sync } = store): ListReads {
  const isCarried = async (conditions: readonly Condition[]): Promise<boolean> =>
    (await liveReads(store, clock.now()).count(conditions, 1)) > 0;
  const carried = async (words: readonly string[], of: (word: string) => readonly Condition[]): Promise<string[]> => {
    const inUse: string[] = [];
    for (const word of words) if (await isCarried(of(word))) inUse.push(word);
    return inUse;
  };
  const kinds = async (counts: Readonly<Record<string, number>>, ...more: readonly Condition[]): Promise<Record<string, number>> => {
    const inUse = await carried(Object.keys(counts), (kind) => [oneOf("kind", [kind]), ...more]);
    return Object.fromEntries(inUse.map((kind) => [kind, counts[kind] ?? 0]));
  };
  const agent = async (facts: AgentFacts): Promise<AgentFacts> => {
    const own = oneOf("author", [facts.id]);
    return {
      ...facts,
      byKind: await kinds(facts.byKind, own),
      offers: await carried(facts.offers, (word) => [own, hasAny("offers", [foldLabel(word)])]),
      needs: await carried(facts.needs, (word) => [own, hasAny("needs", [foldLabel(word)])]),
    };
  };
  const current = (query: ListQuery): ListQuery => ({ ...query, condition: withLeasesAt(query.condition, clock.now()) });
  return {
    ...asStored(store),
    list: (query) => store.list(current(query)),
    listSeqs: (query) => store.listSeqs(current(query)),
    countUpTo: (query) => store.countUpTo(current(query)),
    async listingReads() {
      const reads = await store.listingReads();
      return { head: () => reads.head(), nextDue: () => reads.nextDue(), list: (query) => reads.list(current(query)) };
    },
    ...(sync === undefined ? {} : { sync: { ...sync, list: (query: ListQuery) => sync.list(current(query)) } }),
    async openWork(root, limit, now) {
      const conditions = [oneOf("root", [root]), oneOf("kind", WORKABLE), ...statusAt(["open"], now)];
      const found = await liveReads(store, now).read(conditions, ORDERS.old, limit);
      return found.map(({ state }) => state.id);
    },
    async tags(query) {
      const live: TagFacts[] = [];
      for (let { after } = query; ;) {
        const page = await store.tags({ ...query, after });
        const words = await carried(
          page.map(({ tag }) => tag),
          (word) => [hasAny(FIELDS[query.field], [word])],
        );
        live.push(...page.filter(({ tag }) => words.includes(tag)));
        after = page.at(-1);
        // Only the last page may be short, so this one is filled with further tags.
        if (live.length >= query.limit || page.length < query.limit) return live.slice(0, query.limit);
      }
    },
    async boardStats(query) {
      const figures = await store.boardStats(query);
      return { ...figures, byKind: await kinds(figures.byKind) };
    },
    async agent(id, now) {
      const facts = await store.agent(id, now);
      return facts === undefined ? undefined : agent(facts);
    },
    async agents(query) {
      const found: AgentFacts[] = [];
      for (const facts of await store.agents(query)) found.push(await agent(facts));
      return found;
    },
  };
}

/** Work whose lease has ended is open, although it is stored as claimed. */
function withLeasesAt(condition: Condition, now: number): Condition {
  return and(
    ...partsOf(condition).flatMap((one) => {
      if (one.is === "oneOf" && one.field === "status") return statusAt(one.values, now);
      return one.is === "hasAny" && one.field === "claimedBy" ? [one, atLeast("leaseUntil", now + 1)] : [one];
    }),
  );
}

function statusAt(values: readonly string[], now: number): readonly Condition[] {
  const [open, claimed] = [values.includes("open"), values.includes("claimed")];
  if (open === claimed) return [oneOf("status", values)];
  const other = open ? atLeast("leaseUntil", now + 1) : atMost("leaseUntil", now);
  return [oneOf("status", open ? [...values, "claimed"] : values), not(and(oneOf("status", ["claimed"]), other))];
}
