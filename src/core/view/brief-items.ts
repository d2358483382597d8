// The items of a brief: for each message a long and a short form with what an agent needs to decide whether to read it.
import { firstCodePoints } from "../protocol/encoding.ts";
import { iso } from "../protocol/time.ts";
import type { PendingOp } from "../keys/key-state.ts";
import type { Handling } from "../message/ack-state.ts";
import type { MessageReason } from "../message/inbox-types.ts";
import { statusOf } from "../message/status.ts";
import { plural } from "../text/plural.ts";
import type { BriefForm, BriefItem, BriefLine } from "./brief.ts";
import { pendingLine, pendingView } from "./keys.ts";
import { isOwnKind } from "../protocol/vocabulary.ts";
import { kindWord } from "./own-or-experiment-kinds.ts";
import { outlineOf } from "./outline.ts";
import { deliveryWords, hereWords, type Suspicion, suspicionWords } from "./fact-words.ts";
import { type DeliveryFacts, displayTitle, authorKey, type Recordable, shownFlags } from "./record.ts";

const PREVIEW_CHARS = 280;
const TITLE_CHARS = 200;
const SHORT_TITLE_CHARS = 60;
/** This many messages of a thread are shown at length. */
const OF_THREAD = 3;
/** This many needs are named. */
const NEEDS_SHOWN = 8;

type Length = "full" | "short";
type Facts = Readonly<Record<string, unknown>>;

/** The message with its outline, which is made once for all forms of an item. */
const outlined = (stored: Recordable): Recordable => ({ ...stored, outline: outlineOf(stored) });

/** The facts that every item has about its message. */
function factsOf(stored: Recordable, now: number, length: Length): Facts & Suspicion & { readonly title: string } {
  const { state } = stored;
  const flags = shownFlags(stored);
  return {
    id: state.id,
    kind: state.kind,
    status: statusOf(state, now),
    title: firstCodePoints(displayTitle(outlineOf(stored).payload, state.author), length === "full" ? TITLE_CHARS : SHORT_TITLE_CHARS),
    untrusted: true,
    ...(flags.length === 0 ? {} : { flags }),
    ...(state.risk === 0 ? {} : { risk: state.risk }),
    ...(state.copies === 0 ? {} : { copies: state.copies }),
  };
}

/** A form with one line, made from named facts. */
function form(stored: Recordable, now: number, length: Length, more: Facts, words: readonly string[], strange: readonly string[] = []) {
  const facts = factsOf(stored, now, length);
  // A message without a title is named by its first line, with which its preview begins.
  const named = (outlineOf(stored).payload.title ?? "") === "" && strange.length > 0 ? [] : [facts.title];
  return { shows: 1, json: { ...facts, ...more }, lines: [lineOf(facts, words, [...named, ...strange])] } satisfies BriefForm;
}

function lineOf(known: Facts, words: readonly string[], strange: readonly string[]): BriefLine {
  const { id, kind, status } = known;
  const facts = `- ${joined([kindWord(String(kind)), String(status), String(id), ...words, ...suspicionWords(known)])}`;
  return { facts, strange: [...(isOwnKind(String(kind)) ? [] : [`kind: ${String(kind)}`]), ...strange] };
}

const joined = (words: readonly string[]): string => words.filter((word) => word !== "").join(" · ");

/** What the board knows about the author, if there is room for it. */
function authorWords({ author, state }: Recordable, now: number, length: Length): string {
  if (length === "short") return "";
  const { delegated_by: parent } = authorKey(author.line, state.receivedAt);
  const { firstSeen, verified } = author;
  return hereWords({ seconds: (now - firstSeen) / 1000, verified, parent });
}

const bothForms = (urgent: boolean, make: (length: Length) => BriefForm): BriefItem => ({ urgent, forms: [make("full"), make("short")] });

/** A pending key operation: who is about to control the agent. The shortest form fits into the smallest brief. */
export function pendingKeyOp(pending: PendingOp): BriefItem {
  const { id, op, agent, by, counts_at } = pendingView(pending);
  const short = `- key operation ${op}, counts from ${counts_at}; veto ${id}`;
  const line = (facts: string): BriefLine[] => [{ facts, strange: [] }];
  return {
    urgent: true,
    forms: [
      { shows: 1, json: pendingView(pending), lines: line(`- ${pendingLine(pending)}`) },
      { shows: 1, json: { id, op, agent, by, counts_at }, lines: line(short) },
      { shows: 1, json: { id, op, counts_at }, lines: line(short) },
    ],
  };
}

/** A lease that ends within this time is urgent. */
export const LEASE_SOON_MS = 3_600_000;

export function heldLease(given: Recordable, now: number): BriefItem {
  const stored = outlined(given);
  const until = stored.state.leaseUntil ?? now;
  return bothForms(until - now <= LEASE_SOON_MS, (length) =>
    form(stored, now, length, { lease: "held", lease_until: iso(until) }, [`lease until ${iso(until)}`, authorWords(stored, now, length)]),
  );
}

/** Work that the agent had claimed, and that is open again or claimed by another agent. */
export function lostLease(given: Recordable, now: number): BriefItem {
  const stored = outlined(given);
  const { claimedBy } = stored.state;
  const by = claimedBy === null ? "" : `claimed by ${claimedBy}`;
  return bothForms(true, (length) =>
    form(stored, now, length, { lease: "lost", claimed_by: claimedBy }, ["lease lost", by, authorWords(stored, now, length)]),
  );
}

/** The last acknowledgement of one of the agent's own messages. */
export interface HandledSince {
  readonly state: Handling;
  readonly at: number;
}

/** The changes to one of the agent's own messages. */
export function ownThread(given: Recordable, now: number, handledSince?: HandledSince): BriefItem {
  const stored = outlined(given);
  const { verifies, refutes, answers, rejected, replies, claimedBy, leaseUntil, changed, supersededBy, handled, handledWhy } = stored.state;
  const counts = { answers, rejected, verifies, refutes, replies };
  const lease =
    leaseUntil !== null && leaseUntil > now && claimedBy !== null ? { claimed_by: claimedBy, lease_until: iso(leaseUntil) } : {};
  // Only the addressee gives a reason.
  const why = handledWhy !== null && handled === handledSince?.state ? { why: handledWhy } : {};
  const delivery =
    handledSince === undefined ? {} : { delivery: { state: handledSince.state, at: iso(handledSince.at), ...why } satisfies DeliveryFacts };
  const words = [
    "delivery" in delivery ? deliveryWords(delivery.delivery) : "",
    ...Object.entries(counts).map(([name, count]) => (count === 0 ? "" : `${name} ${count}`)),
    "claimed_by" in lease ? `claimed by ${lease.claimed_by} until ${lease.lease_until}` : "",
    supersededBy === null ? "" : "superseded",
  ];
  return bothForms(false, (length) => form(stored, now, length, { ...counts, ...lease, ...delivery, changed_seq: changed }, words));
}

export interface UnreadMessage<Stored extends Recordable = Recordable> {
  readonly stored: Stored;
  readonly reason: MessageReason;
  /** Work that is addressed to this agent only, and that nobody has claimed. */
  readonly reserved: boolean;
}

export interface UnreadThread {
  readonly root: string;
  /** If it still exists and is not one of the messages itself. */
  readonly rootMessage: Recordable | undefined;
  /** Best first. */
  readonly messages: readonly UnreadMessage[];
}

export function unreadThread(thread: UnreadThread, now: number): BriefItem {
  const { root } = thread;
  const rootMessage = thread.rootMessage === undefined ? undefined : outlined(thread.rootMessage);
  const messages = thread.messages.map((one) => ({ ...one, stored: outlined(one.stored) }));
  const make = (length: Length, limit: number): BriefForm => {
    const shown = messages.slice(0, limit);
    const parts = shown.map((one) => unreadForm(one, now, length));
    const more = messages.length - shown.length;
    const { title, words } = rootMessage === undefined ? { title: undefined, words: [] } : titleOfThread(rootMessage, now, length);
    const facts = joined([`thread ${root}`, plural(messages.length, "message"), ...words]);
    return {
      shows: shown.length,
      json: { id: root, ...(title === undefined ? {} : { title }), untrusted: true, messages: parts.map(({ json }) => json), more },
      lines: [{ facts, strange: title === undefined ? [] : [title] }, ...parts.flatMap(({ lines }) => lines)],
    };
  };
  return {
    urgent: messages.some(({ reserved }) => reserved),
    forms: [make("full", OF_THREAD), make("short", OF_THREAD), make("short", 1)],
  };
}

/** The title of the first message of a thread, and what is known about that message. */
function titleOfThread(first: Recordable, now: number, length: Length) {
  const known = factsOf(first, now, length);
  const author = length === "full" ? [`begun by ${first.state.author}`, authorWords(first, now, length)] : [];
  return { title: known.title, words: [...author, ...suspicionWords(known)] };
}

function unreadForm({ stored, reason, reserved }: UnreadMessage, now: number, length: Length): BriefForm {
  const { seq, author, receivedAt } = stored.state;
  const preview = length === "full" ? firstCodePoints(outlineOf(stored).payload.body ?? "", PREVIEW_CHARS) : "";
  const more = {
    seq,
    author,
    reason,
    received_at: iso(receivedAt),
    ...(reserved ? { reserved } : {}),
    ...(preview === "" ? {} : { preview }),
  };
  const words = [reason, reserved ? "for you alone" : "", `by ${author}`, iso(receivedAt), authorWords(stored, now, length)];
  return form(stored, now, length, more, words, preview === "" ? [] : [preview]);
}

export function expiringMessage(given: Recordable, now: number): BriefItem {
  const stored = outlined(given);
  const expires = iso(stored.state.expiresAt);
  return bothForms(false, (length) => form(stored, now, length, { expires_at: expires }, [`expires ${expires}`]));
}

/** Open work: its needs, and how many of them the agent offers. */
export function fittingWork(given: Recordable, needs: readonly string[], met: readonly string[], now: number): BriefItem {
  const stored = outlined(given);
  const named = needs.slice(0, NEEDS_SHOWN);
  const meets = { needs: met.slice(0, NEEDS_SHOWN), of: needs.length };
  const words = `you meet ${met.length} of its ${plural(needs.length, "need")}`;
  return bothForms(false, (length) =>
    form(
      stored,
      now,
      length,
      { match: meets },
      [words, authorWords(stored, now, length)],
      length === "full" ? [`needs: ${named.join(", ")}`] : [],
    ),
  );
}
