import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { naiveConsistency, naiveInclusion, naiveRoot } from "../../../test/support/naive-tree.ts";
import { MemoryLog, sha256 } from "../../../test/support/tlog.ts";
import { append, decodeFrontier, EMPTY_FRONTIER, encodeFrontier, rootOf } from "./frontier.ts";
import { leafHash, nodeHash, requireConsistency, requireInclusion, subtreeHash } from "./merkle.ts";
import {
  planConsistency,
  planFrontier,
  planInclusion,
  planPrefix,
  planRoot,
  readLater,
  readNow,
  type Plan,
  type Remember,
} from "./proofs-from-tiles.ts";
import { type Tile, tileIn, tilePath } from "./tile.ts";

const leaf = (i: number): Uint8Array => Buffer.from(`leaf ${i}`);
/** More than two full tiles and a part of a third. */
const MOST = 700;
const LOG = new MemoryLog(Array.from({ length: MOST }, (_, i) => leaf(i)));
const first = (size: number) => LOG.leaves.slice(0, size);
const hex = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString("hex"));

describe("against a naive tree, for any size", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: MOST }), fc.constantFrom(1, 2, 255, 256, 257, 511, 512, 513));

  test("every inclusion proof from tiles is the right one, holds, and holds for nothing else", () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (size, pick, other) => {
        const [index, wrong] = [pick % size, other % size];
        const head = { size, root: LOG.ask(planRoot(size)) };
        const proof = LOG.ask(planInclusion(index, size));
        expect(hex([head.root, ...proof])).toEqual(hex([naiveRoot(first(size)), ...naiveInclusion(index, first(size))]));
        requireInclusion(head, index, leafHash(leaf(index), sha256), proof, sha256);
        if (wrong === index) return;
        expect(() => requireInclusion(head, wrong, leafHash(leaf(index), sha256), proof, sha256)).toThrow("inclusion proof");
        expect(() => requireInclusion(head, index, leafHash(leaf(wrong), sha256), proof, sha256)).toThrow("another root");
      }),
      { numRuns: 40 },
    );
  });

  test("every consistency proof from tiles is the right one, holds, and no bit of it can be changed", () => {
    fc.assert(
      fc.property(size, size, fc.nat(), fc.nat(255), (one, two, pick, bit) => {
        const [older, newer] = [Math.min(one, two), Math.max(one, two)].map((size) => ({ size, root: LOG.ask(planRoot(size)) }));
        if (older === undefined || newer === undefined) throw new Error("unreachable");
        const proof = LOG.ask(planConsistency(older.size, newer.size));
        expect(hex(proof)).toEqual(hex(naiveConsistency(older.size, first(newer.size))));
        requireConsistency(older, newer, proof, sha256);
        const changed = proof[pick % Math.max(1, proof.length)];
        if (changed === undefined) return;
        changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
        expect(() => requireConsistency(older, newer, proof, sha256)).toThrow("consistency proof does not lead");
        expect(() => requireConsistency(older, newer, proof.slice(1), sha256)).toThrow("consistency proof");
        expect(() => requireConsistency(older, newer, [...proof, changed], sha256)).toThrow("consistency proof");
      }),
      { numRuns: 40 },
    );
  });

  test("the frontier grows leaf by leaf to the naive root, survives being written down, and comes back from the tiles", () => {
    let frontier = EMPTY_FRONTIER;
    for (let size = 0; size <= 300; size++) {
      if (size < 20 || size > 250) expect(hex([rootOf(frontier, sha256)])).toEqual(hex([naiveRoot(first(size))]));
      expect(hex(LOG.ask(planFrontier(size)).peaks)).toEqual(hex(frontier.peaks));
      frontier = append(decodeFrontier(encodeFrontier(frontier)), leafHash(leaf(size), sha256), sha256).frontier;
    }
  });
});

test("a proof in a tree of three levels of tiles asks for one tile of each and for the right edge", () => {
  const paths = ({ tiles }: { readonly tiles: readonly Tile[] }) => tiles.map(tilePath);
  expect(paths(planInclusion(5, 70_000))).toEqual(["tile/0/000", "tile/1/000", "tile/1/001.p/17", "tile/0/273.p/112"]);
  expect(paths(planConsistency(0, 70_000))).toEqual([]);
  expect(paths(planRoot(65_536 * 256))).toEqual(["tile/3/000.p/1"]);
});

test("trees as large as numbers can count are planned without a mistake in the last place", () => {
  const size = Number.MAX_SAFE_INTEGER;
  for (const plan of [planInclusion(size - 1, size), planInclusion(0, size), planConsistency(size - 1, size), planRoot(size)]) {
    expect(plan.tiles.length).toBeLessThan(15);
    for (const { level, index, width } of plan.tiles) expect((index * 256 + width) * 256 ** level).toBeLessThanOrEqual(size);
  }
  // Leaf by leaf nobody gets there, but a frontier of that size is written and read.
  const frontier = { size, peaks: Array.from({ length: 53 }, (_, i) => leafHash(leaf(i), sha256)) };
  expect(decodeFrontier(encodeFrontier(frontier))).toEqual(frontier);
  expect(() => append(frontier, leafHash(leaf(0), sha256), sha256)).toThrow(RangeError);
});

test("proofs hold in trees of any size that numbers can count", () => {
  // All leaves are the same, so all whole subtrees of one height are: tiles of any tree can be written without having it.
  const hashes = [leafHash(leaf(0), sha256)];
  while (hashes.length < 53) hashes.push(nodeHash(hashes.at(-1)!, hashes.at(-1)!, sha256));
  const tile = ({ level, width }: Tile) => Buffer.concat(Array.from({ length: width }, () => hashes[level * 8]!));
  const ask = <Result>(plan: Plan<Result>) => readNow(plan, tile, sha256);
  const nearPower = fc.tuple(fc.integer({ min: 8, max: 52 }), fc.integer({ min: -2, max: 2 })).map(([bits, more]) => 2 ** bits + more);
  const anySize = fc.oneof(nearPower, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.constant(Number.MAX_SAFE_INTEGER));
  fc.assert(
    fc.property(anySize, anySize, (a, b) => {
      const [older, newer] = [Math.min(a, b), Math.max(a, b)].map((size) => ({ size, root: ask(planRoot(size)) }));
      if (older === undefined || newer === undefined) throw new Error("unreachable");
      requireConsistency(older, newer, ask(planConsistency(older.size, newer.size)), sha256);
      requireInclusion(newer, older.size - 1, hashes[0]!, ask(planInclusion(older.size - 1, newer.size)), sha256);
    }),
    { numRuns: 25 },
  );
});

test("tiles that come later, or wider than asked for, give the same proof", async () => {
  const plan = planInclusion(600, 650);
  const expected = LOG.ask(plan);
  const later = async (tile: Tile) => LOG.tile(tile);
  const grown = async (tile: Tile) => LOG.tile({ ...tile, width: tileIn(MOST, tile.level, tile.index)?.width ?? 0 });
  expect(await readLater(plan, later, sha256)).toEqual(expected);
  expect(await readLater(plan, grown, sha256)).toEqual(expected);
});

test("remembered subtrees are hashed once, for all trees and proofs that need them", () => {
  const cache = new Map<string, Uint8Array>();
  let hashed = 0;
  const counting = (bytes: Uint8Array) => (hashed++, sha256(bytes));
  const remember: Remember = (key, make) => cache.get(key) ?? cache.set(key, make()).get(key)!;
  const ask = <Result>(plan: Plan<Result>) => readNow(plan, (tile) => LOG.tile(tile), counting, remember);
  for (const size of [MOST, 650, 513])
    for (let index = 0; index < 512; index += 3) expect(ask(planInclusion(index, size))).toEqual(LOG.ask(planInclusion(index, size)));
  hashed = 0;
  ask(planInclusion(255, MOST));
  expect(hashed).toBeLessThan(20);
});

test("a full tile gives the hash that stands for it on the level above", () => {
  for (const index of [0, 1]) {
    const above = LOG.tile({ level: 1, index: 0, width: 2 }).subarray(index * 32, (index + 1) * 32);
    expect(hex([subtreeHash(LOG.tile({ level: 0, index, width: 256 }), sha256)])).toEqual(hex([above]));
  }
});

test("a tile of another size than its own is refused by name", () => {
  const plan = planInclusion(0, 300);
  for (const bytes of [0, 31, 33, 44 * 32 - 1, 8192 + 32])
    expect(() =>
      plan.finish(
        plan.tiles.map((tile) => (tile.width === 44 ? new Uint8Array(bytes) : LOG.tile(tile))),
        sha256,
      ),
    ).toThrow("tile/0/001.p/44 holds");
  expect(() => plan.finish([], sha256)).toThrow("holds 0 bytes");
});

test("a caller's mistakes are named", () => {
  expect(() => planInclusion(5, 5)).toThrow("none with index 5");
  expect(() => planConsistency(6, 5)).toThrow("does not begin");
  for (const older of [0, 6]) expect(() => planPrefix(older, 5)).toThrow("does not begin");
  expect(() => planRoot(-1)).toThrow(RangeError);
  expect(() => append({ size: 1, peaks: [] }, new Uint8Array(32), sha256)).toThrow("more than 0 peaks");
  expect(() => append(EMPTY_FRONTIER, new Uint8Array(31), sha256)).toThrow("32 bytes");
});

test("a frontier with a byte too many or too few is refused", () => {
  const bytes = encodeFrontier(LOG.frontier);
  expect(decodeFrontier(bytes)).toEqual(LOG.frontier);
  expect(() => decodeFrontier(bytes.subarray(0, 7))).toThrow("eight bytes");
  expect(() => decodeFrontier(bytes.subarray(0, -1))).toThrow("nothing after them");
  expect(() => decodeFrontier(Buffer.concat([bytes, Buffer.of(0)]))).toThrow("nothing after them");
  expect(() => decodeFrontier(Buffer.alloc(8, 255))).toThrow("too large");
});
