// Test keys of witnesses and logs, and the policy that names them.
import { generateKeyPairSync, sign as signWith } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../src/core/protocol/node-sha256.ts";
import { COSIGNATURE_V1, formatVerifierKey, type SignatureType, verifierKey } from "../../src/core/tlog/key.ts";
import type { Signer } from "../../src/core/tlog/signature.ts";
import { emptyDirectory } from "./process.ts";

export function signerNamed(name: string, type: SignatureType = COSIGNATURE_V1): Signer {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  return { key: verifierKey(name, type, raw, sha256), sign: (message) => signWith(null, message, privateKey) };
}

/** For a witness that must not warn. */
export const noWarning = (words: string): never => {
  throw new Error(words);
};

/** All of them are required. */
export const policyFile = (...witnesses: readonly Pick<Signer, "key">[]): string => policyOf("all", witnesses);

/** `enough` is how many are required, or all. */
export function policyOf(enough: number | "all", witnesses: readonly Pick<Signer, "key">[]): string {
  const file = join(emptyDirectory(), "policy");
  const names = witnesses.map((_, i) => `w${i}`);
  const lines = witnesses.map(({ key }, i) => `witness w${i} ${formatVerifierKey(key)}`);
  writeFileSync(file, [...lines, `group enough ${enough} ${names.join(" ")}`, "quorum enough", ""].join("\n"));
  return file;
}
