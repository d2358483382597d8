// The Merkle tree of RFC 6962, section 2.1: its hashes, and the checks of inclusion and consistency proofs.
import { concat, requireWhole, sameBytes } from "./bytes.ts";
import { TlogError } from "./tlog-error.ts";

/** SHA-256 of some bytes; at once, because a proof asks for one after the other. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;
/** 32 bytes. */
export type Hash = Uint8Array;

export const HASH_BYTES = 32;
/** Of no tree whose size is a safe integer is a proof longer. */
export const MAX_PROOF_HASHES = 63;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const emptyRoot = (sha256: Sha256): Hash => sha256(new Uint8Array());
export const leafHash = (leaf: Uint8Array, sha256: Sha256): Hash => sha256(concat(LEAF, leaf));
export const nodeHash = (left: Hash, right: Hash, sha256: Sha256): Hash => sha256(concat(NODE, left, right));
/** The same for two hashes that stand one after the other already. */
export const pairHash = (pair: Uint8Array, sha256: Sha256): Hash => sha256(concat(NODE, pair));

/** The head of a tree: its size, and the hash of all of it. */
export interface TreeHead {
  readonly size: number;
  readonly root: Hash;
}

const half = (number: number): number => Math.floor(number / 2);
const isOdd = (number: number): boolean => number % 2 === 1;
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
      // A right edge that stands alone on its level is on the next one as it is.
      while (!isOdd(at) && at !== 0) [at, end] = [half(at), half(end)];
    } else hash = nodeHash(hash, beside, sha256);
    [at, end] = [half(at), half(end)];
  }
  if (end !== 0) throw broken("The inclusion proof has fewer hashes than the tree has levels above this leaf.");
  if (!sameBytes(hash, head.root)) throw broken("The inclusion proof leads to another root: this leaf does not stand at this index.");
}

/** Throws unless the proof shows that the newer tree begins with all of the older one. */
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
  requirePath(older, newer, proof, sha256);
}

/** Both roots from one path; see RFC 9162, section 2.1.4.2, which says for RFC 6962's trees how. */
function requirePath(older: TreeHead, newer: TreeHead, proof: readonly Hash[], sha256: Sha256): void {
  let [at, end] = [older.size - 1, newer.size - 1];
  while (isOdd(at)) [at, end] = [half(at), half(end)];
  // Where the older tree is one whole subtree of the newer, its root is known and left out of the proof.
  const [first, ...rest] = at === 0 ? [older.root, ...proof] : proof;
  if (first === undefined) throw broken("The consistency proof is empty.");
  let [oldHash, newHash] = [first, first];
  for (const beside of rest) {
    if (end === 0) throw broken("The consistency proof has more hashes than these sizes need.");
    if (isOdd(at) || at === end) {
      oldHash = nodeHash(beside, oldHash, sha256);
      newHash = nodeHash(beside, newHash, sha256);
      while (!isOdd(at) && at !== 0) [at, end] = [half(at), half(end)];
    } else newHash = nodeHash(newHash, beside, sha256);
    [at, end] = [half(at), half(end)];
  }
  if (end !== 0) throw broken("The consistency proof has fewer hashes than these sizes need.");
  if (!sameBytes(oldHash, older.root)) throw broken("The consistency proof does not lead to the older root.");
  if (!sameBytes(newHash, newer.root)) throw broken("The consistency proof does not lead to the newer root.");
}
