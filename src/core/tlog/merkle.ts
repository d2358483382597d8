// The Merkle tree of RFC 6962, section 2.1: its hashes, and the verification of inclusion and consistency proofs.
import { concat, requireWhole, sameBytes } from "./bytes.ts";
import { TlogError } from "./tlog-error.ts";

/** SHA-256 of some bytes; synchronous, because a proof needs one hash after the other. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;
/** 32 bytes. */
export type Hash = Uint8Array;

export const HASH_BYTES = 32;
/** The longest proof of any tree whose size is a safe integer. */
export const MAX_PROOF_HASHES = 63;

const LEAF = /* @__PURE__ */ Uint8Array.of(0);
const NODE = /* @__PURE__ */ Uint8Array.of(1);

export const emptyRoot = (sha256: Sha256): Hash => sha256(new Uint8Array());
export const leafHash = (leaf: Uint8Array, sha256: Sha256): Hash => sha256(concat(LEAF, leaf));
export function nodeHash(left: Hash, right: Hash, sha256: Sha256): Hash {
  // Called for each appended entry: filling the buffer by hand takes half as long.
  const pair = new Uint8Array(NODE.length + left.length + right.length);
  pair[0] = 1;
  pair.set(left, NODE.length);
  pair.set(right, NODE.length + left.length);
  return sha256(pair);
}

/** The root of a power of two of hashes: the hash that a full tile has on the level above. */
export function subtreeHash(hashes: Uint8Array, sha256: Sha256): Hash {
  let level = hashes;
  const pair = concat(NODE, new Uint8Array(HASH_BYTES * 2));
  while (level.length > HASH_BYTES) {
    const above = new Uint8Array(level.length / 2);
    for (let at = 0; at < above.length; at += HASH_BYTES) {
      pair.set(level.subarray(at * 2, (at + HASH_BYTES) * 2), NODE.length);
      above.set(sha256(pair), at);
    }
    level = above;
  }
  return level;
}

/** The head of a tree: its size and its root hash. */
export interface TreeHead {
  readonly size: number;
  readonly root: Hash;
}

const half = (number: number): number => Math.floor(number / 2);
const isOdd = (number: number): boolean => number % 2 === 1;
function isPowerOfTwo(number: number): boolean {
  let power = 1;
  while (power < number) power *= 2;
  return power === number;
}
const broken = (message: string): TlogError => new TlogError("proof", message);

function requireHashes(proof: readonly Hash[], heads: readonly TreeHead[]): void {
  for (const { size } of heads) requireWhole(size, "The size of a tree");
  if (proof.length > MAX_PROOF_HASHES) throw broken(`A proof of ${proof.length} hashes is longer than any tree is high.`);
  if ([...proof, ...heads.map(({ root }) => root)].some((hash) => hash.length !== HASH_BYTES))
    throw broken(`A hash has other than ${HASH_BYTES} bytes.`);
}

/** Throws unless the proof leads from the leaf at this index to the root of the tree. */
export function requireInclusion(head: TreeHead, index: number, leaf: Hash, proof: readonly Hash[], sha256: Sha256): void {
  requireWhole(index, "An index");
  requireHashes(proof, [head, { size: 0, root: leaf }]);
  if (index >= head.size) throw broken(`A tree of ${head.size} leaves has none with index ${index}.`);
  let [at, end, hash] = [index, head.size - 1, leaf];
  for (const beside of proof) {
    if (end === 0) throw broken("The inclusion proof has more hashes than the tree has levels above this leaf.");
    if (isOdd(at) || at === end) {
      hash = nodeHash(beside, hash, sha256);
      // A node at the right edge without a sibling moves up unchanged.
      while (!isOdd(at) && at !== 0) [at, end] = [half(at), half(end)];
    } else hash = nodeHash(hash, beside, sha256);
    [at, end] = [half(at), half(end)];
  }
  if (end !== 0) throw broken("The inclusion proof has fewer hashes than the tree has levels above this leaf.");
  if (!sameBytes(hash, head.root)) throw broken("The inclusion proof leads to another root: this leaf does not stand at this index.");
}

/** Throws unless the proof shows that the newer tree begins with the older one. */
export function requireConsistency(older: TreeHead, newer: TreeHead, proof: readonly Hash[], sha256: Sha256): void {
  requireHashes(proof, [older, newer]);
  if (older.size > newer.size) throw broken(`A tree of ${newer.size} leaves does not begin with one of ${older.size}.`);
  for (const { size, root } of [older, newer])
    if (size === 0 && !sameBytes(root, emptyRoot(sha256))) throw broken("The root of an empty tree is not SHA-256 of nothing.");
  if (older.size === 0 || older.size === newer.size) {
    if (proof.length > 0) throw broken("Nothing is to be proved between these sizes, so the consistency proof must be empty.");
    if (older.size !== 0 && !sameBytes(older.root, newer.root))
      throw broken(`Two different roots for one size, ${older.size}: the log shows different histories.`);
    return;
  }
  // If the older tree is a complete subtree of the newer one, the proof leaves out its root, because the verifier has it.
  const path = isPowerOfTwo(older.size) ? [older.root, ...proof] : proof;
  if (!sameBytes(prefixRoot(older.size, newer, path, sha256), older.root))
    throw broken("The consistency proof does not lead to the older root.");
}

/**
 * Computes the root of the first `size` leaves from a path to the root of all leaves. The path is that of a consistency proof, but
 * always includes the hash of the subtree in which the first leaves end. RFC 9162, section 2.1.4.2, describes it for the trees of RFC
 * 6962.
 */
export function prefixRoot(size: number, head: TreeHead, path: readonly Hash[], sha256: Sha256): Hash {
  requireHashes(path, [head]);
  requireWhole(size, "The size of a tree");
  if (size === 0 || size > head.size) throw broken(`A tree of ${head.size} leaves does not begin with one of ${size}.`);
  let [at, end] = [size - 1, head.size - 1];
  while (isOdd(at)) [at, end] = [half(at), half(end)];
  const [first, ...rest] = path;
  if (first === undefined) throw broken("The consistency proof is empty.");
  let [prefix, whole] = [first, first];
  for (const beside of rest) {
    if (end === 0) throw broken("The consistency proof has more hashes than these sizes need.");
    if (isOdd(at) || at === end) {
      prefix = nodeHash(beside, prefix, sha256);
      whole = nodeHash(beside, whole, sha256);
      while (!isOdd(at) && at !== 0) [at, end] = [half(at), half(end)];
    } else whole = nodeHash(whole, beside, sha256);
    [at, end] = [half(at), half(end)];
  }
  if (end !== 0) throw broken("The consistency proof has fewer hashes than these sizes need.");
  if (!sameBytes(whole, head.root)) throw broken("The consistency proof does not lead to the newer root.");
  return prefix;
}
