// The items of a brief: of each message what an agent needs to decide whether to read on, at length and in short.
import type { Payload } from "../protocol/payload.ts";
import { firstCodePoints } from "../protocol/encoding.ts";
import { iso } from "../protocol/time.ts";
import { seenFlags } from "../guard/flags.ts";
import type { PendingOp } from "../keys/key-state.ts";
import { statusOf } from "../message/status.ts";
import { plural } from "../text/plural.ts";
import type { BriefForm, BriefItem, BriefLine } from "./brief.ts";
import { pendingLine, pendingView } from "./keys.ts";
import { isOwnKind } from "./own-kind.ts";
import { displayTitle, type Recordable } from "./record.ts";

const PREVIEW_CHARS = 280;
const TITLE_CHARS = 200;
const SHORT_TITLE_CHARS = 60;
/** So many messages of a thread are shown at length. */
const OF_THREAD = 3;
/** So many needs are named. */
const NEEDS_SHOWN = 8;

type Length = "full" | "short";
type Facts = Readonly<Record<string, unknown>>;

const payloadOf = (stored: Recordable): Payload => stored.payload ?? (JSON.parse(stored.raw.payload) as Payload);

/** What every item says of its message. */
function factsOf(stored: Recordable, now: number, length: Length): Facts & { readonly title: string } {
  const { state } = stored;
  const payload = payloadOf(stored);
  const flags = seenFlags(stored.seen ?? {}, () => payload);
  return {
    id: state.id,
    kind: state.kind,
    status: statusOf(state, now),
    title: firstCodePoints(displayTitle(payload, state.author), length === "full" ? TITLE_CHARS : SHORT_TITLE_CHARS),
    untrusted: true,
    ...(flags.length === 0 ? {} : { flags }),
  };
}

/** A form with one line, made of facts by their names. */
function form(stored: Recordable, now: number, length: Length, more: Facts, words: readonly string[], strange: readonly string[] = []) {
  const facts = factsOf(stored, now, length);
  return { shows: 1, json: { ...facts, ...more }, lines: [lineOf(facts, words, [facts.title, ...strange])] } satisfies BriefForm;
}

function lineOf({ id, kind, status, flags }: Facts, words: readonly string[], strange: readonly string[]): BriefLine {
  const isOwn = isOwnKind(String(kind));
  const warned = flags === undefined ? [] : [`flags: ${(flags as readonly string[]).join(", ")}`];
  const facts = ["-", [isOwn ? kind : "experiment", status, id, ...words, ...warned].filter((word) => word !== "").join(" · ")].join(" ");
  return { facts, strange: [...(isOwn ? [] : [`kind: ${String(kind)}`]), ...strange] };
}

const bothForms = (urgent: boolean, make: (length: Length) => BriefForm): BriefItem => ({ urgent, forms: [make("full"), make("short")] });

/** A key operation that waits: who is about to hold the agent. In the shortest form it has room in the smallest brief. */
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

export function heldLease(stored: Recordable, now: number): BriefItem {
  const until = stored.state.leaseUntil ?? now;
  return bothForms(until - now <= LEASE_SOON_MS, (length) =>
    form(stored, now, length, { lease: "held", lease_until: iso(until) }, [`lease until ${iso(until)}`]),
  );
}

/** Work that was claimed and is open, or another's, again. */
export function lostLease(stored: Recordable, now: number): BriefItem {
  const { claimedBy } = stored.state;
  const by = claimedBy === null ? "" : `claimed by ${claimedBy}`;
  return bothForms(true, (length) => form(stored, now, length, { lease: "lost", claimed_by: claimedBy }, ["lease lost", by]));
}

/** What became of a message of one's own. */
export function ownThread(stored: Recordable, now: number): BriefItem {
  const { verifies, refutes, answers, rejected, replies, claimedBy, leaseUntil, changed, supersededBy } = stored.state;
  const counts = { answers, rejected, verifies, refutes, replies };
  const lease =
    leaseUntil !== null && leaseUntil > now && claimedBy !== null ? { claimed_by: claimedBy, lease_until: iso(leaseUntil) } : {};
  const words = [
    ...Object.entries(counts).map(([name, count]) => (count === 0 ? "" : `${name} ${count}`)),
    "claimed_by" in lease ? `claimed by ${lease.claimed_by} until ${lease.lease_until}` : "",
    supersededBy === null ? "" : "superseded",
  ];
  return bothForms(false, (length) => form(stored, now, length, { ...counts, ...lease, changed_seq: changed }, words));
}

export interface UnreadMessage<Card extends Recordable = Recordable> {
  readonly stored: Card;
  readonly reason: string;
  /** Work that only this agent can take, and nobody has. */
  readonly reserved: boolean;
}

export interface UnreadThread {
  readonly root: string;
  /** Where it is still there, and is none of the messages itself. */
  readonly rootMessage: Recordable | undefined;
  /** The best first. */
  readonly messages: readonly UnreadMessage[];
}

export function unreadThread({ root, rootMessage, messages }: UnreadThread, now: number): BriefItem {
  const make = (length: Length, limit: number): BriefForm => {
    const shown = messages.slice(0, limit);
    const parts = shown.map((one) => unreadForm(one, now, length));
    const more = messages.length - shown.length;
    const title = rootMessage === undefined ? undefined : factsOf(rootMessage, now, length).title;
    const words = [`thread ${root}`, plural(messages.length, "message")].join(" · ");
    return {
      shows: shown.length,
      json: { id: root, ...(title === undefined ? {} : { title }), untrusted: true, messages: parts.map(({ json }) => json), more },
      lines: [{ facts: words, strange: title === undefined ? [] : [title] }, ...parts.flatMap(({ lines }) => lines)],
    };
  };
  return {
    urgent: messages.some(({ reserved }) => reserved),
    forms: [make("full", OF_THREAD), make("short", OF_THREAD), make("short", 1)],
  };
}

function unreadForm({ stored, reason, reserved }: UnreadMessage, now: number, length: Length): BriefForm {
  const { seq, author, receivedAt } = stored.state;
  const preview = length === "full" ? firstCodePoints(payloadOf(stored).body ?? "", PREVIEW_CHARS) : "";
  const more = {
    seq,
    author,
    reason,
    received_at: iso(receivedAt),
    ...(reserved ? { reserved } : {}),
    ...(preview === "" ? {} : { preview }),
  };
  const words = [reason, reserved ? "for you alone" : "", `by ${author}`, iso(receivedAt)];
  return form(stored, now, length, more, words, preview === "" ? [] : [preview]);
}

export function expiringMessage(stored: Recordable, now: number): BriefItem {
  const expires = iso(stored.state.expiresAt);
  return bothForms(false, (length) => form(stored, now, length, { expires_at: expires }, [`expires ${expires}`]));
}

/** Open work, what it needs, and how much of that the agent offers. */
export function fittingWork(stored: Recordable, needs: readonly string[], met: readonly string[], now: number): BriefItem {
  const named = needs.slice(0, NEEDS_SHOWN);
  const meets = { needs: met.slice(0, NEEDS_SHOWN), of: needs.length };
  const words = [`you meet ${met.length} of its ${plural(needs.length, "need")}`];
  return bothForms(false, (length) =>
    form(stored, now, length, { match: meets }, words, length === "full" ? [`needs: ${named.join(", ")}`] : []),
  );
}
