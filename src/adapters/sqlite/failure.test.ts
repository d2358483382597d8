// Which failures of SQLite pass, and which end the board: an exit on a full disk would cost readers what they could still have.
import { expect, test } from "vitest";
import { failureOf } from "./store.ts";

// oxfmt-ignore
const FAILURES: readonly (readonly [string, number | undefined, string, boolean])[] = [
  ["the disk is full", 13, "storage_full", false],
  ["the index of the write-ahead log cannot grow", 4874, "storage_full", false],
  ["somebody holds the lock", 5, "storage_unavailable", false],
  ["a write failed", 778, "storage_unavailable", true],
  ["a sync failed", 1034, "storage_unavailable", true],
  ["the file is damaged", 11, "storage_unavailable", true],
  ["nobody knows what", undefined, "storage_unavailable", true],
];

test.each(FAILURES)(
  "where %s, agents hear what to expect, and the board ends only where nothing is certain",
  (message, errcode, code, fatal) => {
    expect(failureOf({ message, errcode })).toMatchObject({ code, fatal });
  },
);
