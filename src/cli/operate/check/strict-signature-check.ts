// Checks many signatures by the strict rule.
import { fromBase64url } from "../../../core/protocol/encoding.ts";
import { requireSoundKey, requireSoundSignature } from "../../../core/protocol/require-strict-ed25519.ts";
import type { SignatureChecker } from "../../../ports/signature-checker.ts";
import type { IsSigned } from "./verify-and-replay-log.ts";

export function signatureRule(signatures: SignatureChecker): IsSigned {
  return async ({ payload, sig }, pk) => {
    try {
      const [key, signature] = [fromBase64url(pk), fromBase64url(sig)];
      requireSoundKey(key);
      requireSoundSignature(signature);
      return await signatures.check(key, signature, payload);
    } catch {
      return false;
    }
  };
}
