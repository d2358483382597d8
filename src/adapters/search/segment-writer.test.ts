import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { liveDocuments } from "./renumber-live-documents.ts";
import { SegmentWriter } from "./segment-writer.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "segment-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("a segment that cannot be put in its place does not close a file of somebody else", async () => {
  const path = join(dir, "1.segment");
  mkdirSync(path);
  const writer = new SegmentWriter(path);
  await expect(writer.finish(liveDocuments([]).documents)).rejects.toThrow("EISDIR");
  const other = openSync(join(dir, "other"), "w");
  writer.abandon();
  expect(fstatSync(other).isFile()).toBe(true);
  closeSync(other);
});
