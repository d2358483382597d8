// The sender of an e-mail as all views show it: an unverified name is always marked.
import type { Sender } from "../mail/email.ts";

/** What a record says of the sender: both facts for an e-mail, neither for any other message. */
export type SenderFacts = { readonly [Fact in keyof Sender]?: Sender[Fact] | undefined };

export const UNVERIFIED = "unverified";

export const isUnverified = ({ from, from_aligned: aligned }: SenderFacts): boolean => typeof from === "string" && aligned !== true;

/** The word `unverified` comes first, so that a long address cannot push it out; undefined if it is not an e-mail. */
export function senderWords(facts: SenderFacts): string | undefined {
  const { from } = facts;
  if (from === undefined) return undefined;
  return `${isUnverified(facts) ? `${UNVERIFIED} ` : ""}${from ?? "nobody"}`;
}
