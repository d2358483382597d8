// The edge of the tree over the log, against a naive tree of the same leaves.
import { expect, test } from "vitest";
import { naiveRoot } from "../../../test/support/naive-tree.ts";
import { fromBase64 } from "../tlog/base64.ts";
import { concat } from "../tlog/bytes.ts";
import { encodeFrontier, rootOf } from "../tlog/frontier.ts";
import { sha256, sha256Hex } from "../protocol/node-sha256.ts";
import { type Chained, entryText, GENESIS } from "./entry-text.ts";
import { edgeOf, EMPTY_EDGE, fillsTile, growEdge, leafHashOf, leafOf, openTiles } from "./tree-edge.ts";

function chain(count: number): Chained[] {
  let prev = GENESIS;
  return Array.from({ length: count }, (_, i) => {
    const entry = { prev, seq: i + 1, at: 1767225600000 + i, type: "create", id: "a".repeat(64), digest: "-" };
    prev = sha256Hex(entryText(entry));
    return entry;
  });
}

test("a leaf is the chain's own text: its plain hash is that of the chain", () => {
  const [one, two] = chain(2) as [Chained, Chained];
  expect(sha256Hex(leafOf(one))).toBe(two.prev);
  expect(leafHashOf(one)).toEqual(sha256(concat(Uint8Array.of(0), leafOf(one))));
});

test("whatever the batches, tiles and root are those of the same entries one by one, and the edge can be read back", () => {
  const entries = chain(1100);
  const whole = growEdge(EMPTY_EDGE, entries);
  expect(whole.tiles.map(({ level, n }) => `${level}/${n}`)).toEqual(["0/0", "0/1", "0/2", "0/3"]);
  for (const step of [1, 7, 255, 256, 257, 1000]) {
    let edge = EMPTY_EDGE;
    const tiles = [];
    for (let at = 0; at < entries.length; at += step) {
      const grown = growEdge(edge, entries.slice(at, at + step));
      expect(grown.tiles.length > 0).toBe(fillsTile(at, Math.min(step, entries.length - at)));
      ({ edge } = grown);
      tiles.push(...grown.tiles);
    }
    expect(tiles).toEqual(whole.tiles);
    expect(edge).toEqual(whole.edge);
  }
  expect(rootOf(whole.edge.frontier, sha256)).toEqual(naiveRoot(entries.map(leafOf)));
  const leaves = entries.map(leafHashOf);
  const read = edgeOf(1100, [leaves.slice(1024), whole.tiles.map(({ root }) => fromBase64(root, "root"))]);
  expect(encodeFrontier(read.frontier)).toEqual(encodeFrontier(whole.edge.frontier));
  expect(read.open?.map((hashes) => concat(...hashes))).toEqual(whole.edge.open?.map((hashes) => concat(...hashes)));
});

test("an edge that lacks a hash is no edge, and a tile whose hashes nobody read is not made up", () => {
  const entries = chain(300);
  expect(() => edgeOf(300, [entries.map(leafHashOf).slice(257), [leafHashOf(entries[0]!)]])).toThrow("43 hashes at its edge on level 0");
  const { frontier } = growEdge(EMPTY_EDGE, entries.slice(0, 250)).edge;
  expect(growEdge({ frontier, open: undefined }, entries.slice(250, 255)).edge.frontier.size).toBe(255);
  expect(() => growEdge({ frontier, open: undefined }, entries.slice(250))).toThrow("its hashes are not known");
  expect(openTiles(65_536)).toEqual([
    { level: 0, index: 256, width: 0 },
    { level: 1, index: 1, width: 0 },
    { level: 2, index: 0, width: 1 },
  ]);
});
