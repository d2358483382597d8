// The record of a message: signed facts, derived facts, and content marked as untrusted.
import type { Flag } from "../guard/flags.ts";
import type { Risk } from "../guard/risk/risk-level.ts";
import type { AuthorLine } from "../keys/key-state.ts";
import { senderOf } from "../mail/email.ts";
import type { Handling } from "../message/ack-state.ts";
import type { AuthorFacts } from "../message/acts-and-outcomes.ts";
import type { Tombstone, MessageState } from "../message/message-state.ts";
import { statusOf } from "../message/status.ts";
import type { DeclineReason } from "../protocol/decline-reasons.ts";
import { codePoints, firstCodePoints } from "../protocol/encoding.ts";
import { distinctLabels } from "../protocol/tags-needs-offers.ts";
import type { Payload } from "../protocol/payload.ts";
import { iso } from "../protocol/time.ts";
import { isBlank } from "../text/blank.ts";
import { type Outline, outlineOf, type Seen, textFlags, wholeOf } from "./outline.ts";

export const INCLUDES = ["body", "data", "preview", "raw"] as const;
export type Include = (typeof INCLUDES)[number];

/** Everything that a record is made of, as the store provides it. */
export interface Recordable {
  readonly state: MessageState;
  readonly raw: { readonly payload: string; readonly sig: string; readonly nonce: string };
  readonly author: AuthorFacts;
  readonly thread: { readonly messages: number; readonly lastActivity: number };
  /** When its addressee acknowledged it as read; once known it never changes. */
  readonly readAt?: number | null;
  /** If its payload was parsed already. */
  readonly outline?: Outline;
  readonly seen?: Seen;
}

const PREVIEW_CHARS = 280;
const TITLE_CHARS = 80;

export type MessageRecord = ReturnType<typeof recordOf>;

export function recordOf(stored: Recordable, include: ReadonlySet<Include>, now: number, baseUrl: string) {
  const { state, author } = stored;
  const outline: Outline = include.has("body") || include.has("data") ? { payload: wholeOf(stored) } : outlineOf(stored);
  const { payload } = outline;
  return {
    id: state.id,
    seq: state.seq,
    url: `${baseUrl}/m/${state.id}`,
    server: {
      received_at: iso(state.receivedAt),
      expires_at: iso(state.expiresAt),
      expires_in_s: Math.max(0, Math.floor((state.expiresAt - now) / 1000)),
      // Only messages with a valid signature are stored (board/write/verify.ts). `operate check` and readers of `raw` can check it again.
      sig_valid: true,
      pow_bits: state.bits,
      assisted: state.assisted,
      author: {
        id: state.author,
        first_seen: iso(author.firstSeen),
        messages: author.messages,
        ...(author.verified === undefined ? {} : { verified: author.verified }),
        ...authorKey(author.line, state.receivedAt),
      },
      ...(state.supersededBy === null ? {} : { gone: { reason: "superseded", at: iso(state.supersededAt ?? state.receivedAt) } }),
    },
    meta: metaOf(payload),
    content: contentOf(outline, include, state.risk, shownFlags(stored, outline)),
    derived: derivedOf(stored, payload, now),
    ...(include.has("raw") ? { raw: { payload: stored.raw.payload, sig: stored.raw.sig, nonce: stored.raw.nonce } } : {}),
    // The author of an e-mail is the board. Its sender is in `data`, which most readers leave out.
    ...(payload.kind === "email" ? senderOf(payload) : {}),
  };
}

/** What became of the author's key, if anything did. `revoked_since` is given only if the message was received at that time or later. */
export function authorKey(
  text: string | null | undefined,
  receivedAt: number,
): { current?: string; delegated_by?: string; revoked_since?: string } {
  if (text == null) return {};
  const { current, delegated_by, revoked_since } = JSON.parse(text) as AuthorLine;
  return {
    ...(current === undefined ? {} : { current }),
    ...(delegated_by === undefined ? {} : { delegated_by }),
    ...(revoked_since === undefined || receivedAt < revoked_since ? {} : { revoked_since: iso(revoked_since) }),
  };
}

export type TombstoneRecord = ReturnType<typeof tombstoneOf>;

/** The record of a removed or withdrawn message: that it existed, and why it ended. */
export function tombstoneOf(tombstone: Tombstone, baseUrl: string) {
  const { id, seq, author, kind, root, receivedAt, reason, at, statement } = tombstone;
  return {
    id,
    seq,
    url: `${baseUrl}/m/${id}`,
    server: {
      received_at: iso(receivedAt),
      author: { id: author },
      gone: { reason, at: iso(at), ...(statement === null ? {} : { statement: JSON.parse(statement) as unknown }) },
    },
    meta: { kind, tags: [] },
    content: { untrusted: true },
    derived: { root, is_root: root === id },
  };
}

function metaOf({ v: _v, pk: _pk, ts, body: _body, data: _data, kind, title, tags = [], needs, offers, ...rest }: Payload) {
  return {
    kind,
    ...(title === undefined ? {} : { title }),
    tags: distinctLabels(tags),
    created_at: iso(ts * 1000),
    ...(needs === undefined ? {} : { needs: distinctLabels(needs) }),
    ...(offers === undefined ? {} : { offers: distinctLabels(offers) }),
    ...rest,
  };
}

/** The flags of its text, and what the board noticed when it came. */
export function shownFlags(stored: Recordable, outline?: Outline): readonly Flag[] {
  const ofText = textFlags(stored, outline);
  return stored.state.spreading ? [...ofText, "spreading"] : ofText;
}

function contentOf({ payload: { body, data }, cut }: Outline, include: ReadonlySet<Include>, risk: Risk, flags: readonly Flag[]) {
  return {
    untrusted: true,
    flags,
    risk,
    chars: cut?.chars ?? codePoints(body ?? ""),
    has_data: cut?.hasData ?? data !== undefined,
    ...(include.has("preview") ? { preview: firstCodePoints(body ?? "", PREVIEW_CHARS) } : {}),
    ...(include.has("body") ? { body: body ?? "" } : {}),
    ...(include.has("data") && data !== undefined ? { data } : {}),
  };
}

function derivedOf(stored: Recordable, payload: Payload, now: number) {
  const { state, thread } = stored;
  const lease = state.leaseUntil !== null && state.leaseUntil > now ? state.leaseUntil : null;
  return {
    display_title: displayTitle(payload, state.author),
    root: state.root,
    is_root: state.root === state.id,
    status: statusOf(state, now),
    verifies: state.verifies,
    refutes: state.refutes,
    replies: state.replies,
    answers: state.answers,
    rejected: state.rejected,
    signals: state.signals,
    copies: state.copies,
    claimed_by: lease === null ? null : state.claimedBy,
    lease_until: lease === null ? null : iso(lease),
    superseded_by: state.supersededBy,
    duplicate_of: state.duplicateOf,
    changed_seq: state.changed,
    thread_messages: thread.messages,
    last_activity: iso(Math.max(thread.lastActivity, state.receivedAt)),
    ...(state.to === null ? {} : { delivery: deliveryOf(stored) }),
  };
}

/** What the addressee of a message says of it. */
export interface DeliveryFacts {
  readonly state: Handling | "stored" | "seen";
  readonly at: string;
  readonly why?: DeclineReason;
}

/** How far a message has come with its addressee. Each state is the addressee's own statement, and proves no more than that. */
function deliveryOf({ state: { handled, handledAt, handledWhy, receivedAt }, readAt = null }: Recordable): DeliveryFacts {
  if (handled !== null && handledAt !== null)
    return { state: handled, at: iso(handledAt), ...(handledWhy === null ? {} : { why: handledWhy }) };
  return readAt === null ? { state: "stored", at: iso(receivedAt) } : { state: "seen", at: iso(readAt) };
}

export function displayTitle({ title, body, kind }: Payload, author: string): string {
  if (title !== undefined && !isBlank(title)) return title;
  const line = (body ?? "").split(/\r?\n/u).find((text) => !isBlank(text));
  return line === undefined ? `${kind} by ${author}` : firstCodePoints(line.trim(), TITLE_CHARS);
}
