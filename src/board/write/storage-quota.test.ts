import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { outcome } from "../../../test/support/outcome.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { Quota } from "./storage-quota.ts";

async function quotaOf(maxBytes: number | undefined, used: number) {
  const clock = new ManualClock(1_000_000);
  const failures: unknown[] = [];
  const state = { used, fails: false, measured: 0 };
  const measure = async () => {
    state.measured++;
    if (state.fails) throw new Error("gone");
    return state.used;
  };
  const report = { failed: (_place: unknown, error: unknown) => void failures.push(error) };
  const quota = await Quota.open({ maxBytes, measure, clock, report });
  const takes = (bytes: number) => outcome(() => quota.require(bytes));
  return { clock, quota, state, failures, takes };
}

test("without a quota nothing is measured and everything fits", async () => {
  const { takes, state } = await quotaOf(undefined, 1e12);
  expect(takes(1_000_000)).toBe("ok");
  expect(state.measured).toBe(0);
});

test("large posts are refused first, then all, with what there is to know", async () => {
  const { takes, quota } = await quotaOf(1_000_000, 899_999);
  expect(takes(500_000)).toBe("ok");
  quota.add(1);
  expect([takes(8192), takes(8193)]).toEqual(["ok", "storage_full"]);
  expect(quota.refusal(9000)?.details).toEqual({ max_bytes: 1_000_000, used_bytes: 900_000, largest_bytes: 8192 });
  quota.add(100_000);
  expect(takes(0)).toBe("storage_full");
  expect(quota.refusal(0)?.details).toMatchObject({ largest_bytes: 0 });
});

test("what has expired frees space; a failed measurement changes nothing", async () => {
  const { takes, clock, state, failures } = await quotaOf(1_000_000, 1_000_000);
  expect(takes(10)).toBe("storage_full");
  state.fails = true;
  clock.advance(60_000);
  await eventually("a look that failed", () => (failures.length === 1 ? true : undefined));
  expect(takes(10)).toBe("storage_full");
  Object.assign(state, { fails: false, used: 10 });
  await eventually("a look that did not", () => {
    clock.advance(60_000);
    return takes(10) === "ok" ? true : undefined;
  });
});

test("after the end nobody looks any more", async () => {
  const { clock, quota, state } = await quotaOf(1_000_000, 5);
  quota.close();
  clock.advance(600_000);
  expect(state.measured).toBe(1);
});
