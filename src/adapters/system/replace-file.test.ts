// A file that is replaced on a disk that fills up: what was there stays, and the failure is reported.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codeOnNearlyFullDisk } from "../../../test/support/nearly-full-disk.ts";
import { replaceFile } from "./replace-file.ts";

const MODULE = resolve(import.meta.dirname, "replace-file.ts");

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "replace-file-"))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a text of which only a part fits replaces nothing and leaves nothing behind, and the failure is reported", async () => {
  const path = join(directory, "state.json");
  const write = (text: string) => codeOnNearlyFullDisk(MODULE, `file.replaceFile(${JSON.stringify(path)}, ${JSON.stringify(text)})`);
  expect(await write("before")).toBe("done");
  expect(await write("x".repeat(1500))).toBe("EFBIG");
  expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual(["before", ["state.json"]]);
});

test("directories that are missing are made", () => {
  const path = join(directory, "new", "deep", "state.json");
  replaceFile(path, "there");
  expect(readFileSync(path, "utf8")).toBe("there");
});
