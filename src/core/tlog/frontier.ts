// The right edge of a growing tree: everything that is needed to append to it and to compute its root.
import { concat, requireWhole, uint64 } from "./bytes.ts";
import { emptyRoot, type Hash, HASH_BYTES, nodeHash, type Sha256 } from "./merkle.ts";
import { TILE_HEIGHT } from "./tile.ts";
import { malformed } from "./tlog-error.ts";

export interface Frontier {
  readonly size: number;
  /** The roots of the complete subtrees that the tree consists of, the widest first: one for each bit of the size. */
  readonly peaks: readonly Hash[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, peaks: [] };

export interface Grown {
  readonly frontier: Frontier;
  /**
   * The hashes that this leaf adds to the tiles: its own to level 0, and on each level above the hash of the tile that it completed
   * below.
   */
  readonly tileHashes: readonly Hash[];
}

/** Appends one leaf by its hash: two hashes on average, and at most as many as the tree has levels. */
export function append({ size, peaks }: Frontier, leaf: Hash, sha256: Sha256): Grown {
  if (leaf.length !== HASH_BYTES) throw new RangeError(`The hash of a leaf has ${HASH_BYTES} bytes, not ${leaf.length}.`);
  requireWhole(size + 1, "The size of a tree");
  const left = peaks.slice();
  const tileHashes = [leaf];
  let hash = leaf;
  for (let [rest, height] = [size, 1]; rest % 2 === 1; rest = Math.floor(rest / 2), height++) {
    const beside = left.pop();
    if (beside === undefined) throw new RangeError(`A frontier of size ${size} has more than ${peaks.length} peaks.`);
    hash = nodeHash(beside, hash, sha256);
    if (height % TILE_HEIGHT === 0) tileHashes.push(hash);
  }
  left.push(hash);
  return { frontier: { size: size + 1, peaks: left }, tileHashes };
}

export function rootOf({ peaks }: Frontier, sha256: Sha256): Hash {
  return peaks.length === 0 ? emptyRoot(sha256) : peaks.reduceRight((right, left) => nodeHash(left, right, sha256));
}

/** The widths of the complete subtrees of a tree, the widest first. */
export function peakWidths(size: number): number[] {
  const widths: number[] = [];
  for (let [rest, width] = [size, 1]; rest > 0; rest = Math.floor(rest / 2), width *= 2) if (rest % 2 === 1) widths.unshift(width);
  return widths;
}

const SIZE_BYTES = 8;

/** The size as eight bytes, big endian, and the peaks. */
export const encodeFrontier = ({ size, peaks }: Frontier): Uint8Array<ArrayBuffer> => concat(uint64(size), ...peaks);

export function decodeFrontier(bytes: Uint8Array): Frontier {
  if (bytes.length < SIZE_BYTES) throw malformed("A frontier begins with a size of eight bytes.");
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(size)) throw malformed("The size of a frontier is too large to be counted exactly.");
  const peaks = peakWidths(size).map((_, i) => bytes.slice(SIZE_BYTES + i * HASH_BYTES, SIZE_BYTES + (i + 1) * HASH_BYTES));
  if (bytes.length !== SIZE_BYTES + peaks.length * HASH_BYTES)
    throw malformed(`A frontier of size ${size} has ${peaks.length} peaks and nothing after them.`);
  return { size, peaks };
}
