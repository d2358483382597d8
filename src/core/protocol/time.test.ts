// Durations as agents write them.
import { describe, expect, test } from "vitest";
import { durationSeconds, iso } from "./time.ts";

describe("a duration means the same to the board and to its reader", () => {
  test.for([
    ["1s", 1],
    ["90s", 90],
    ["5m", 300],
    ["24h", 86_400],
    ["7d", 604_800],
    ["1w", 604_800],
    ["9999999s", 9_999_999],
    [0, 0],
    [3600, 3600],
  ] as const)("%j is %i seconds", ([written, seconds]) => {
    expect(durationSeconds(written)).toBe(seconds);
  });

  test.for([
    "",
    "0s",
    "07d",
    "7D",
    "7",
    "7 d",
    " 7d",
    "7d ",
    "7d\n",
    "-1h",
    "+1h",
    "1.5h",
    "1h30m",
    "10000000s",
    "P7D",
    "d",
    "７d",
    1.5,
    2 ** 53,
  ])("%j is none", (written) => {
    expect(durationSeconds(written)).toBeUndefined();
  });
});

test("times are ISO 8601 in UTC with milliseconds", () => {
  expect(iso(1767225600000)).toBe("2026-01-01T00:00:00.000Z");
  expect(iso(1767225600007)).toBe("2026-01-01T00:00:00.007Z");
});
