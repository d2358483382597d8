// Messages to an agent after an entry, by threads: work for it alone first, then messages addressed to it, then replies to it and votes on its messages.
import type { MessageReason } from "../../core/message/inbox-types.ts";
import { isVote, isWorkable } from "../../core/protocol/vocabulary.ts";
import { atLeast, atMost, hasAny, oneOf } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import { type Outline, outlineOf } from "../../core/view/outline.ts";
import type { UnreadMessage, UnreadThread } from "../../core/view/brief-items.ts";
import { mapInSlices } from "../../ports/cpu-slices.ts";
import type { MessageReads, StoredMessage } from "../../ports/store.ts";
import type { LiveReads } from "./unpaged-live-messages.ts";
import { WORKABLE } from "./offered-work.ts";
import { warmFlags } from "./warm-guard-flags.ts";

export interface UnreadQuestion {
  /** Every key of the agent. */
  readonly all: readonly string[];
  readonly after: number;
  readonly upTo: number;
  /** How many messages are read: the newest, but the oldest if they are work for this agent alone. */
  readonly most: number;
  readonly now: number;
  /** Messages from before `after` that are new to the agent all the same. */
  readonly late: readonly StoredMessage[];
}

export interface Unread {
  readonly threads: readonly UnreadThread[];
  /** The number of messages, read or not. */
  readonly total: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

/** Counting stops here. */
const COUNTED = 2000;

type OutlinedMessage = StoredMessage & { readonly outline: Outline };

export async function unreadThreads(
  { all, after, upTo, most, now, late }: UnreadQuestion,
  live: LiveReads,
  messages: Pick<MessageReads, "findAll">,
): Promise<Unread> {
  const reaching = [hasAny("reaches", all), atLeast("seq", after + 1), atMost("seq", upTo)];
  const reserved = [oneOf("to", all), oneOf("kind", WORKABLE), oneOf("status", ["open"])];
  // At once: over a network, one after the other would take twice as long.
  const [forIt, newest, counted] = await Promise.all([
    live.read([...reaching, ...reserved], ORDERS.old, most),
    live.read(reaching, ORDERS.new, most),
    live.count(reaching, COUNTED + 1),
  ]);
  const found = new Map([...forIt, ...newest, ...late].map((stored) => [stored.state.id, stored]));
  const read = await mapInSlices(found.values(), (stored): OutlinedMessage => ({
    ...stored,
    outline: outlineOf(stored),
  }));
  const unread = read.map((stored) => unreadOf(stored, all));
  const threads = await byThread(unread, all, messages, now);
  await warmFlags(read);
  return { threads, total: Math.max(read.length, Math.min(counted, COUNTED) + late.length), more: counted > COUNTED };
}

function unreadOf(stored: OutlinedMessage, all: readonly string[]): UnreadMessage<OutlinedMessage> {
  const { kind, to, status } = stored.state;
  const isAddressed = to !== null && all.includes(to);
  const reason: MessageReason = kind === "email" ? "email" : isAddressed ? "addressed" : "reply";
  return { stored, reason, reserved: isAddressed && isWorkable(kind) && status === "open" };
}

/** Sorts by urgency, then newest first. */
function compare(a: UnreadMessage<OutlinedMessage>, b: UnreadMessage<OutlinedMessage>): number {
  const rank = ({ reserved, reason }: UnreadMessage<OutlinedMessage>): number => (reserved ? 0 : reason === "reply" ? 2 : 1);
  return rank(a) - rank(b) || b.stored.state.seq - a.stored.state.seq;
}

async function byThread(
  unread: readonly UnreadMessage<OutlinedMessage>[],
  all: readonly string[],
  messages: Pick<MessageReads, "findAll">,
  now: number,
): Promise<readonly UnreadThread[]> {
  const groups = Map.groupBy(unread.toSorted(compare), ({ stored }) => stored.state.root);
  const read = new Set(unread.map(({ stored }) => stored.state.id));
  const voted = (one: UnreadMessage<OutlinedMessage>): string[] =>
    (one.stored.outline.payload.refs ?? []).filter(isVote).map(({ id }) => id);
  const roots = [...groups.keys()].filter((root) => !read.has(root));
  const found = await messages.findAll([...new Set([...roots, ...unread.flatMap(voted)])], now);
  const isOwn = (id: string): boolean => {
    const target = found.get(id);
    return target !== undefined && all.includes("stored" in target ? target.stored.state.author : target.tombstone.author);
  };
  // As in the inbox: a vote on a message of the agent is a vote, whatever else it replies to.
  const asVote = (one: UnreadMessage<OutlinedMessage>): UnreadMessage<OutlinedMessage> =>
    one.reason === "reply" && voted(one).some(isOwn) ? { ...one, reason: "vote" } : one;
  return [...groups].map(([root, group]) => {
    const first = read.has(root) ? undefined : found.get(root);
    return { root, rootMessage: first !== undefined && "stored" in first ? first.stored : undefined, messages: group.map(asVote) };
  });
}
