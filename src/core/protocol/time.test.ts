// Durations and times as agents write them.
import { describe, expect, test } from "vitest";
import { durationSeconds, iso, timeMs } from "./time.ts";

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
  // The first two seconds are kept in the same place.
  expect([0, 256_099, 99, -1, 253_402_300_800_000].map(iso)).toEqual([
    "1970-01-01T00:00:00.000Z",
    "1970-01-01T00:04:16.099Z",
    "1970-01-01T00:00:00.099Z",
    "1969-12-31T23:59:59.999Z",
    "+010000-01-01T00:00:00.000Z",
  ]);
  expect(() => iso(Number.NaN)).toThrow(RangeError);
});

describe("a time means one moment, wherever the reader's clock stands", () => {
  const NEW_YEAR = 1767225600000;
  test.for([
    ["1767225600", NEW_YEAR],
    ["0", 0],
    ["2026-01-01", NEW_YEAR],
    ["2026-01-01T00:00", NEW_YEAR],
    ["2026-01-01T00:00:00", NEW_YEAR],
    ["2026-01-01T00:00:00Z", NEW_YEAR],
    ["2026-01-01T00:00:00.250Z", NEW_YEAR + 250],
    ["2026-01-01T00:00:00.123456789Z", NEW_YEAR + 123],
    ["2026-01-01T01:30:00+01:30", NEW_YEAR],
    ["2025-12-31T19:00:00-0500", NEW_YEAR],
    ["2024-02-29", 1709164800000],
  ] as const)("%s", ([written, ms]) => {
    expect(timeMs(written)).toBe(ms);
  });

  // oxfmt-ignore
  const NONE = [
    "", "now", "2026-01", "2026-1-1", "2026-13-01", "2026-00-01", "2026-02-30", "2026-02-29", "2026-04-31T00:00:00Z", "2026-01-01 00:00:00",
    "2026-01-01T25:00Z", "2026-01-01T00:60Z", "2026-01-01T00:00:00z", "2026-01-01Z", "-1", "1.5", "1e9", "1767225600000000", " 1767225600", "２０２６-01-01",
  ];
  test.for(NONE)("%j is none", (written) => {
    expect(timeMs(written)).toBeUndefined();
  });
});
