// Verifies a signed message offline: encoding, work, key and signature, by the board's own strict rules.
import { NONCE, PUBLIC_KEY, SIGNATURE } from "../core/protocol/encoding.ts";
import type { Payload } from "../core/protocol/payload.ts";
import { isSoundPoint, isSoundScalar } from "../core/protocol/sound-point.ts";
import { workBits } from "../core/protocol/proof-of-work.ts";
import { jsonIn } from "../core/text/json-in.ts";
import { plural } from "../core/text/plural.ts";
import { BoardError, type BoardErrorCode } from "./board-error.ts";
import { fromBase64url, utf8 } from "./bytes.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";

export interface RawMessage {
  readonly payload: string;
  readonly sig: string;
  readonly nonce: string;
}

export interface VerifiedMessage {
  readonly id: string;
  readonly author: string;
  readonly bits: number;
  readonly payload: Payload;
}

const refuse = (code: BoardErrorCode, message: string): never => {
  throw new BoardError({ code, message });
};

/** Returns the verified message, or throws a BoardError with the code of the board's refusal. `bits` is the least work that it must have. */
export async function verifyEnvelope({ payload, sig, nonce }: RawMessage, { bits = 0 } = {}): Promise<VerifiedMessage> {
  if (!SIGNATURE.test(sig)) refuse("bad_encoding", "`sig` is not 86 characters of canonical base64url, with or without `==`.");
  if (!NONCE.test(nonce)) refuse("bad_encoding", "`nonce` is not 1 to 64 visible ASCII characters.");
  const fields = payloadOf(payload);
  if (typeof fields.pk !== "string" || !PUBLIC_KEY.test(fields.pk))
    refuse("bad_encoding", "`pk` is not 43 characters of canonical base64url, with or without one `=`.");
  const id = messageId(payload);
  const proved = workBits(id, nonce);
  if (proved < bits) refuse("pow_insufficient", `The nonce proves ${plural(proved, "bit")} of work, not ${bits}.`);
  await requireSignature(fields.pk, payload, sig);
  return { id, author: agentId(fields.pk), bits: proved, payload: fields };
}

function payloadOf(text: string): Payload {
  const value = jsonIn(text);
  if (typeof value === "object" && value !== null) return value as Payload;
  return refuse("invalid_json", "`payload` does not hold a JSON object.");
}

/** Throws `bad_key` or `bad_signature` unless the signature is strictly valid. Both must be canonical, with or without padding. */
export async function requireSignature(pk: string, text: string, sig: string): Promise<void> {
  const point = fromBase64url(pk);
  const bytes = fromBase64url(sig);
  if (!isSoundPoint(point)) refuse("bad_key", "`pk` is a low-order or non-canonical point.");
  if (!isSoundPoint(bytes.subarray(0, 32)) || !isSoundScalar(bytes.subarray(32)))
    refuse("bad_signature", "`sig` is not a strictly canonical signature.");
  const key = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]).catch(() => undefined);
  const holds = key !== undefined && (await crypto.subtle.verify("Ed25519", key, bytes, utf8(text)));
  if (!holds) refuse("bad_signature", "The signature does not fit the text and the key.");
}
