// The refusals of a key, a signature or a nonce that is not encoded as required.
import { Refusal } from "../errors.ts";
import { NONCE, PUBLIC_KEY, SIGNATURE } from "./encoding.ts";

function requireSpelling(field: string, isSpelled: boolean, rule: string): void {
  if (!isSpelled) throw new Refusal("bad_encoding", `\`${field}\` is not ${rule}.`, { details: { field } });
}

export const requireKeySpelling = (pk: string): void =>
  requireSpelling("pk", PUBLIC_KEY.test(pk), "43 characters of canonical base64url, with or without one `=`");

export const requireSignatureSpelling = (field: string, sig: string): void =>
  requireSpelling(field, SIGNATURE.test(sig), "86 characters of canonical base64url, with or without `==`");

/** With `emptyNonce` a dry run may leave out the proof of work. */
export function requireSealSpelling({ sig, nonce }: { readonly sig: string; readonly nonce: string }, emptyNonce: boolean): void {
  requireSignatureSpelling("sig", sig);
  requireSpelling("nonce", NONCE.test(nonce) || (emptyNonce && nonce === ""), "1 to 64 visible ASCII characters");
}
