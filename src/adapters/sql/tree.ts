// The tree over the log, for readers and writers: full tiles are rows, others are computed from the log and from the tiles below them.
import { GENESIS } from "../../core/log/chain.ts";
import { leafHashOf, openTiles } from "../../core/log/tree-edge.ts";
import type { EntryType } from "../../core/log/entry-type.ts";
import { fromBase64 } from "../../core/tlog/base64.ts";
import { concat } from "../../core/tlog/bytes.ts";
import { type Hash, HASH_BYTES } from "../../core/tlog/merkle.ts";
import { type Tile, TILE_WIDTH } from "../../core/tlog/tile.ts";
import type { TreeReads } from "../../ports/store.ts";
import { first, type SqlRows } from "./dialect.ts";

/** One statement for the hashes of an incomplete tile. */
export interface HashQuery {
  readonly sql: string;
  readonly values: readonly number[];
  readonly hashesOf: (rows: readonly unknown[]) => readonly Hash[];
}

interface LeafRow {
  readonly seq: number;
  readonly at: number;
  readonly type: EntryType;
  readonly id: string;
  readonly digest: string;
  readonly hash: string;
}

/** With the entry before them, for its hash. */
const LEAVES = "SELECT seq, at, type, id, digest, hash FROM log WHERE seq >= $1 AND seq <= $2 ORDER BY seq";
const ROOTS = "SELECT root FROM tiles WHERE level = $1 AND n >= $2 AND n < $3 ORDER BY n";
const FULL = "SELECT hashes FROM tiles WHERE level = $1 AND n = $2";

export function hashQuery({ level, index, width }: Tile): HashQuery {
  const from = index * TILE_WIDTH;
  if (level > 0)
    return {
      sql: ROOTS,
      values: [level - 1, from, from + width],
      hashesOf: (rows) => (rows as readonly { root: string }[]).map(({ root }) => fromBase64(root, "The root of a tile")),
    };
  return {
    sql: LEAVES,
    values: [from, from + width],
    hashesOf(rows) {
      const found = rows as readonly LeafRow[];
      const before = found[0]?.seq === from ? 1 : 0;
      return found.slice(before).map((row, i) => leafHashOf({ ...row, prev: found[before + i - 1]?.hash ?? GENESIS }));
    },
  };
}

/** For the edge of a tree, level by level. */
export const edgeQueries = (size: number): readonly HashQuery[] => openTiles(size).map(hashQuery);

export const treeReads = (rows: SqlRows): TreeReads => ({
  async tile(asked) {
    const full = await first<{ hashes: string }>(rows, FULL, [asked.level, asked.index]);
    if (full !== undefined) return fromBase64(full.hashes, "A tile").subarray(0, asked.width * HASH_BYTES);
    // Its row is written with its last entry.
    if (asked.width === TILE_WIDTH) return undefined;
    const { sql, values, hashesOf } = hashQuery(asked);
    const hashes = hashesOf(await rows.all(sql, values));
    return hashes.length === asked.width ? concat(...hashes) : undefined;
  },
});
