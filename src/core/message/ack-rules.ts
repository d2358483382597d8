// What an acknowledgement does, inside the transaction: it records how far the agent has read, and marks messages as acted on or declined.
import { Refusal } from "../errors.ts";
import { requireSigning } from "../keys/delegation.ts";
import type { AckPayload } from "../protocol/ack.ts";
import type { DeclineReason } from "../protocol/decline-reasons.ts";
import type { AckOutcome, AckRow, Handling } from "./ack-state.ts";
import { lastHandling } from "./inbox-items.ts";
import { isSameAgent, requireOwner } from "./principal.ts";
import type { Ledger, MessageState } from "./message-state.ts";

export interface Ack {
  /** The SHA-256 of its payload. */
  readonly id: string;
  readonly agent: string;
  readonly payload: AckPayload;
  /** The exact text that goes into the log. */
  readonly detail: string;
}

interface Handled {
  readonly state: MessageState;
  readonly as: Handling;
  readonly why: DeclineReason | null;
}

/** The part of an acknowledgement that has an effect on the present board. */
interface Plan {
  readonly handled: readonly Handled[];
  readonly skipped: readonly string[];
  readonly seen: number;
  readonly moved: boolean;
}

export function acknowledge(ledger: Ledger, ack: Ack): AckOutcome {
  const { id, agent, payload } = ack;
  const known = ledger.ack(id);
  if (known !== undefined) return ackOutcome(known, agent, "exists");
  requireOwner(agent, payload.pk, ledger.keyOf(agent));
  requireSigning(ledger, agent, "ack");
  const { seq: latest } = ledger.head;
  if (payload.seen !== undefined && payload.seen > latest)
    throw new Refusal("future_cursor", `\`seen\` is ${payload.seen}; the newest entry is ${latest}.`, { details: { latest_seq: latest } });
  const plan = planOf(ledger, agent, payload);
  if (plan.handled.length === 0 && !plan.moved)
    throw new Refusal("not_addressed", undefined, { details: { seen: plan.seen, skipped: plan.skipped } });
  return ackOutcome(apply(ledger, ack, plan), agent, "created");
}

/** An acknowledgement that was accepted before, from the log. */
export function acknowledgeAgain(ledger: Ledger, ack: Ack): void {
  apply(ledger, ack, planOf(ledger, ack.agent, ack.payload));
}

/** The answer to the sender of an acknowledgement, whether it is new or repeated. */
export function ackOutcome({ seq, seen, acted, declined, skipped }: AckRow, agent: string, result: AckOutcome["result"]): AckOutcome {
  return { result, agent, seq, seen, acted, declined, skipped };
}

function planOf(ledger: Ledger, agent: string, { seen = 0, acted = [], declined = [] }: AckPayload): Plan {
  // If an id is named twice, the last one counts.
  const named = new Map<string, Pick<Handled, "as" | "why">>([
    ...acted.map((id) => [id, { as: "acted", why: null }] as const),
    ...declined.map(({ id, why }) => [id, { as: "declined", why }] as const),
  ]);
  const handled: Handled[] = [];
  const skipped: string[] = [];
  for (const [id, how] of named) {
    const state = ledger.find(id);
    if (state !== undefined && state.expiresAt > ledger.now && reaches(ledger, state, agent)) handled.push({ state, ...how });
    else skipped.push(id);
  }
  const before = ledger.seenBy(ledger.principalOf(agent));
  return { handled, skipped, seen: Math.max(seen, before), moved: seen > before };
}

const isAddressee = (ledger: Ledger, { to }: MessageState, agent: string): boolean => to !== null && isSameAgent(ledger, to, agent);

const reaches = (ledger: Ledger, state: MessageState, agent: string): boolean =>
  isAddressee(ledger, state, agent) || state.repliedTo.some((one) => isSameAgent(ledger, one, agent));

function apply(ledger: Ledger, { id, agent, payload, detail }: Ack, { handled, skipped, seen, moved }: Plan): AckRow {
  const principal = ledger.principalOf(agent);
  const read = ledger.seenBy(principal);
  const seq = ledger.log("ack", agent, detail);
  ledger.seeAgent(agent, payload.pk);
  for (const one of handled) handle(ledger, agent, one, seq, read);
  ledger.noteSeen(principal, seen);
  const count = (as: Handling): number => handled.filter((one) => one.as === as).length;
  const row: AckRow = {
    id,
    at: ledger.now,
    moved,
    agent: principal,
    seq,
    seen,
    acted: count("acted"),
    declined: count("declined"),
    skipped,
  };
  ledger.putAck(row);
  return row;
}

/**
 * Stores the acknowledgement with the message if the agent is its addressee. If it says something new, the author's inbox gets an item.
 */
function handle(ledger: Ledger, agent: string, { state, as, why }: Handled, seq: number, read: number): void {
  const { seq: target, handled, kind } = state;
  const [actor, author] = [ledger.principalOf(agent), ledger.principalOf(state.author)];
  const addressed = isAddressee(ledger, state, agent);
  const was = addressed ? (handled ?? (target <= read ? "seen" : "stored")) : null;
  const isTold = kind !== "email" && author !== actor;
  if (isTold && as !== (was ?? lastHandling(ledger.inboxItems(target), actor)))
    ledger.addInboxChange({ agent: author, seq, target, reason: "ack", was, became: as, actor });
  if (addressed) ledger.update({ ...state, handled: as, handledAt: ledger.now, handledWhy: why });
}
