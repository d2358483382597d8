// Proofs and roots from tiles, in two halves: the first says which tiles are needed, the second computes the result from them.
import { requireWhole } from "./bytes.ts";
import { type Frontier, peakWidths, rootOf } from "./frontier.ts";
import { type Hash, HASH_BYTES, type Sha256, subtreeHash } from "./merkle.ts";
import { type Tile, TILE_HEIGHT, TILE_WIDTH, tileIn, tilePath } from "./tile.ts";
import { malformed } from "./tlog-error.ts";

/** The caller reads the tiles between the two halves: at once, later, in parallel or from a cache. */
export interface Plan<Result> {
  readonly tiles: readonly Tile[];
  /** `contents[i]` is the content of `tiles[i]`; it may be longer if the tile has grown since. */
  readonly finish: (contents: readonly Uint8Array[], sha256: Sha256, remember?: Remember) => Result;
}

/**
 * A cache for a log that makes many proofs: returns the value for this key, or stores what `make` returns. A key names a complete
 * subtree, which never changes when the log grows. Without a cache, a proof hashes every tile on its way, up to 255 hashes each. Do not
 * use it for tiles from another server: a wrong hash would be cached too.
 */
export type Remember = (key: string, make: () => Hash) => Hash;
const forget: Remember = (_key, make) => make();

/** For stores that answer synchronously. */
export const readNow = <Result>(plan: Plan<Result>, read: (tile: Tile) => Uint8Array, sha256: Sha256, remember = forget): Result =>
  plan.finish(plan.tiles.map(read), sha256, remember);

/** For stores and networks that answer later; all tiles are requested at the same time. */
export const readLater = async <Result>(
  plan: Plan<Result>,
  read: (tile: Tile) => Promise<Uint8Array>,
  sha256: Sha256,
  remember = forget,
): Promise<Result> => plan.finish(await Promise.all(plan.tiles.map(read)), sha256, remember);

/** The leaves from `start` to before `end`, split as in RFC 6962. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** RFC 6962, section 2.1.1: the path of a leaf, from its sibling upwards. */
export function planInclusion(index: number, size: number): Plan<Hash[]> {
  requireWhole(index, "An index");
  requireWhole(size, "The size of a tree");
  if (index >= size) throw new RangeError(`A tree of ${size} leaves has none with index ${index}.`);
  return planRanges(size, beside({ start: 0, end: size }, index));
}

/** RFC 6962, section 2.1.2: the proof that the newer tree begins with the older one. It is empty if either tree is empty. */
export const planConsistency = (olderSize: number, newerSize: number): Plan<Hash[]> => planBetween(olderSize, newerSize, true);

/** The path that `prefixRoot` needs: a consistency proof with the one hash that such a proof may leave out. */
export const planPrefix = (olderSize: number, newerSize: number): Plan<Hash[]> => planBetween(olderSize, newerSize, false);

function planBetween(olderSize: number, newerSize: number, known: boolean): Plan<Hash[]> {
  requireWhole(olderSize, "The size of a tree");
  requireWhole(newerSize, "The size of a tree");
  if (olderSize > newerSize || (olderSize === 0 && !known))
    throw new RangeError(`A tree of ${newerSize} leaves does not begin with one of ${olderSize}.`);
  return planRanges(newerSize, olderSize === 0 ? [] : between({ start: 0, end: newerSize }, olderSize, known));
}

export function planRoot(size: number): Plan<Hash> {
  const { tiles, finish } = planFrontier(size);
  return { tiles, finish: (contents, sha256, remember) => rootOf(finish(contents, sha256, remember), sha256) };
}

/** The frontier of a tree, computed from its tiles, to append to it. */
export function planFrontier(size: number): Plan<Frontier> {
  requireWhole(size, "The size of a tree");
  const { tiles, finish } = planRanges(size, wholeParts({ start: 0, end: size }));
  return { tiles, finish: (contents, sha256, remember) => ({ size, peaks: finish(contents, sha256, remember) }) };
}

/** A range split at the largest power of two below its width. */
function halves({ start, end }: Range): readonly [left: Range, right: Range] {
  let width = 1;
  while (width * 2 < end - start) width *= 2;
  const at = start + width;
  return [
    { start, end: at },
    { start: at, end },
  ];
}

function beside(range: Range, index: number): Range[] {
  if (range.end - range.start === 1) return [];
  const [left, right] = halves(range);
  return index < left.end ? [...beside(left, index), right] : [...beside(right, index), left];
}

/** `known`: if the range ends where the older tree ends, its hash is left out, because the verifier already has it. */
function between(range: Range, olderSize: number, known: boolean): Range[] {
  if (olderSize === range.end) return known ? [] : [range];
  const [left, right] = halves(range);
  return olderSize <= left.end ? [...between(left, olderSize, known), right] : [...between(right, olderSize, false), left];
}

/** The complete subtrees of a range, from left to right. */
function wholeParts({ start, end }: Range): Range[] {
  let at = start;
  return peakWidths(end - start).map((width) => ({ start: at, end: (at += width) }));
}

/** The positions of the hashes from which the hash of a complete subtree is computed. */
interface Place {
  readonly tile: Tile;
  readonly from: number;
  readonly to: number;
}

function placeOf({ start, end }: Range, size: number): Place {
  let [level, hashWidth] = [0, 1];
  while (hashWidth * TILE_WIDTH <= end - start) [level, hashWidth] = [level + 1, hashWidth * 2 ** TILE_HEIGHT];
  const first = start / hashWidth;
  const tile = tileIn(size, level, Math.floor(first / TILE_WIDTH));
  if (tile === undefined) throw new RangeError(`A tree of ${size} leaves does not reach leaf ${end - 1}.`);
  return { tile, from: first % TILE_WIDTH, to: (first % TILE_WIDTH) + (end - start) / hashWidth };
}

function planRanges(size: number, ranges: readonly Range[]): Plan<Hash[]> {
  const placed = ranges.map((range) => wholeParts(range).map((part) => placeOf(part, size)));
  const tiles = new Map(placed.flat().map(({ tile }) => [tilePath(tile), tile]));
  return {
    tiles: [...tiles.values()],
    finish: (contents, sha256, remember = forget) => {
      const held = new Map([...tiles].map(([path, tile], i) => [path, contentOf(tile, contents[i])]));
      const hashOf = ({ tile, from, to }: Place): Hash =>
        remember(`${tile.level}/${tile.index}/${from}-${to}`, () => {
          const content = held.get(tilePath(tile)) ?? new Uint8Array();
          // Copied, because the hash of a single hash is a view into a tile, which belongs to its reader.
          return subtreeHash(content.subarray(from * HASH_BYTES, to * HASH_BYTES), sha256).slice();
        });
      return placed.map((places) => rootOf({ size, peaks: places.map(hashOf) }, sha256));
    },
  };
}

function contentOf(tile: Tile, content: Uint8Array = new Uint8Array()): Uint8Array {
  if (content.length < tile.width * HASH_BYTES || content.length > TILE_WIDTH * HASH_BYTES || content.length % HASH_BYTES !== 0)
    throw malformed(`${tilePath(tile)} holds ${content.length} bytes, not ${tile.width} hashes of ${HASH_BYTES}.`);
  return content;
}
