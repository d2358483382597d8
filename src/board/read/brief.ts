// Collects what concerns an agent: its leases, changes of its messages, unread messages, expiring ones, and matching work.
import { atLeast, atMost, hasAny, not, oneOf } from "../../core/query/condition.ts";
import { foldLabel } from "../../core/protocol/labels.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { Brief, BriefSection } from "../../core/view/brief.ts";
import { expiringMessage, fittingWork, heldLease, lostLease, ownThread, pendingKeyOp, unreadThread } from "../../core/view/brief-items.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InboxReads } from "../../ports/inbox.ts";
import type { ListReads, LogReads, MessageReads, StoredMessage } from "../../ports/store.ts";
import type { KeyRing } from "./keys.ts";
import { liveReads, type LiveReads } from "./live-reads.ts";
import { changedOnly } from "./list.ts";
import { offeredTo } from "./offered-work.ts";
import { storedAt } from "./stored-messages.ts";
import { unreadThreads } from "./unread-threads.ts";
import { warmFlags } from "./warm-flags.ts";
import { needsOf } from "./work.ts";

export interface BriefQuestion {
  readonly agent: string;
  /** Code points that the answer may have: no more is read than can fit. */
  readonly budget: number;
  /** The entry after which everything is new. */
  readonly from: number;
}

export type GatherBrief = (question: BriefQuestion) => Promise<Brief>;

export interface BriefParts {
  readonly lists: ListReads;
  readonly messages: Pick<MessageReads, "findAll">;
  readonly log: Pick<LogReads, "head">;
  readonly keys: Pick<KeyRing, "of" | "all">;
  readonly entries: InboxReads;
  readonly clock: Clock;
}

/** What the sections are read from. */
interface Asked extends BriefQuestion {
  /** Every key of the agent: what reached one of them, or was done with it, is the agent's. */
  readonly all: readonly string[];
  readonly to: number;
  readonly now: number;
  /** No more items than this fit. */
  readonly most: number;
  readonly live: LiveReads;
}

const LEAST_ITEM_CHARS = 150;
const FEWEST_READ = 16;
/** Own messages that are read. */
const OWN_READ = 500;
/** Own messages that end within this time. */
const EXPIRING_MS = 86_400_000;
/** Claims that are checked for lost leases. */
const CLAIMS_READ = 64;
/** Kinds that expire without anybody waiting for a result. */
const PASSING = ["claim", "signal", "retraction"];
const LAST_CHANGED = { key: "changed", descending: true } as const;
/** Work that is considered for the best match. */
const WORK_READ = 64;

export function briefGatherer({ lists, messages, log, keys, entries, clock }: BriefParts): GatherBrief {
  return async (question) => {
    const now = clock.now();
    const [{ seq: to }, all] = await Promise.all([log.head(), keys.all(question.agent)]);
    const most = Math.max(FEWEST_READ, Math.ceil(question.budget / LEAST_ITEM_CHARS));
    const asked: Asked = { ...question, all, to, now, most, live: liveReads(lists, now) };
    // At once: over a network, one after the other would take several times as long.
    const [pending, ...sections] = await Promise.all([
      pendingOf(question.agent, keys),
      leases(asked, messages),
      threads(asked, lists),
      unread(asked, messages, await lateReplies(asked, entries, lists)),
      expiring(asked),
      work(asked, lists),
    ]);
    return { agent: question.agent, from: question.from, to, budget: question.budget, sections: [...pending, ...sections] };
  };
}

/** Urgent sections come first, and only if they have items. */
async function pendingOf(agent: string, keys: Pick<KeyRing, "of">): Promise<BriefSection[]> {
  const { pending } = await keys.of(agent);
  return pending === null ? [] : [{ name: "pending", items: [pendingKeyOp(pending)], total: 1, more: false }];
}

async function leases(asked: Asked, messages: Pick<MessageReads, "findAll">): Promise<BriefSection> {
  const { all, from, now, live, most } = asked;
  const [held, claims] = await Promise.all([
    live.read([hasAny("claimedBy", all)], ORDERS.old, most),
    live.read([oneOf("author", all), oneOf("kind", ["claim"])], ORDERS.new, CLAIMS_READ),
  ]);
  const targets = await messages.findAll([...new Set(claims.flatMap(claimed))], now);
  // Answered or resolved work is not reported as lost, nor what was lost long ago.
  const lost = [...targets.values()].flatMap((found) => {
    if (!("stored" in found)) return [];
    const { status, claimedBy, changed } = found.stored.state;
    const isLost = !all.includes(claimedBy ?? "") && (status === "open" || status === "claimed") && changed > from;
    return isLost ? [found.stored] : [];
  });
  await warmFlags([...held, ...lost]);
  const byEnd = held.toSorted((a, b) => (a.state.leaseUntil ?? 0) - (b.state.leaseUntil ?? 0));
  const items = [...lost.map((stored) => lostLease(stored, now)), ...byEnd.map((stored) => heldLease(stored, now))];
  return { name: "leases", items, total: items.length, more: false };
}

const claimed = ({ raw }: StoredMessage): string[] =>
  ((JSON.parse(raw.payload) as Payload).refs ?? []).flatMap(({ rel, id }) => (rel === "claims" ? [id] : []));

const ownOf = (all: readonly string[]) => [oneOf("author", all), not(oneOf("kind", PASSING))];

/** Own messages that changed since. */
async function threads({ all, from, now, most, live }: Asked, lists: Pick<ListReads, "changedSince">): Promise<BriefSection> {
  // Since the beginning everything has changed.
  const only = from === 0 ? undefined : await changedOnly(from, lists);
  const read = await live.read([...ownOf(all), atLeast("changed", from + 1)], LAST_CHANGED, OWN_READ, only);
  const moved = read.filter(({ state }) => state.changed > state.seq);
  const shown = moved.slice(0, most);
  await warmFlags(shown);
  const items = shown.map((stored) => ownThread(stored, now));
  return { name: "threads", items, total: moved.length, more: read.length === OWN_READ };
}

/** Replies that came before the message that they reply to, where that has come since: their own place in the inbox is passed already. */
async function lateReplies(
  { agent, all: keys, from, to, now, most }: Asked,
  entries: InboxReads,
  lists: Pick<ListReads, "list">,
): Promise<readonly StoredMessage[]> {
  if (from === 0) return [];
  const range = { afterSeq: from, since: 0, place: undefined, oldest: false, upTo: to, limit: most, now };
  const rows = await entries.inbox({ agent, keys, reasons: new Set(["reply"]), ...range });
  const late = rows.filter(({ position }) => position.seq <= from).map(({ position }) => position.seq);
  return late.length === 0 ? [] : [...(await storedAt(lists, late, now)).values()];
}

async function unread(asked: Asked, messages: Pick<MessageReads, "findAll">, late: readonly StoredMessage[]): Promise<BriefSection> {
  const { all, from, to, now, most, live } = asked;
  const found = await unreadThreads({ all, after: from, upTo: to, most, now, late }, live, messages);
  const items = found.threads.map((thread) => unreadThread(thread, now));
  return { name: "unread", items, total: found.total, more: found.more };
}

async function expiring({ all, now, most, live }: Asked): Promise<BriefSection> {
  const soon = await live.read([...ownOf(all), atMost("expiresAt", now + EXPIRING_MS)], ORDERS.expiring, OWN_READ);
  const shown = soon.slice(0, most);
  await warmFlags(shown);
  const items = shown.map((stored) => expiringMessage(stored, now));
  return { name: "expiring", items, total: soon.length, more: soon.length === OWN_READ };
}

/** For an agent with offers: work with the fewest missing skills first. */
async function work({ agent, all, now, most }: Asked, lists: ListReads): Promise<BriefSection> {
  const offers = ((await lists.agent(agent, now))?.offers ?? []).map(foldLabel);
  if (offers.length === 0) return { name: "work", items: [], total: 0, more: false };
  const conditions = [hasAny("needs", offers), not(oneOf("author", all))];
  const walk = offeredTo(agent, now, lists, undefined);
  const found = await walk({ conditions, order: ORDERS.old, after: undefined, limit: WORK_READ });
  const matched = found.map(({ stored }) => {
    const needs = needsOf(stored);
    return { stored, needs, met: needs.filter((need) => offers.includes(foldLabel(need))) };
  });
  const lacks = ({ needs, met }: { readonly needs: readonly string[]; readonly met: readonly string[] }): number =>
    needs.length - met.length;
  const best = matched.toSorted((a, b) => lacks(a) - lacks(b) || a.stored.state.seq - b.stored.state.seq).slice(0, most);
  await warmFlags(best.map(({ stored }) => stored));
  const items = best.map(({ stored, needs, met }) => fittingWork(stored, needs, met, now));
  return { name: "work", items, total: found.length, more: found.length === WORK_READ };
}
