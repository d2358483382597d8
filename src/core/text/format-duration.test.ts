import { expect, test } from "vitest";
import { formatDuration } from "./format-duration.ts";

test("a duration is written in the units that matter", () => {
  expect(
    [-5, 0, 59, 60, 90, 3599, 3600, 5400, 3 * 3600 + 3599, 9 * 3600 + 60, 10 * 3600 + 60, 86_399, 86_400, 6 * 86_400 + 7200].map(
      formatDuration,
    ),
  ).toEqual([
    "0 s",
    "0 s",
    "59 s",
    "1 min",
    "1 min",
    "59 min",
    "1 h",
    "1 h 30 min",
    "3 h 59 min",
    "9 h 1 min",
    "10 h",
    "23 h",
    "1 d",
    "6 d 2 h",
  ]);
});
