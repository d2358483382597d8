import { expect, test } from "vitest";
import { noVectors, vectorFiles, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { MemoryLog, sha256 } from "../../../test/support/tlog.ts";
import { emptyRoot, HASH_BYTES, leafHash, nodeHash, requireConsistency, requireInclusion } from "./merkle.ts";
import { planConsistency, planInclusion } from "./proofs-from-tiles.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const raw = (base64: string): Buffer => Buffer.from(base64, "base64");

// The hashes that transparency-dev/merkle holds its RFC 6962 hasher to (rfc6962_test.go).
test("hashes of nothing, of leaves and of nodes are those of RFC 6962", () => {
  expect(hex(emptyRoot(sha256))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(hex(leafHash(new Uint8Array(), sha256))).toBe("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  expect(hex(leafHash(Buffer.from("L123456"), sha256))).toBe("395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56");
  const node = nodeHash(Buffer.from("N123"), Buffer.from("N456"), sha256);
  expect(hex(node)).toBe("aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb");
});

// The eight leaves of Certificate Transparency's reference tree and its roots (transparency-dev/merkle, testonly/constants.go).
const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test("the reference tree has the reference roots, and every proof in it holds", () => {
  const log = new MemoryLog();
  const heads = [{ size: 0, root: log.root }];
  for (const leaf of LEAVES) {
    log.add(Buffer.from(leaf, "hex"));
    heads.push({ size: log.size, root: log.root });
  }
  expect(heads.map(({ root }) => hex(root))).toEqual(ROOTS);
  for (const newer of heads) {
    log.leaves.slice(0, newer.size).forEach((leaf, index) => {
      requireInclusion(newer, index, leafHash(leaf, sha256), log.ask(planInclusion(index, newer.size)), sha256);
    });
    for (const older of heads.slice(0, newer.size + 1))
      requireConsistency(older, newer, log.ask(planConsistency(older.size, newer.size)), sha256);
  }
});

const taken = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: expect.stringMatching(/^(TlogError|RangeError)$/) as string });
    return false;
  }
};

// transparency-dev/merkle, testdata: proofs that hold, and the same ones tampered with in every way its authors thought of.
test.skipIf(noVectors)(`takes and refuses the inclusion proofs that other implementations do ${WITH_VECTORS}`, () => {
  interface Case {
    readonly leafIdx: number;
    readonly treeSize: number;
    readonly root: string;
    readonly leafHash: string;
    readonly proof: readonly string[] | null;
    readonly wantErr: boolean;
  }
  const files = vectorFiles("tlog/merkle/testdata/inclusion").flatMap((folder) => vectorFiles(folder));
  const cases = files
    .flatMap((path) => (path.endsWith(".json") ? [path] : vectorFiles(path)))
    .map((path) => [path, vectorJson<Case>(path)] as const);
  expect(cases.length).toBe(98);
  for (const [path, { leafIdx, treeSize, root, leafHash: leaf, proof, wantErr }] of cases) {
    const hashes = (proof ?? []).map(raw);
    expect([path, taken(() => requireInclusion({ size: treeSize, root: raw(root) }, leafIdx, raw(leaf), hashes, sha256))]).toEqual([
      path,
      !wantErr,
    ]);
  }
});

test.skipIf(noVectors)(`takes and refuses the consistency proofs that other implementations do ${WITH_VECTORS}`, () => {
  interface Case {
    readonly size1: number;
    readonly size2: number;
    readonly root1: string;
    readonly root2: string;
    readonly proof: readonly string[] | null;
    readonly wantErr: boolean;
  }
  const cases = vectorFiles("tlog/merkle/testdata/consistency").flatMap((folder) =>
    vectorFiles(folder).map((path) => [path, vectorJson<Case>(path)] as const),
  );
  expect(cases.length).toBe(98);
  for (const [path, { size1, size2, root1, root2, proof, wantErr }] of cases) {
    const [older, newer] = [
      { size: size1, root: raw(root1) },
      { size: size2, root: raw(root2) },
    ];
    // Some of them have words in place of equal roots, which are no hashes here.
    const areHashes = older.root.length === HASH_BYTES && newer.root.length === HASH_BYTES;
    const verdict = taken(() => requireConsistency(older, newer, (proof ?? []).map(raw), sha256));
    expect([path, verdict]).toEqual([path, areHashes && !wantErr]);
  }
});

test("a tree begins with nothing, which needs no proof and has one root", () => {
  const [empty, one] = [
    { size: 0, root: emptyRoot(sha256) },
    { size: 1, root: leafHash(Buffer.from("a"), sha256) },
  ];
  requireConsistency(empty, empty, [], sha256);
  requireConsistency(empty, one, [], sha256);
  expect(() => requireConsistency(empty, one, [one.root], sha256)).toThrow("must be empty");
  expect(() => requireConsistency({ ...empty, root: one.root }, one, [], sha256)).toThrow("SHA-256 of nothing");
  expect(() => requireConsistency(one, { ...one, root: empty.root }, [], sha256)).toThrow("different histories");
});

test("what is no proof at all is refused before it is hashed", () => {
  const one = { size: 1, root: leafHash(Buffer.from("a"), sha256) };
  const never = () => {
    throw new Error("hashed");
  };
  expect(() =>
    requireInclusion(
      one,
      0,
      one.root,
      Array.from({ length: 64 }, () => one.root),
      never,
    ),
  ).toThrow("longer than any tree");
  expect(() => requireInclusion(one, 0, one.root, [one.root.subarray(1)], never)).toThrow("other than 32 bytes");
  expect(() => requireInclusion(one, 1, one.root, [], never)).toThrow("none with index 1");
  for (const index of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => requireInclusion(one, index, one.root, [], never)).toThrow(RangeError);
});
