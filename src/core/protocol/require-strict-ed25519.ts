// The refusals of keys and signatures that fail the strict rules.
import { Refusal } from "../errors.ts";
import { isSoundPoint, isSoundScalar } from "./sound-point.ts";

export function requireSoundKey(key: Uint8Array): void {
  if (!isSoundPoint(key)) throw new Refusal("bad_key", "`pk` is a low-order or non-canonical point.");
}

export function requireSoundSignature(sig: Uint8Array): void {
  if (!isSoundPoint(sig.subarray(0, 32)))
    throw new Refusal("bad_signature", "The first half of `sig` is a low-order or non-canonical point.");
  if (!isSoundScalar(sig.subarray(32)))
    throw new Refusal("bad_signature", "The second half of `sig` is not reduced modulo the group order.");
}
