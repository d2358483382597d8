// tree.json: the roots, proofs and tiles of a tree, and proofs that must not hold.
import { toBase64 } from "../src/core/tlog/base64.ts";
import { encodeBundle } from "../src/core/tlog/entry-bundle.ts";
import { encodeFrontier } from "../src/core/tlog/frontier.ts";
import { type Hash, leafHash } from "../src/core/tlog/merkle.ts";
import { planConsistency, planFrontier, planInclusion, planRoot } from "../src/core/tlog/proofs-from-tiles.ts";
import { bundlePath, tileIn, tilePath } from "../src/core/tlog/tile.ts";
import { MemoryLog, sha256 } from "../test/support/tlog.ts";

export const LEAVES = 600;
export const leafText = (index: number): string => `leaf ${index}`;
export const vectorTree = (size = LEAVES): MemoryLog => new MemoryLog(Array.from({ length: size }, (_, i) => Buffer.from(leafText(i))));

interface InclusionCase {
  readonly name: string;
  readonly size: number;
  readonly root: string;
  readonly index: number;
  readonly leaf: string;
  readonly proof: readonly string[];
  readonly holds: boolean;
}

interface ConsistencyCase {
  readonly name: string;
  readonly older: { readonly size: number; readonly root: string };
  readonly newer: { readonly size: number; readonly root: string };
  readonly proof: readonly string[];
  readonly holds: boolean;
}

const SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 255, 256, 257, 511, 512, 513, LEAVES];
const texts = (hashes: readonly Hash[]): string[] => hashes.map(toBase64);
const flipped = ([first = "", ...rest]: readonly string[]): string[] => [
  toBase64(Buffer.from(first, "base64").map((byte) => byte ^ 1)),
  ...rest,
];

function inclusionCases(log: MemoryLog): InclusionCase[] {
  const honest = (index: number, size: number): InclusionCase => ({
    name: `leaf ${index} of ${size}`,
    size,
    root: toBase64(log.ask(planRoot(size))),
    index,
    leaf: leafText(index),
    proof: texts(log.ask(planInclusion(index, size))),
    holds: true,
  });
  const places = [
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 3],
    [4, 7],
    [6, 7],
    [7, 8],
    [0, 256],
    [255, 256],
    [256, 257],
    [300, 513],
    [512, 513],
    [0, LEAVES],
    [599, LEAVES],
  ] as const;
  const one = honest(4, 7);
  const wrong = (name: string, change: Partial<InclusionCase>): InclusionCase => ({ ...one, ...change, name, holds: false });
  return [
    ...places.map(([index, size]) => honest(index, size)),
    wrong("another leaf", { leaf: leafText(5) }),
    wrong("another index", { index: 5 }),
    wrong("an index beyond the tree", { index: 7 }),
    wrong("another size", { size: 9 }),
    wrong("another root", { root: honest(4, 8).root }),
    wrong("a hash of the proof changed", { proof: flipped(one.proof) }),
    wrong("a hash too few", { proof: one.proof.slice(0, -1) }),
    wrong("a hash too many", { proof: [...one.proof, one.root] }),
    wrong("the order changed", { proof: one.proof.toReversed() }),
    wrong("no proof at all", { proof: [] }),
  ];
}

function consistencyCases(log: MemoryLog): ConsistencyCase[] {
  const head = (size: number) => ({ size, root: toBase64(log.ask(planRoot(size))) });
  const honest = (older: number, newer: number): ConsistencyCase => ({
    name: `${older} to ${newer}`,
    older: head(older),
    newer: head(newer),
    proof: texts(log.ask(planConsistency(older, newer))),
    holds: true,
  });
  const sizes = [
    [0, 0],
    [0, 5],
    [1, 1],
    [1, 2],
    [2, 3],
    [3, 7],
    [4, 7],
    [6, 7],
    [6, 8],
    [7, 8],
    [8, 8],
    [255, 257],
    [256, 513],
    [257, LEAVES],
    [512, LEAVES],
    [599, LEAVES],
  ] as const;
  const one = honest(3, 7);
  const wrong = (name: string, change: Partial<ConsistencyCase>): ConsistencyCase => ({ ...one, ...change, name, holds: false });
  return [
    ...sizes.map(([older, newer]) => honest(older, newer)),
    wrong("the newer tree is the smaller one", { older: one.newer, newer: one.older }),
    wrong("another older size", { older: { ...one.older, size: 4 } }),
    wrong("another newer size", { newer: { ...one.newer, size: 9 } }),
    wrong("another older root", { older: { ...one.older, root: head(2).root } }),
    wrong("another newer root", { newer: { ...one.newer, root: head(8).root } }),
    wrong("a hash of the proof changed", { proof: flipped(one.proof) }),
    wrong("a hash too few", { proof: one.proof.slice(0, -1) }),
    wrong("a hash too many", { proof: [...one.proof, one.newer.root] }),
    wrong("no proof at all", { proof: [] }),
    wrong("two roots for one size", { older: { size: 7, root: head(6).root }, proof: [] }),
    wrong("a proof where nothing is to be proved", { older: one.newer }),
    wrong("a proof from nothing", { older: head(0) }),
    wrong("an empty tree with a root", { older: { size: 0, root: head(1).root }, proof: [] }),
  ];
}

/** Every tile of the tree as it stands, by its path; of full ones the hash, since they are long. */
function tiles(log: MemoryLog) {
  const found: { readonly path: string; readonly sha256: string; readonly content?: string }[] = [];
  for (let level = 0; tileIn(log.size, level, 0) !== undefined; level++)
    for (let index = 0, tile = tileIn(log.size, level, 0); tile !== undefined; tile = tileIn(log.size, level, ++index)) {
      const content = log.tile(tile);
      const short = content.length > 1024 ? {} : { content: toBase64(content) };
      found.push({ path: tilePath(tile), sha256: toBase64(sha256(content)), ...short });
      if (level > 0) continue;
      const bundle = encodeBundle(log.leaves.slice(index * 256, index * 256 + tile.width));
      found.push({ path: bundlePath(tile), sha256: toBase64(sha256(bundle)) });
    }
  return found;
}

export function treeFile() {
  const log = vectorTree();
  return {
    about: `A tree of RFC 6962 whose leaf i is the text "leaf i", from 0 to ${LEAVES - 1}; hashes in base64. A proof is to be refused where holds is false.`,
    roots: SIZES.map((size) => ({
      size,
      root: toBase64(log.ask(planRoot(size))),
      frontier: toBase64(encodeFrontier(log.ask(planFrontier(size)))),
    })),
    leaf_hash: { leaf: leafText(0), hash: toBase64(leafHash(Buffer.from(leafText(0)), sha256)) },
    inclusion: inclusionCases(log),
    consistency: consistencyCases(log),
    tiles: tiles(log),
  };
}
