import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory } from "../../test/support/process.ts";
import type { Figure } from "./figure.ts";
import { History, type Run, runOf } from "./history.ts";
import { summary } from "./summary-table.ts";

const rate = (value: number, ceiling?: number, name = "bare"): Figure => ({
  name: "posts",
  value,
  unit: "/s",
  better: "more",
  ...(ceiling === undefined ? {} : { ceiling: { name, value: ceiling } }),
});
const wait = (value: number): Figure => ({ name: "p99", value, unit: "ms", better: "less" });

/** A fixed value, because calling git would take most of the time of these tests. */
const STATE = "abc1234";

/** The table for `now` if only `before` was recorded. */
function tableOf(before: readonly Figure[], now: readonly Figure[], change: Partial<Run> = {}): string {
  const path = join(emptyDirectory(), "history.jsonl");
  new History(path).record({ ...runOf("post", before, new Date("2026-01-02"), STATE), ...change });
  return summary(runOf("post", now, new Date("2026-01-03"), STATE), now, new History(path));
}

test("a bench that got slower says so, whether more or less is better", () => {
  const table = tableOf([rate(1000), wait(10)], [rate(700), wait(20)]);
  expect(table).toContain("on 2026-01-02");
  expect(table).toMatch(/^posts +700 \/s +1,000 \/s +-30 % WORSE$/m);
  expect(table).toMatch(/^p99 +20\.0 ms +10\.0 ms +-50 % WORSE$/m);
  expect(table).toContain("\nWORSE than before: posts; p99");
});

test("a slow hour of the machine is not taken for a slow board: if there is a ceiling, the share of it is compared", () => {
  expect(tableOf([rate(1000, 4000)], [rate(500, 2000)])).not.toContain("WORSE");
  expect(tableOf([rate(1000, 4000)], [rate(1000, 8000)])).toMatch(/0\.13 of bare .* -50 % WORSE$/m);
  // With another ceiling, shares cannot be compared.
  expect(tableOf([rate(1000, 4000)], [rate(700, 1000, "half as much")])).toMatch(/-30 % WORSE$/m);
});

test("small changes, other machines and other benches are no regression", () => {
  expect(tableOf([rate(1000)], [rate(900)])).toMatch(/-10 %$/m);
  expect(tableOf([rate(1000)], [rate(100)], { machine: "another one" })).toContain("no run before");
  expect(tableOf([rate(1000)], [rate(100)], { bench: "read" })).toContain("no run before");
});
