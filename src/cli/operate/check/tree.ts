// Checks the tree over the log: every tile must follow from the entries that are kept and from the tiles below it.
import { leafHashOf } from "../../../core/log/tree-edge.ts";
import { sha256 } from "../../../core/protocol/node-sha256.ts";
import { concat, sameBytes } from "../../../core/tlog/bytes.ts";
import { type Hash, HASH_BYTES, subtreeHash } from "../../../core/tlog/merkle.ts";
import { TILE_WIDTH, tilePath } from "../../../core/tlog/tile.ts";
import type { LogReads, TreeReads } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";

type Reads = Pick<LogReads, "head" | "oldestSeq" | "entries"> & TreeReads;

export async function checkTree(store: Reads, findings: Findings): Promise<void> {
  const { seq: size } = await store.head();
  const oldest = await store.oldestSeq();
  let roots: Hash[] = [];
  for (let n = 0; (n + 1) * TILE_WIDTH <= size; n++) {
    const from = n * TILE_WIDTH;
    const content = await tileOf(store, { level: 0, index: n, width: TILE_WIDTH }, findings);
    if (from >= oldest - 1) {
      const leaves = (await store.entries(from, TILE_WIDTH)).map(leafHashOf);
      if (!sameBytes(concat(...leaves), content)) findings.add(placed(0, n), "does not follow from the entries of the log");
    }
    roots.push(subtreeHash(content, sha256));
  }
  for (let level = 1; roots.length > 0; level++) {
    const above: Hash[] = [];
    for (let n = 0; n * TILE_WIDTH < roots.length; n++) {
      const below = concat(...roots.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH));
      const width = below.length / HASH_BYTES;
      if (!sameBytes(await tileOf(store, { level, index: n, width }, findings), below))
        findings.add(placed(level, n), "does not follow from the tiles below it");
      if (width === TILE_WIDTH) above.push(subtreeHash(below, sha256));
    }
    roots = above;
  }
}

const placed = (level: number, index: number): string => tilePath({ level, index, width: TILE_WIDTH });

async function tileOf(store: TreeReads, tile: Parameters<TreeReads["tile"]>[0], findings: Findings): Promise<Uint8Array> {
  const content = await store.tile(tile);
  if (content?.length === tile.width * HASH_BYTES) return content;
  findings.add(placed(tile.level, tile.index), content === undefined ? "is missing" : "is incomplete");
  return new Uint8Array(tile.width * HASH_BYTES);
}
