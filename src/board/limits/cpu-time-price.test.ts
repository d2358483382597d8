import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { RateLimiter } from "./rate.ts";
import { pacedShare, shareOf } from "./cpu-time-price.ts";

// Pauses end by the machine's own clock, which stands still here.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const left = (rates: RateLimiter, caller: string): number => {
  let tokens = 0;
  while (rates.has("reads", caller)) {
    rates.take("reads", caller);
    tokens++;
  }
  return tokens;
};

test("the first ten milliseconds belong to the request, and each further ten take a token of its scope", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const share = shareOf(rates, "reads", "one");
  for (let i = 0; i < 10; i++) share.spend(1);
  expect(left(rates, "one")).toBe(300);
  const again = new RateLimiter(new ManualClock(), true);
  const long = shareOf(again, "reads", "one");
  for (let i = 0; i < 10; i++) long.spend(9.5);
  expect([left(again, "one"), left(again, "other")]).toEqual([300 - 9, 300]);
});

test("a caller that has used up its share is refused with the cost and the time to come back", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const share = shareOf(rates, "reads", "one");
  share.spend(3000);
  expect(refusalOf(() => share.spend(25))).toMatchObject({
    code: "rate_limited",
    details: { scope: "reads", cost_ms: 3025, retry_after_s: 1 },
    hint: expect.stringContaining("pays for 3 s of processor time and is back after 15 s") as unknown,
  });
  expect(outcome(() => rates.take("reads", "one"))).toBe("rate_limited");
  expect(outcome(() => rates.take("reads", "other"))).toBe("ok");
});

test("a request that has written something pays on, and is not refused", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const share = shareOf(rates, "reads", "one");
  share.spend(2000);
  share.written?.();
  expect(outcome(() => share.spend(2000))).toBe("ok");
  expect(outcome(() => share.require?.())).toBe("ok");
  expect(outcome(() => rates.take("reads", "one"))).toBe("rate_limited");
});

test("work for a stream is charged and never refused; the caller's other requests are", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const share = shareOf(rates, "reads", "one");
  for (let i = 0; i < 10; i++) share.owe?.(9.5);
  expect(rates.allowance("reads", "one")?.tokens).toBe(300 - 9);
  expect(outcome(() => share.owe?.(4000))).toBe("ok");
  expect(outcome(() => rates.take("reads", "one"))).toBe("rate_limited");
  expect(outcome(() => share.spend(10))).toBe("rate_limited");
});

test("where limits are off nobody pays", () => {
  const share = shareOf(new RateLimiter(new ManualClock(), false), "reads", "one");
  expect(outcome(() => share.spend(1e6))).toBe("ok");
});

test("answers under way share a fifth of the processor, and rest for as long as that takes", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const [one, two, other] = [pacedShare(rates.pauses, "one"), pacedShare(rates.pauses, "one"), pacedShare(rates.pauses, "other")];
  one.spend(1000);
  expect(Math.round((one.rest?.() ?? 0) / 1000)).toBe(4);
  two.spend(1000);
  expect(Math.round((two.rest?.() ?? 0) / 1000)).toBe(8);
  other.spend(0);
  expect(other.rest?.()).toBeLessThan(1);
  const wide = pacedShare(new RateLimiter(new ManualClock(), true, { width: 50 }).pauses, "one");
  wide.spend(1000);
  expect(wide.rest?.()).toBe(0);
});

test("one IPv6 network of 48 bits has no more of the processor for its answers than four addresses, however many of 64 bits it has", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const restOf = (caller: string, ms: number): number => {
    const share = pacedShare(rates.pauses, caller);
    share.spend(ms);
    return Math.round((share.rest?.() ?? 0) / 100) / 10;
  };
  const rests = Array.from({ length: 40 }, (_, n) => restOf(`2001:db8:1:${n}`, 1000));
  // Each rests for its own second until there are too many; then all wait for what the network has used.
  expect([rests[0], rests[15], rests[39]]).toEqual([4, 4, 10]);
  expect(restOf("2001:db8:1:99", 0)).toBe(10);
  expect(restOf("2001:db8:2:1", 0), "another network").toBe(0);
  expect(restOf("192.0.2.1", 0)).toBe(0);
});

test("after a slice that others notice they have as long to themselves, on a public board", () => {
  const share = shareOf(new RateLimiter(new ManualClock(), true), "reads", "one");
  share.spend(1);
  expect(share.rest?.()).toBe(0);
  share.spend(5);
  share.spend(4);
  expect([share.rest?.(), share.rest?.()]).toEqual([9, 0]);
  const off = shareOf(new RateLimiter(new ManualClock(), false), "reads", "one");
  off.spend(50);
  expect(off.rest?.()).toBe(0);
});

test("requests of one caller pause one after the other, so that together they get no more time than one", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const hour = 3_600_000;
  const pauseOf = (caller: string): number => {
    const share = shareOf(rates, "reads", caller);
    share.written?.();
    share.spend(hour);
    return (share.rest?.() ?? 0) / hour;
  };
  expect(["a", "a", "b", "a"].map((caller) => Math.round(pauseOf(caller)))).toEqual([1, 2, 1, 3]);
});
