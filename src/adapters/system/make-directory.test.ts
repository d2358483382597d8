import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDirectory } from "./make-directory.ts";

test("a directory is made with its parents, for its owner only, and once", () => {
  const path = join(mkdtempSync(join(tmpdir(), "directory-")), "a/b");
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("a path where no directory can be made is reported in a sentence, and tried once", () => {
  const file = join(mkdtempSync(join(tmpdir(), "directory-")), "file");
  writeFileSync(file, "");
  for (const path of [join(file, "a/b"), "/proc/a/b", "/dev/null/a"])
    expect(() => makeDirectory(path)).toThrow(/^The directory .+ cannot be made: .+\. (Choose another place|Run the command as .+)\.$/);
});
