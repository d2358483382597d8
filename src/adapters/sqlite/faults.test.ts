// What SQLite says of a file, as the operator reads it; what can be brought about is tested with real disks in test/sqlite/bad-starts.test.ts.
import { expect, test } from "vitest";
import { fileFault, isReadFault } from "./faults.ts";

const fault = (errcode: number, message = "said") => Object.assign(new Error(message), { errcode });
const PATH = "/nowhere/board.db";

// oxfmt-ignore
test.each([
  ["a full disk", 13, /^The disk that holds \/nowhere\/board\.db is full\./],
  ["a full disk, reported by the index of the write-ahead log", 4874, /^The disk that holds \/nowhere\/board\.db is full\./],
  ["a disk that fails", 778, /^The disk failed at \/nowhere\/board\.db \(said\)\. Look at the disk/],
  ["a lock", 261, /^Another process holds the database \/nowhere\/board\.db \(said\)\. Try again/],
  ["a file that cannot be opened for no known reason", 14, /^The database \/nowhere\/board\.db cannot be opened: said\.$/],
  ["damage", 267, /^The database \/nowhere\/board\.db is damaged: said\. Restore a backup, .+ --data \/nowhere$/],
])("%s has a sentence with the file and what to do", (_what, errcode, words) => {
  expect(fileFault(fault(errcode), PATH)).toMatchObject({ message: expect.stringMatching(words) as string, cause: { errcode } });
});

test("what is no matter of files is left as it is", () => {
  for (const error of [new Error("another"), fault(1, "no such table"), undefined]) expect(fileFault(error, PATH)).toBe(error);
});

test("a copy that fails is reported with the file that is at fault", () => {
  expect([11, 26, 266, 522].map((errcode) => isReadFault(fault(errcode)))).toEqual([true, true, true, true]);
  expect([13, 778, 14, 8].map((errcode) => isReadFault(fault(errcode)))).toEqual([false, false, false, false]);
});
