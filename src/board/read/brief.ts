// Gathers what concerns an agent: its leases, what became of its messages, what it has not read, what expires, and work that fits it.
import { atLeast, atMost, hasAny, not, oneOf } from "../../core/query/condition.ts";
import { foldLabel } from "../../core/protocol/labels.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { Brief, BriefSection } from "../../core/view/brief.ts";
import { expiringMessage, fittingWork, heldLease, lostLease, ownThread, pendingKeyOp, unreadThread } from "../../core/view/brief-items.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ListReads, LogReads, MessageReads, StoredMessage } from "../../ports/store.ts";
import type { KeyRing } from "./keys.ts";
import { liveReads, type LiveReads } from "./live-reads.ts";
import { changedOnly } from "./list.ts";
import { offeredTo } from "./offered-work.ts";
import { unreadThreads } from "./unread-threads.ts";
import { flagAhead } from "./warm-flags.ts";
import { needsOf } from "./work.ts";

export interface BriefQuestion {
  readonly agent: string;
  /** Code points that the answer may have: more than may fit is not read. */
  readonly budget: number;
  /** Where what is new begins. */
  readonly from: number;
}

export type GatherBrief = (question: BriefQuestion) => Promise<Brief>;

export interface BriefParts {
  readonly lists: ListReads;
  readonly messages: Pick<MessageReads, "findAll">;
  readonly log: Pick<LogReads, "head">;
  readonly keys: Pick<KeyRing, "of">;
  readonly clock: Clock;
}

/** What the sections are read by. */
interface Asked extends BriefQuestion {
  readonly to: number;
  readonly now: number;
  /** No more items than this have room. */
  readonly most: number;
  readonly live: LiveReads;
}

const LEAST_ITEM_CHARS = 150;
const FEWEST_READ = 16;
/** Own messages that are looked at. */
const OWN_READ = 500;
/** Own messages that end within this time. */
const EXPIRING_MS = 86_400_000;
/** Claims that are looked at for leases that were lost. */
const CLAIMS_READ = 64;
/** What passes by itself: nobody waits for what becomes of it. */
const PASSING = ["claim", "signal", "retraction"];
const LAST_CHANGED = { key: "changed", descending: true } as const;
/** Work that is looked at for what fits best. */
const WORK_READ = 64;

export function briefGatherer({ lists, messages, log, keys, clock }: BriefParts): GatherBrief {
  return async (question) => {
    const now = clock.now();
    const { seq: to } = await log.head();
    const most = Math.max(FEWEST_READ, Math.ceil(question.budget / LEAST_ITEM_CHARS));
    const asked: Asked = { ...question, to, now, most, live: liveReads(lists, now) };
    const sections = [
      ...(await pendingOf(question.agent, keys)),
      await leases(asked, messages),
      await threads(asked, lists),
      await unread(asked, messages),
      await expiring(asked),
      await work(asked, lists),
    ];
    return { agent: question.agent, from: question.from, to, budget: question.budget, sections };
  };
}

/** What must not be overlooked stands first, and only where there is any. */
async function pendingOf(agent: string, keys: Pick<KeyRing, "of">): Promise<BriefSection[]> {
  const { pending } = await keys.of(agent);
  return pending === null ? [] : [{ name: "pending", items: [pendingKeyOp(pending)], total: 1, more: false }];
}

async function leases(asked: Asked, messages: Pick<MessageReads, "findAll">): Promise<BriefSection> {
  const { agent, from, now, live, most } = asked;
  const held = await live.read([hasAny("claimedBy", [agent])], ORDERS.old, most);
  const claims = await live.read([oneOf("author", [agent]), oneOf("kind", ["claim"])], ORDERS.new, CLAIMS_READ);
  const targets = await messages.findAll([...new Set(claims.flatMap(claimed))], now);
  // Answered or resolved, it is not missed; what it lost long ago it has heard of.
  const lost = [...targets.values()].flatMap((found) => {
    if (!("card" in found)) return [];
    const { status, claimedBy, changed } = found.card.standing;
    const isLost = claimedBy !== agent && (status === "open" || status === "claimed") && changed > from;
    return isLost ? [found.card] : [];
  });
  await flagAhead([...held, ...lost]);
  const byEnd = held.toSorted((a, b) => (a.standing.leaseUntil ?? 0) - (b.standing.leaseUntil ?? 0));
  const items = [...lost.map((card) => lostLease(card, now)), ...byEnd.map((card) => heldLease(card, now))];
  return { name: "leases", items, total: items.length, more: false };
}

const claimed = ({ raw }: StoredMessage): string[] =>
  ((JSON.parse(raw.payload) as Payload).refs ?? []).flatMap(({ rel, id }) => (rel === "claims" ? [id] : []));

const ownOf = (agent: string) => [oneOf("author", [agent]), not(oneOf("kind", PASSING))];

/** Own messages that something has happened to since. */
async function threads({ agent, from, now, most, live }: Asked, lists: Pick<ListReads, "changedSince">): Promise<BriefSection> {
  const read = await live.read([...ownOf(agent), atLeast("changed", from + 1)], LAST_CHANGED, OWN_READ, await changedOnly(from, lists));
  const moved = read.filter(({ standing }) => standing.changed > standing.seq);
  const shown = moved.slice(0, most);
  await flagAhead(shown);
  const items = shown.map((card) => ownThread(card, now));
  return { name: "threads", items, total: moved.length, more: read.length === OWN_READ };
}

async function unread(asked: Asked, messages: Pick<MessageReads, "findAll">): Promise<BriefSection> {
  const { agent, from, to, now, most, live } = asked;
  const found = await unreadThreads({ agent, after: from, upTo: to, most, now }, live, messages);
  const items = found.threads.map((thread) => unreadThread(thread, now));
  return { name: "unread", items, total: found.total, more: found.more };
}

async function expiring({ agent, now, most, live }: Asked): Promise<BriefSection> {
  const soon = await live.read([...ownOf(agent), atMost("expiresAt", now + EXPIRING_MS)], ORDERS.expiring, OWN_READ);
  const shown = soon.slice(0, most);
  await flagAhead(shown);
  const items = shown.map((card) => expiringMessage(card, now));
  return { name: "expiring", items, total: soon.length, more: soon.length === OWN_READ };
}

/** Of an agent that says what it can do: what lacks the fewest of it first. */
async function work({ agent, now, most }: Asked, lists: ListReads): Promise<BriefSection> {
  const offers = ((await lists.agent(agent, now))?.offers ?? []).map(foldLabel);
  const walk = offeredTo(agent, now, lists, undefined);
  const conditions = [hasAny("needs", offers), not(oneOf("author", [agent]))];
  const found = offers.length === 0 ? [] : await walk({ conditions, order: ORDERS.old, after: undefined, limit: WORK_READ });
  const matched = found.map(({ card }) => {
    const needs = needsOf(card);
    return { card, needs, met: needs.filter((need) => offers.includes(foldLabel(need))) };
  });
  const lacks = ({ needs, met }: { readonly needs: readonly string[]; readonly met: readonly string[] }): number =>
    needs.length - met.length;
  const best = matched.toSorted((a, b) => lacks(a) - lacks(b) || a.card.standing.seq - b.card.standing.seq).slice(0, most);
  await flagAhead(best.map(({ card }) => card));
  const items = best.map(({ card, needs, met }) => fittingWork(card, needs, met, now));
  return { name: "work", items, total: found.length, more: found.length === WORK_READ };
}
