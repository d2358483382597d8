// The files of a courier on a disk that fills up or fails: what was there stays, a failure is reported, and no file is left open.
import { fstatSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { codeOnNearlyFullDisk } from "../../test/support/nearly-full-disk.ts";
import { addLine, linesOf } from "./line-file.ts";

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "line-file-"))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** How often this process has the file open. */
function timesOpen(path: string): number {
  const { ino, dev } = statSync(path);
  const isIt = (file: number): boolean => {
    try {
      const open = fstatSync(file);
      return open.ino === ino && open.dev === dev;
    } catch {
      return false;
    }
  };
  return Array.from({ length: 4096 }, (_, file) => file).filter(isIt).length;
}

test("a torn line that cannot be mended leaves no file open", () => {
  const path = join(directory, "lines.jsonl");
  writeFileSync(path, '{"n":1}\n{"n":');
  // Nearly all of it is a hole, and more than can be read at once.
  truncateSync(path, 2 ** 31 + 1);
  expect(() => addLine(path, { n: 2 })).toThrow(/2 GiB/);
  expect(timesOpen(path)).toBe(0);
  truncateSync(path, 13);
  addLine(path, { n: 2 });
  expect(readFileSync(path, "utf8")).toBe('{"n":1}\n{"n":2}\n');
});

test("a line of which only a part fits is reported as a failure, and damages no other", async () => {
  const path = join(directory, "lines.jsonl");
  const module = resolve(import.meta.dirname, "line-file.ts");
  const add = (line: object) => codeOnNearlyFullDisk(module, `file.addLine(${JSON.stringify(path)}, ${JSON.stringify(line)})`);
  expect(await add({ n: 1, text: "x".repeat(900) })).toBe("done");
  expect(await add({ n: 2, text: "x".repeat(900) })).toBe("EFBIG");
  addLine(path, { n: 3 });
  expect(linesOf(path, z.object({ n: z.number() }))).toEqual([{ n: 1 }, { n: 3 }]);
});
