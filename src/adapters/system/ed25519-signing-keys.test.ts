import { createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signingKey, signingKeys } from "./ed25519-signing-keys.ts";

// RFC 8032, section 7.1, test 2.
const SEED = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
const PK = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
const SIG =
  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
const base64url = (hex: string): string => Buffer.from(hex, "hex").toString("base64url");

describe("keys of callers", () => {
  test("sign as the standard says, and leave no seed behind", () => {
    const seed = Buffer.from(SEED, "hex");
    const key = signingKeys.from(seed);
    expect(seed).toEqual(Buffer.alloc(32));
    expect([key.pk, key.sign("r")]).toEqual([base64url(PK), base64url(SIG)]);
    expect(Object.keys(key)).toEqual(["pk", "sign"]);
  });

  test("made by the board are whole: what the secret signs, the public half checks", () => {
    const { secret, pk } = signingKeys.fresh();
    const sig = Buffer.from(signingKeys.from(Buffer.from(secret, "base64url")).sign("hello"), "base64url");
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: pk }, format: "jwk" });
    expect(verify(null, Buffer.from("hello"), publicKey, sig)).toBe(true);
    expect(signingKeys.fresh().secret).not.toBe(secret);
  });
});

test("the board's own key gives the same secret for the same purpose, and another for another", () => {
  const [one, two] = [signingKey(Buffer.from(SEED, "hex")), signingKey(Buffer.from(SEED, "hex"))];
  expect(one.secretFor("cursors")).toEqual(two.secretFor("cursors"));
  expect(one.secretFor("cursors")).not.toEqual(one.secretFor("else"));
});
