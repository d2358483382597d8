import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { outcome, refusalOf } from "../../test/support/outcome.ts";
import { RateLimiter } from "./rate.ts";
import { shareOf } from "./share.ts";

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

test("who has used up its share is told what it cost and when to come back", () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const share = shareOf(rates, "reads", "one");
  share.spend(3000);
  expect(refusalOf(() => share.spend(25))).toMatchObject({
    code: "rate_limited",
    details: { scope: "reads", cost_ms: 3025, retry_after_s: 1 },
  });
  expect(outcome(() => rates.take("reads", "one"))).toBe("rate_limited");
  expect(outcome(() => rates.take("reads", "other"))).toBe("ok");
});

test("where limits are off nobody pays", () => {
  const share = shareOf(new RateLimiter(new ManualClock(), false), "reads", "one");
  expect(outcome(() => share.spend(1e6))).toBe("ok");
});
