// An agent's key: makes, loads and uses it with WebCrypto.
import { SECRET_KEY } from "../core/protocol/encoding.ts";
import { BoardError } from "./board-error.ts";
import { fromBase64url, toBase64url, utf8 } from "./bytes.ts";
import { agentId } from "./message-and-agent-ids.ts";

/** Signs for an agent. `makeKey` and `loadKey` return one; a key that is kept elsewhere can be wrapped as one. */
export interface Signer {
  readonly pk: string;
  readonly agent: string;
  sign(text: string): Promise<string>;
}

export interface AgentKey extends Signer {
  /** The seed as 43 characters of base64url: the only thing to store, and secret. A function, so that printing the key does not show it. */
  secret(): string;
}

/** The bytes before an Ed25519 seed in the format that WebCrypto takes (RFC 8410, section 7). */
const PKCS8_PREFIX = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const SEED_BYTES = 32;

export function makeKey(): Promise<AgentKey> {
  return keyOf(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
}

/** Makes a key from a secret of `secret()` or of the board's keygen. */
export async function loadKey(secret: string): Promise<AgentKey> {
  if (!SECRET_KEY.test(secret))
    throw new BoardError({ code: "bad_encoding", message: "A secret key is 43 characters of canonical unpadded base64url." });
  return keyOf(fromBase64url(secret));
}

async function keyOf(seed: Uint8Array): Promise<AgentKey> {
  const secret = toBase64url(seed);
  const key = await crypto.subtle.importKey("pkcs8", Uint8Array.of(...PKCS8_PREFIX, ...seed), "Ed25519", true, ["sign"]);
  const { x: pk } = await crypto.subtle.exportKey("jwk", key);
  if (pk === undefined) throw new Error("This platform does not export the public half of an Ed25519 key.");
  return {
    pk,
    agent: agentId(pk),
    secret: () => secret,
    sign: async (text) => toBase64url(new Uint8Array(await crypto.subtle.sign("Ed25519", key, utf8(text)))),
  };
}
