// The keys, the time and the work that all protocol vectors share, so that they come out the same on every machine.
import { createHash } from "node:crypto";
import { signingKey } from "../src/adapters/system/ed25519-signing-keys.ts";
import { toBase64url } from "../src/core/protocol/encoding.ts";
import { agentId, messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import { workBits } from "../src/core/protocol/proof-of-work.ts";
import type { SigningKey } from "../src/ports/signing-key.ts";

/** 2026-01-01T00:00:00Z, when all of it happens. */
export const NOW = 1_767_225_600;
export const REQUIRED_BITS = 8;

export interface VectorKey extends SigningKey {
  readonly seed: string;
  readonly agent: string;
}

/** Made from a name, not random, so that readers of the vectors can make the key again. */
export function keyNamed(name: string): VectorKey {
  const seed = createHash("sha256").update(`agent-blackboard vector key: ${name}`).digest();
  const key = signingKey(seed);
  return { ...key, seed: toBase64url(seed), agent: agentId(key.pk) };
}

export const ALICE = keyNamed("alice");
export const BOB = keyNamed("bob");
export const BOARD = keyNamed("board");

export interface SealedText {
  readonly payload: string;
  readonly sig: string;
  readonly nonce: string;
}

/** The first number that proves the work; counted here, so that a faster miner does not change the vectors. */
export function countedNonce(id: string, bits: number): string {
  for (let n = 0; ; n++) if (workBits(id, String(n)) >= bits) return String(n);
}

/** Signs and mines a text, well formed or not. */
export function seal(key: VectorKey, payload: string, bits = REQUIRED_BITS): SealedText {
  return { payload, sig: key.sign(payload), nonce: countedNonce(messageId(payload), bits) };
}

/** The text of a payload by this key; fields given as undefined are left out. */
export const payloadText = (key: VectorKey, fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ v: 1, pk: key.pk, ts: NOW, ...fields });
