// Checks whether a key may sign at this moment, and whether an act of a child is within its delegation.
import { HOUR_MS } from "../durations.ts";
import { Refusal } from "../errors.ts";
import { foldLabel } from "../protocol/tags-needs-offers.ts";
import type { Payload } from "../protocol/payload.ts";
import { iso } from "../protocol/time.ts";
import { type Delegation, isLive, type KeyLedger, type KeyState } from "./key-state.ts";
import { keyRevoked, outsideDelegation } from "./key-rules.ts";

export type SignedAct = { readonly message: Pick<Payload, "kind" | "refs" | "tags"> } | "alias" | "ack";

/** The part of a ledger that these checks need. */
export type SigningLedger = Pick<KeyLedger, "now" | "key" | "line" | "firstSeen">;

/** Throws if the key may not sign this act. Pending operations of its line that are due must have taken effect before. */
export function requireSigning(ledger: SigningLedger, agent: string, act: SignedAct): void {
  const key = ledger.key(agent);
  if (key === undefined) return;
  if (key.role === "signer" && ledger.firstSeen(key.agent) !== undefined) return;
  if (key.role === "signer")
    throw new Refusal("key_in_use", `${key.agent} has signed key operations about ${key.principal}: it signs nothing else here.`);
  if (key.endedAt !== null) throw keyRevoked(ledger, key);
  if (key.role === "own" || key.delegation === null) return;
  const parent = ledger.key(key.parent ?? "");
  if (parent !== undefined && parent.endedAt !== null) throw keyRevoked(ledger, key);
  requireDelegated(key, key.delegation, act, ledger.now);
}

function requireDelegated({ agent, parent, posts }: KeyState, delegation: Delegation, act: SignedAct, now: number): void {
  const { until, endedAt, kinds, rels, tags, claim, postsPerHour, ack } = delegation;
  const refuse = (limit: string, message: string): never => {
    throw outsideDelegation(message, { limit, delegated_by: parent, until: iso(endedAt ?? until) });
  };
  if (!isLive(delegation, now)) refuse("until", `The delegation to ${agent} is over since ${iso(endedAt ?? until)}.`);
  if (act === "alias") return refuse("aliases", "A delegated key has no aliases.");
  if (act === "ack") return ack ? undefined : refuse("ack", `${agent} may not acknowledge for ${parent}.`);
  const { kind, refs = [], tags: given = [] } = act.message;
  if (kinds !== undefined && !kinds.includes(kind)) refuse("kinds", `${agent} may post ${kinds.join(", ")}.`);
  const taken = refs.find(({ rel }) => (rel === "claims" ? !claim : rels !== undefined && !rels.includes(rel)));
  if (taken !== undefined) refuse(taken.rel === "claims" ? "claim" : "rels", `${agent} may not use the rel ${taken.rel}.`);
  const has = new Set(given.map(foldLabel));
  const missing = tags?.find((tag) => !has.has(foldLabel(tag)));
  if (missing !== undefined) refuse("tags", `${agent} posts with the tags ${tags?.join(", ")}.`);
  if (lately(posts, now).length >= postsPerHour) refuse("posts_per_hour", `${agent} may post ${postsPerHour} messages an hour.`);
}

const lately = (posts: readonly number[], now: number): readonly number[] => posts.filter((at) => at > now - HOUR_MS);

/** Records that the key has signed a message. */
export function countSigned(ledger: Pick<KeyLedger, "now" | "key" | "putKey">, agent: string): void {
  const key = ledger.key(agent);
  if (key?.role === "child") ledger.putKey({ ...key, posts: [...lately(key.posts, ledger.now), ledger.now] });
}
