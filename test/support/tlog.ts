// A transparency log in memory, with keys that can be made again: for tests and vectors.
import { createHash, createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";
import type { Crypto } from "../../src/core/tlog/verify-against-policy.ts";
import { type Checkpoint, formatCheckpoint } from "../../src/core/tlog/checkpoint.ts";
import { append, EMPTY_FRONTIER, type Frontier, rootOf } from "../../src/core/tlog/frontier.ts";
import { COSIGNATURE_V1, ED25519, type SignatureType, verifierKey } from "../../src/core/tlog/key.ts";
import { type Hash, leafHash } from "../../src/core/tlog/merkle.ts";
import { formatNote } from "../../src/core/tlog/note.ts";
import { type Plan, readNow } from "../../src/core/tlog/proofs-from-tiles.ts";
import { cosignText, type Signer, signText } from "../../src/core/tlog/signature.ts";
import { type Tile, tilePath } from "../../src/core/tlog/tile.ts";

/** Plain bytes, which compare equal to parsed ones. */
export const sha256 = (bytes: Uint8Array): Uint8Array => Uint8Array.from(hash("sha256", bytes, "buffer"));

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

export const crypto: Crypto = {
  sha256,
  verify: (publicKey, message, signature) => {
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
    return verify(null, message, key, signature);
  },
};

/** The seed is derived from the words, so that it is the same everywhere. */
export const seedOf = (words: string): Buffer => createHash("sha256").update(`tlog vector key: ${words}`).digest();

function signer(name: string, type: SignatureType, seed: Uint8Array): Signer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    key: verifierKey(name, type, spki.subarray(SPKI_PREFIX.length), sha256),
    sign: (message) => sign(null, message, key),
  };
}

export const logSigner = (name: string, seed = seedOf(name)): Signer => signer(name, ED25519, seed);
export const witnessSigner = (name: string, seed = seedOf(name)): Signer => signer(name, COSIGNATURE_V1, seed);

/** Stores only the tiles of a log, because proofs are made from tiles. */
export class MemoryLog {
  readonly #levels: Hash[][] = [];
  readonly leaves: Uint8Array[] = [];
  #frontier: Frontier = EMPTY_FRONTIER;

  constructor(leaves: Iterable<Uint8Array> = []) {
    for (const leaf of leaves) this.add(leaf);
  }

  get frontier(): Frontier {
    return this.#frontier;
  }

  get size(): number {
    return this.#frontier.size;
  }

  get root(): Hash {
    return rootOf(this.#frontier, sha256);
  }

  add(leaf: Uint8Array): void {
    const { frontier, tileHashes } = append(this.#frontier, leafHash(leaf, sha256), sha256);
    tileHashes.forEach((one, level) => (this.#levels[level] ??= []).push(one));
    this.#frontier = frontier;
    this.leaves.push(leaf);
  }

  tile({ level, index, width }: Tile): Uint8Array {
    const hashes = this.#levels[level]?.slice(index * 256, index * 256 + width) ?? [];
    if (hashes.length !== width) throw new Error(`There is no ${tilePath({ level, index, width })}.`);
    return Buffer.concat(hashes);
  }

  ask<Result>(plan: Plan<Result>): Result {
    return readNow(plan, (tile) => this.tile(tile), sha256);
  }
}

/** A signed checkpoint with cosignatures of these witnesses at this time. */
export async function signedNote(checkpoint: Checkpoint, log: Signer, witnesses: readonly Signer[] = [], time = 1): Promise<string> {
  const text = formatCheckpoint(checkpoint);
  const cosignatures = await Promise.all(witnesses.map((witness) => cosignText(text, time, witness)));
  return formatNote({ text, signatures: [await signText(text, log), ...cosignatures] });
}

/** The entries of a bundle: exactly the requested number, and nothing after them. */
export function decodeBundle(bytes: Uint8Array, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < width) {
    const [high, low] = bytes.subarray(at, at + 2);
    if (high === undefined || low === undefined) throw new Error(`The bundle ends after ${entries.length} entries of ${width}.`);
    const entry = bytes.slice(at + 2, at + 2 + (high << 8) + low);
    if (entry.length !== (high << 8) + low) throw new Error(`The bundle ends within entry ${entries.length} of ${width}.`);
    entries.push(entry);
    at += 2 + entry.length;
  }
  if (at !== bytes.length) throw new Error(`The bundle goes on after its ${width} entries.`);
  return entries;
}
