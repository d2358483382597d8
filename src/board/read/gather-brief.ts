// Collects what concerns an agent: its leases, changes of its messages, unread messages, expiring ones, and matching work.
import type { Handling } from "../../core/message/ack-state.ts";
import type { InboxReason } from "../../core/message/inbox-types.ts";
import { atLeast, atMost, hasAny, not, oneOf } from "../../core/query/condition.ts";
import { foldLabel } from "../../core/protocol/tags-needs-offers.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { Brief, BriefSection } from "../../core/view/brief.ts";
import {
  type HandledSince,
  expiringMessage,
  fittingWork,
  heldLease,
  lostLease,
  ownThread,
  pendingKeyOp,
  unreadThread,
} from "../../core/view/brief-items.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { mapInSlices } from "../../ports/cpu-slices.ts";
import type { InboxRow } from "../../ports/inbox.ts";
import { type StoredMessage, storedOf } from "../../ports/store.ts";
import type { KeyRing } from "./keys.ts";
import { liveReads, type LiveReads } from "./unpaged-live-messages.ts";
import { changedOnly } from "./list.ts";
import { offeredTo } from "./offered-work.ts";
import { storedAt } from "./messages-by-seq.ts";
import type { ReaderParts } from "./reader-parts.ts";
import { unreadThreads } from "./unread-threads.ts";
import { warmFlags } from "./warm-guard-flags.ts";
import { needsOf } from "./open-work.ts";

export interface BriefQuestion {
  readonly agent: string;
  /** The limit of the answer in code points: no more is read than can fit. */
  readonly budget: number;
  /** Everything after this entry is new; unless given, the entry up to which the agent has acknowledged its inbox. */
  readonly from?: number | undefined;
}

export type GatherBrief = (question: BriefQuestion) => Promise<Brief>;

export interface BriefParts extends Pick<ReaderParts, "lists" | "messages" | "log" | "entries" | "clock"> {
  readonly keys: Pick<KeyRing, "of" | "all">;
}

/** The question, and the services that its sections are read from. */
interface Asked extends Required<BriefQuestion>, BriefParts {
  readonly from: number;
  /** Every key of the agent: messages to any of them, or about their messages, are the agent's. */
  readonly all: readonly string[];
  readonly to: number;
  readonly now: number;
  /** The most items that can fit. */
  readonly most: number;
  readonly live: LiveReads;
}

const LEAST_ITEM_CHARS = 150;
const FEWEST_READ = 16;
/** The number of own messages that are read. */
const OWN_READ = 500;
/** Own messages that expire within this time are listed. */
const EXPIRING_MS = 86_400_000;
/** The number of claims, and of leases that ended, that are checked for lost leases. */
const CLAIMS_READ = 64;
/** Kinds that expire without anybody waiting for a result. */
const PASSING = ["claim", "signal", "retraction"];
const LAST_CHANGED = { key: "changed", descending: true } as const;
/** The amount of work that is considered for the best match. */
const WORK_READ = 64;

export function briefGatherer(parts: BriefParts): GatherBrief {
  const { lists, log, keys, entries, clock } = parts;
  return async (question) => {
    const now = clock.now();
    const { agent } = question;
    const [{ seq: to }, all, { seen }] = await Promise.all([log.head(), keys.all(agent), entries.reading(agent)]);
    const from = question.from ?? seen;
    const most = Math.max(FEWEST_READ, Math.ceil(question.budget / LEAST_ITEM_CHARS));
    const asked: Asked = { ...parts, ...question, from, all, to, now, most, live: liveReads(lists, now) };
    // At once: over a network, one after the other would take several times as long.
    const [pending, ...sections] = await Promise.all([
      pendingOf(asked),
      leases(asked),
      threads(asked),
      lateReplies(asked).then((late) => unread(asked, late)),
      expiring(asked),
      work(asked),
    ]);
    return { agent, from, to, budget: question.budget, sections: [...pending, ...sections] };
  };
}

/** Urgent sections come first, and only if they have items. */
async function pendingOf({ agent, keys }: Asked): Promise<BriefSection[]> {
  const { pending } = await keys.of(agent);
  return pending === null ? [] : [{ name: "pending", items: [pendingKeyOp(pending)], total: 1, more: false }];
}

async function leases(asked: Asked): Promise<BriefSection> {
  const { messages, lists, all, from, now, live } = asked;
  const [held, claims, ended] = await Promise.all([
    live.read([hasAny("claimedBy", all)], ORDERS.old, OWN_READ),
    live.read([oneOf("author", all), oneOf("kind", ["claim"])], ORDERS.new, CLAIMS_READ),
    changesSince(asked, "lease", CLAIMS_READ),
  ]);
  const [targets, withEndedLease] = await Promise.all([
    messages.findAll([...new Set((await mapInSlices(claims, claimed)).flat())], now),
    ended.length === 0 ? new Map<number, StoredMessage>() : storedAt(lists, [...new Set(ended.map(({ position }) => position.seq))], now),
  ]);
  // An expired claim is no longer found, but the inbox has the end of its lease. The inbox also has leases of others that ended on the
  // agent's own work; those are left out.
  const reported = [...withEndedLease.values()].filter(({ state }) => !all.includes(state.author));
  // Answered or resolved work is not reported as lost, nor is work that was lost before `from`.
  const isLost = ({ state: { status, claimedBy, changed } }: StoredMessage): boolean =>
    !all.includes(claimedBy ?? "") && (status === "open" || status === "claimed") && changed > from;
  const lost = [
    ...new Map([...storedOf(targets.values()), ...reported].filter(isLost).map((stored) => [stored.state.seq, stored])).values(),
  ];
  await warmFlags([...held, ...lost]);
  const byEnd = held.toSorted((a, b) => (a.state.leaseUntil ?? 0) - (b.state.leaseUntil ?? 0));
  const items = [
    ...(await mapInSlices(lost, (stored) => lostLease(stored, now))),
    ...(await mapInSlices(byEnd, (stored) => heldLease(stored, now))),
  ];
  const more = held.length === OWN_READ || claims.length === CLAIMS_READ || ended.length === CLAIMS_READ;
  return { name: "leases", items, total: items.length, more };
}

const claimed = (stored: StoredMessage): string[] =>
  (outlineOf(stored).payload.refs ?? []).flatMap(({ rel, id }) => (rel === "claims" ? [id] : []));

const ownOf = (all: readonly string[]) => [oneOf("author", all), not(oneOf("kind", PASSING))];

/** Own messages that changed since then, or that somebody acknowledged since then; the latest change first. */
async function threads(asked: Asked): Promise<BriefSection> {
  const { lists, all, from, now, most, live } = asked;
  const changed = async (): Promise<readonly StoredMessage[]> => {
    // If `from` is 0, every message has changed since.
    const only = from === 0 ? undefined : await changedOnly(from, lists);
    return live.read([...ownOf(all), atLeast("changed", from + 1)], LAST_CHANGED, OWN_READ, only);
  };
  const [read, acks] = await Promise.all([changed(), changesSince(asked, "ack", OWN_READ)]);
  const moved = read.filter(({ state }) => state.changed > state.seq);
  const others = new Set(acks.map(({ position }) => position.seq)).difference(new Set(moved.map(({ state }) => state.seq)));
  const acked = others.size === 0 ? [] : (await storedAt(lists, [...others], now)).values();
  // The newest come first. They are added last, so that the newest acknowledgement of each message stays in the map.
  const lastAcks = new Map(acks.toReversed().map((ack) => [ack.position.seq, ack]));
  const happened = ({ state }: StoredMessage): number => Math.max(state.changed, lastAcks.get(state.seq)?.position.key ?? 0);
  const listed = [...moved, ...acked].toSorted((a, b) => happened(b) - happened(a));
  const shown = listed.slice(0, most);
  await warmFlags(shown);
  const items = await mapInSlices(shown, (stored) => ownThread(stored, now, handledBy(lastAcks.get(stored.state.seq))));
  return { name: "threads", items, total: listed.length, more: read.length === OWN_READ || acks.length === OWN_READ };
}

const handledBy = (ack: InboxRow | undefined): HandledSince | undefined =>
  ack !== undefined && "became" in ack ? { state: ack.became as Handling, at: ack.at } : undefined;

/** Inbox entries with one reason since then, newest first. */
const changesSince = (
  { entries, agent, all: keys, from, to, now }: Asked,
  reason: InboxReason,
  limit: number,
): Promise<readonly InboxRow[]> =>
  entries.inbox({
    agent,
    keys,
    reasons: new Set([reason]),
    afterSeq: from,
    since: 0,
    place: undefined,
    oldest: false,
    upTo: to,
    limit,
    now,
  });

/**
 * Replies that came before the message they reply to, if that message has arrived since: the agent has already read past their place in
 * the inbox.
 */
async function lateReplies(asked: Asked): Promise<readonly StoredMessage[]> {
  const { lists, from, now, most } = asked;
  if (from === 0) return [];
  const rows = await changesSince(asked, "reply", most);
  const late = rows.filter(({ position }) => position.seq <= from).map(({ position }) => position.seq);
  return late.length === 0 ? [] : [...(await storedAt(lists, late, now)).values()];
}

async function unread({ messages, all, from, to, now, most, live }: Asked, late: readonly StoredMessage[]): Promise<BriefSection> {
  const found = await unreadThreads({ all, after: from, upTo: to, most, now, late }, live, messages);
  const items = await mapInSlices(found.threads, (thread) => unreadThread(thread, now));
  return { name: "unread", items, total: found.total, more: found.more };
}

async function expiring({ all, now, most, live }: Asked): Promise<BriefSection> {
  const soon = await live.read([...ownOf(all), atMost("expiresAt", now + EXPIRING_MS)], ORDERS.expiring, OWN_READ);
  const shown = soon.slice(0, most);
  await warmFlags(shown);
  const items = await mapInSlices(shown, (stored) => expiringMessage(stored, now));
  return { name: "expiring", items, total: soon.length, more: soon.length === OWN_READ };
}

/** For an agent with offers: work with the fewest missing skills first. */
async function work({ lists, agent, all, now, most }: Asked): Promise<BriefSection> {
  const offers = ((await lists.agent(agent, now))?.offers ?? []).map(foldLabel);
  if (offers.length === 0) return { name: "work", items: [], total: 0, more: false };
  const conditions = [hasAny("needs", offers), not(oneOf("author", all))];
  const found = await offeredTo(agent, now, lists)({ conditions, order: ORDERS.old, limit: WORK_READ });
  const matched = await mapInSlices(found, ({ stored }) => {
    const needs = needsOf(stored);
    return { stored, needs, met: needs.filter((need) => offers.includes(foldLabel(need))) };
  });
  const lacks = ({ needs, met }: { readonly needs: readonly string[]; readonly met: readonly string[] }): number =>
    needs.length - met.length;
  const best = matched.toSorted((a, b) => lacks(a) - lacks(b) || a.stored.state.seq - b.stored.state.seq).slice(0, most);
  await warmFlags(best.map(({ stored }) => stored));
  const items = await mapInSlices(best, ({ stored, needs, met }) => fittingWork(stored, needs, met, now));
  return { name: "work", items, total: found.length, more: found.length === WORK_READ };
}
