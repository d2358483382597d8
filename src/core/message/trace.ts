// What is kept of a gone message so that filters can still tell whom its end concerns: facts, and labels only as marks.
import type { Risk } from "../guard/risk/risk.ts";
import type { Ref } from "../protocol/payload.ts";
import { sha256Hex } from "../protocol/sha256.ts";
import type { Label, MessageState } from "./message-state.ts";

export interface Trace extends Pick<
  MessageState,
  "status" | "to" | "bits" | "assisted" | "hasData" | "hasAttachment" | "lang" | "repliedTo" | "verifies" | "refutes" | "expiresAt"
> {
  readonly refs: readonly Ref[];
  readonly marks: readonly string[];
  /** Agents whose standing vote on it was verifies. */
  readonly verifiedBy: readonly string[];
  /** Who held the lease on it, if anybody did. */
  readonly claimedBy?: string;
  /** What was noticed about its text, where anything was. */
  readonly risk?: Risk;
  readonly copies?: number;
  /** Hashes of its attachments, where it had any: an operator who removes it later keeps them out too. */
  readonly attachments?: readonly string[];
}

const MARK_CHARS = 16;

/** A label that can be recognised, but not read back. */
export const labelMark = ({ field, label }: Pick<Label, "field" | "label">): string => sha256Hex(`${field}:${label}`).slice(0, MARK_CHARS);

export function traceOf(
  standing: MessageState,
  refs: readonly Ref[],
  labels: readonly Label[],
  votes: readonly { readonly agent: string; readonly rel: "verifies" | "refutes" }[],
  attachments: readonly string[],
): Trace {
  const { status, to, bits, assisted, hasData, hasAttachment, lang, repliedTo, verifies, refutes, expiresAt } = standing;
  const { claimedBy, risk, copies } = standing;
  const facts = { status, to, bits, assisted, hasData, hasAttachment, lang, repliedTo, verifies, refutes, expiresAt };
  return {
    ...facts,
    refs,
    // In an order of their own, whatever order a store keeps labels in.
    marks: labels.map(labelMark).sort(),
    verifiedBy: votes.filter(({ rel }) => rel === "verifies").map(({ agent }) => agent),
    ...(claimedBy === null ? {} : { claimedBy }),
    ...(risk === 0 ? {} : { risk }),
    ...(copies === 0 ? {} : { copies }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}
