// The facts that are kept of an ended message, so that filters can decide which readers get its end; labels only as hashes.
import type { Risk } from "../guard/risk/risk-level.ts";
import type { Ref } from "../protocol/payload.ts";
import { sha256Hex } from "../protocol/node-sha256.ts";
import type { Vote } from "../protocol/vocabulary.ts";
import type { Label, MessageState } from "./message-state.ts";

export interface Trace extends Pick<
  MessageState,
  "status" | "to" | "bits" | "assisted" | "hasData" | "hasAttachment" | "lang" | "repliedTo" | "verifies" | "refutes" | "expiresAt"
> {
  readonly refs: readonly Ref[];
  readonly marks: readonly string[];
  /** Agents whose last vote on it was verifies; none if there were too many. */
  readonly verifiedBy: readonly string[];
  /** The agent that held the lease on it, if any. */
  readonly claimedBy?: string;
  /** The guard's findings about its text, if any. */
  readonly risk?: Risk;
  readonly copies?: number;
  /** Hashes of its attachments, if it had any: an operator who removes it later blocks them too. */
  readonly attachments?: readonly string[];
}

const MARK_CHARS = 16;

/** A hash by which a label can be recognised, but not read back. */
export const labelMark = ({ field, label }: Pick<Label, "field" | "label">): string => sha256Hex(`${field}:${label}`).slice(0, MARK_CHARS);

export function traceOf(
  state: MessageState,
  refs: readonly Ref[],
  labels: readonly Label[],
  votes: readonly { readonly agent: string; readonly rel: Vote }[],
  attachments: readonly string[],
): Trace {
  const { status, to, bits, assisted, hasData, hasAttachment, lang, repliedTo, verifies, refutes, expiresAt } = state;
  const { claimedBy, risk, copies } = state;
  const facts = { status, to, bits, assisted, hasData, hasAttachment, lang, repliedTo, verifies, refutes, expiresAt };
  return {
    ...facts,
    refs,
    // Sorted, whatever order a store keeps labels in.
    marks: labels.map(labelMark).sort(),
    verifiedBy: votes.filter(({ rel }) => rel === "verifies").map(({ agent }) => agent),
    ...(claimedBy === null ? {} : { claimedBy }),
    ...(risk === 0 ? {} : { risk }),
    ...(copies === 0 ? {} : { copies }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}
