// The tree of RFC 6962 over the log: its leaves, its growing edge, and the tiles that entries fill.
import { toBase64 } from "../tlog/base64.ts";
import { concat } from "../tlog/bytes.ts";
import { append, EMPTY_FRONTIER, type Frontier } from "../tlog/frontier.ts";
import { type Hash, subtreeHash } from "../tlog/merkle.ts";
import { planFrontier, readNow } from "../tlog/proofs-from-tiles.ts";
import { TILE_WIDTH } from "../tlog/tile.ts";
import { sha256 } from "../protocol/node-sha256.ts";
import { type Chained, entryText } from "./entry-text.ts";

/** The text that the chain hashes, byte for byte: its SHA-256 is the entry's hash in the chain. */
export const leafOf = (entry: Chained): Uint8Array<ArrayBuffer> => new TextEncoder().encode(entryText(entry));
/** The hash of the leaf; `\0` is the byte that RFC 6962 puts before a leaf. */
export const leafHashOf = (entry: Chained): Hash => sha256(`\0${entryText(entry)}`);

export interface TreeEdge {
  readonly frontier: Frontier;
  /** The hashes of each level's last, incomplete tile; undefined if they were not read yet. */
  readonly open: readonly (readonly Hash[])[] | undefined;
}

export const EMPTY_EDGE: TreeEdge = { frontier: EMPTY_FRONTIER, open: [] };

/** A full tile as it is stored, in base64. `root` is its hash, which goes into the level above. */
export interface StoredTile {
  readonly level: number;
  readonly n: number;
  readonly root: string;
  readonly hashes: string;
}

/** Whether this many more entries fill a tile. Only if they do must the incomplete tiles be known. */
export const fillsTile = (size: number, more: number): boolean => Math.floor(size / TILE_WIDTH) !== Math.floor((size + more) / TILE_WIDTH);

/** The incomplete tiles at the edge, from the first level up to the first level without hashes. */
export function openTiles(size: number): readonly { readonly level: number; readonly index: number; readonly width: number }[] {
  const tiles = [];
  for (let level = 0; size >= TILE_WIDTH ** level; level++)
    tiles.push({ level, index: Math.floor(size / TILE_WIDTH ** (level + 1)), width: Math.floor(size / TILE_WIDTH ** level) % TILE_WIDTH });
  return tiles;
}

/** The edge made from the hashes of its incomplete tiles. */
export function edgeOf(size: number, open: readonly (readonly Hash[])[]): TreeEdge {
  for (const { level, width } of openTiles(size))
    if (open[level]?.length !== width)
      throw new Error(`The tree of ${size} entries has ${open[level]?.length ?? 0} hashes at its edge on level ${level}, not ${width}.`);
  return { frontier: readNow(planFrontier(size), ({ level }) => concat(...(open[level] ?? [])), sha256), open };
}

/** The edge after these entries, and the tiles that they fill. */
export function growEdge(edge: TreeEdge, entries: Iterable<Chained>): { readonly edge: TreeEdge; readonly tiles: readonly StoredTile[] } {
  let { frontier } = edge;
  const open = edge.open?.map((hashes) => [...hashes]);
  const tiles: StoredTile[] = [];
  for (const entry of entries) {
    const grown = append(frontier, leafHashOf(entry), sha256);
    ({ frontier } = grown);
    if (open === undefined) {
      if (grown.tileHashes.length > 1) throw new Error("A tile is full, and its hashes are not known.");
      continue;
    }
    for (const [level, hash] of grown.tileHashes.entries()) {
      const hashes = (open[level] ??= []);
      hashes.push(hash);
      if (hashes.length < TILE_WIDTH) continue;
      const [n, root] = [Math.floor((frontier.size - 1) / TILE_WIDTH ** (level + 1)), grown.tileHashes[level + 1]];
      const all = concat(...hashes);
      tiles.push({ level, n, root: toBase64(root ?? subtreeHash(all, sha256)), hashes: toBase64(all) });
      open[level] = [];
    }
  }
  return { edge: { frontier, open }, tiles };
}
