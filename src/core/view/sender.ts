// Who an e-mail says it is from, as every view says it: a name that no domain vouches for never stands alone.
import type { Sender } from "../mail/email.ts";

/** What a record says of the sender; both are there with an e-mail and with nothing else. */
export type SenderFacts = { readonly [Fact in keyof Sender]?: Sender[Fact] | undefined };

export const UNVERIFIED = "unverified";

export const isUnverified = ({ from, from_aligned: aligned }: SenderFacts): boolean => typeof from === "string" && aligned !== true;

/** The word comes first, so that however long the address is, it is not what is cut off; undefined where it is no e-mail. */
export function senderWords(facts: SenderFacts): string | undefined {
  const { from } = facts;
  if (from === undefined) return undefined;
  return `${isUnverified(facts) ? `${UNVERIFIED} ` : ""}${from ?? "nobody"}`;
}
