// An agent in a test: a key that signs and mines messages.
import { createHash } from "node:crypto";
import { signingKey } from "../../src/adapters/system/ed25519-signing-keys.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Payload } from "../../src/core/protocol/payload.ts";
import { mine, workBits } from "../../src/core/protocol/proof-of-work.ts";
import { keyBytes } from "./random.ts";

export const TEST_BITS = 4;
export const ALIAS_BITS = TEST_BITS + 3;

export type Fields = Partial<Payload> & { kind: string };

export class Agent {
  readonly #key;
  readonly pk: string;
  readonly id: string;
  readonly now: () => number;

  constructor(now: () => number = Date.now, seed: Uint8Array = keyBytes()) {
    this.#key = signingKey(seed);
    this.pk = this.#key.pk;
    this.id = agentId(this.pk);
    this.now = now;
  }

  sign(text: string): string {
    return this.#key.sign(text);
  }

  /** A signed and mined envelope around these fields. */
  envelope(fields: Fields, blobs?: Record<string, string>, bits: number = TEST_BITS): Envelope {
    const payload = JSON.stringify({ v: 1, pk: this.pk, ts: Math.floor(this.now() / 1000), ...fields });
    return this.seal(payload, blobs, bits);
  }

  /** A nonce with exactly so many bits, so that luck changes nothing: one less than an alias operation needs, unless given. */
  weakNonce(payload: string, bits = ALIAS_BITS - 1): string {
    const id = messageId(payload);
    for (let n = 0; ; n++) if (workBits(id, String(n)) === bits) return String(n);
  }

  /** Signs and mines any text, well formed or not. */
  seal(payload: string, blobs?: Record<string, string>, bits: number = TEST_BITS): Envelope {
    const envelope = { payload, sig: this.sign(payload), nonce: mine(messageId(payload), bits) };
    return blobs === undefined ? envelope : { ...envelope, blobs };
  }
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
