import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryLog, sha256 } from "../../../test/support/tlog.ts";
import { requireContradiction } from "./contradiction.ts";
import { planPrefix, planRoot } from "./proofs-from-tiles.ts";

const MOST = 300;
const logWith = (forkedAt: number) =>
  new MemoryLog(Array.from({ length: MOST }, (_, i) => Buffer.from(i >= forkedAt ? `other ${i}` : `leaf ${i}`)));
const FORKED_AT = 37;
const [HONEST, FORK] = [logWith(MOST), logWith(FORKED_AT)];
const headOf = (log: MemoryLog, size: number) => ({ origin: "log.example", size, root: log.ask(planRoot(size)) });
const pathOf = (log: MemoryLog, older: number, newer: number) => (older === newer ? [] : log.ask(planPrefix(older, newer)));

test("two heads of a log that forked are evidence, whichever is the larger one", () => {
  const size = fc.integer({ min: FORKED_AT + 1, max: MOST });
  fc.assert(
    fc.property(size, size, (a, b) => {
      const [older, newer] = [Math.min(a, b), Math.max(a, b)];
      const heads = [headOf(HONEST, older), headOf(FORK, newer)] as const;
      requireContradiction(heads[0], heads[1], pathOf(FORK, older, newer), sha256);
      requireContradiction(heads[1], heads[0], pathOf(FORK, older, newer), sha256);
    }),
    { numRuns: 40 },
  );
});

test("a log that only grew cannot be accused, with whatever path", () => {
  const size = fc.integer({ min: 1, max: MOST });
  fc.assert(
    fc.property(size, size, size, size, (a, b, c, d) => {
      const [older, newer] = [Math.min(a, b), Math.max(a, b)];
      const paths = [pathOf(HONEST, older, newer), pathOf(FORK, older, newer), pathOf(HONEST, Math.min(c, d), Math.max(c, d)), []];
      for (const path of paths) expect(() => requireContradiction(headOf(HONEST, older), headOf(HONEST, newer), path, sha256)).toThrow();
    }),
    { numRuns: 40 },
  );
});

test("heads that agree, or are of two logs, are no evidence", () => {
  expect(() => requireContradiction(headOf(HONEST, 20), headOf(FORK, 300), pathOf(FORK, 20, 300), sha256)).toThrow("fit together");
  expect(() => requireContradiction(headOf(HONEST, 32), headOf(FORK, 300), pathOf(FORK, 32, 300), sha256)).toThrow("fit together");
  expect(() => requireContradiction(headOf(HONEST, 0), headOf(FORK, 300), [], sha256)).toThrow("fit together");
  expect(() => requireContradiction(headOf(HONEST, 50), { ...headOf(FORK, 50), origin: "other.example" }, [], sha256)).toThrow("two logs");
  expect(() => requireContradiction(headOf(HONEST, 50), headOf(FORK, 50), [HONEST.root], sha256)).toThrow("none may be given");
  requireContradiction({ ...headOf(HONEST, 0), root: HONEST.root }, headOf(HONEST, 20), [], sha256);
});
