import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBundle } from "../../../test/support/tlog.ts";
import { encodeBundle } from "./entry-bundle.ts";
import { bundlePath, parseTilePath, tileIn, tilePath } from "./tile.ts";

// The example of C2SP's tlog-tiles: index 1234067 is x001/x234/067.
test("paths are spelled as C2SP spells them", () => {
  expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe("tile/0/x001/x234/067");
  expect(tilePath({ level: 63, index: 0, width: 1 })).toBe("tile/63/000.p/1");
  expect(bundlePath({ index: 1000, width: 255 })).toBe("tile/entries/x001/000.p/255");
});

test("every path comes back as what it was made from", () => {
  const index = fc.oneof(fc.maxSafeNat(), fc.nat(3000));
  fc.assert(
    fc.property(fc.nat(63), index, fc.integer({ min: 1, max: 256 }), (level, index, width) => {
      expect(parseTilePath(tilePath({ level, index, width }))).toEqual({ level, index, width });
      expect(parseTilePath(bundlePath({ index, width }))).toEqual({ index, width });
    }),
  );
});

test.for([
  "tile/00/000",
  "tile/64/000",
  "tile/-1/000",
  "tile/0/0",
  "tile/0/0000",
  "tile/0/1000",
  "tile/0/x000/001",
  "tile/0/x001/x000",
  "tile/0/001/002",
  "tile/0/X001/002",
  "tile/0/000.p/0",
  "tile/0/000.p/256",
  "tile/0/000.p/01",
  "tile/0/000.p/",
  "tile/0/000.p",
  "tile/0/000/",
  "tile/0/000\n",
  "/tile/0/000",
  "tile/8/0/000",
  "tile/data/000",
  "tile/entries/0/000",
  "tile/entries/../0/000",
  "tile/0/x009/x007/x199/x254/x740/992",
  "tile/0/x999/x999/x999/x999/x999/x999/999",
  "tile/0/\u0663\u0663\u0663",
])("%j is no path of a tile", (path) => {
  expect(() => parseTilePath(path)).toThrow("A tile's path is");
});

test("a tile is as wide as the tree has made it", () => {
  expect(tileIn(0, 0, 0)).toBeUndefined();
  expect(tileIn(255, 1, 0)).toBeUndefined();
  expect(tileIn(256, 0, 0)).toEqual({ level: 0, index: 0, width: 256 });
  expect(tileIn(256, 0, 1)).toBeUndefined();
  expect(tileIn(70_000, 0, 273)).toEqual({ level: 0, index: 273, width: 112 });
  expect(tileIn(70_000, 1, 1)).toEqual({ level: 1, index: 1, width: 17 });
  expect(tileIn(70_000, 2, 0)).toEqual({ level: 2, index: 0, width: 1 });
});

test("bundles of entries come back as they were, and only as a whole", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 256 }), (entries) => {
      const bytes = encodeBundle(entries);
      expect(decodeBundle(bytes, entries.length)).toEqual(entries);
      expect(() => decodeBundle(bytes, entries.length + 1)).toThrow("ends after");
      expect(() => decodeBundle(bytes.subarray(0, -1), entries.length)).toThrow(/ends (after|within)/);
      expect(() => decodeBundle(Buffer.concat([bytes, Buffer.of(0)]), entries.length)).toThrow("goes on");
    }),
    { numRuns: 30 },
  );
  expect(decodeBundle(encodeBundle([new Uint8Array(65_535)]), 1)).toEqual([new Uint8Array(65_535)]);
  expect(() => encodeBundle([new Uint8Array(65_536)])).toThrow("at most 65535 bytes");
  expect(() => encodeBundle([])).toThrow("1 to 256 entries");
});
