import { expect, test } from "vitest";
import { ago } from "./times.ts";

test("a time is shown by its distance from now", () => {
  const at = "2026-01-31T12:00:00.000Z";
  const now = Date.parse(at);
  expect([0, 4999, 5000, 60_000, 7_200_000].map((later) => ago(at, now + later))).toEqual([
    "just now",
    "just now",
    "5 s ago",
    "1 min ago",
    "2 h ago",
  ]);
});
