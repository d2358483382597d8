import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { HOUR_MS } from "../../core/durations.ts";
import { callerOf } from "./callers.ts";
import type { Scope } from "./bucket-sizes.ts";
import { RateLimiter } from "./rate.ts";

/** The promise: how many at once, then one after how many milliseconds. Writes of an address have their own. */
const PROMISED: readonly [Scope, number, number][] = [
  ["agent_writes", 20, 3000],
  ["reads", 300, 50],
  ["searches", 60, 500],
  ["reports", 5, 720_000],
  ["keygens", 10, 120_000],
  ["assists", 60, 5000],
];

function limiter(on = true) {
  const clock = new ManualClock(1_000_000);
  const rates = new RateLimiter(clock, on);
  /** How many of `tries` pass. */
  const pass = (scope: Scope, caller: string, tries: number) =>
    Array.from({ length: tries }, () => outcome(() => rates.take(scope, caller))).filter((one) => one === "ok").length;
  return { clock, rates, pass };
}

describe.each(PROMISED)("%s", (scope, burst, every) => {
  test("a caller who goes from node to node gains a bucket on each, and no faster pace", () => {
    const clock = new ManualClock(1_000_000);
    const nodes = [
      new RateLimiter(clock, true, { seal: (name) => `sealed ${name}` }),
      new RateLimiter(clock, true, { seal: (name) => `sealed ${name}` }),
    ] as const;
    const tell = (from: RateLimiter, to: RateLimiter) =>
      from.spent(1000).forEach(({ scope: taken, caller, tokens }) => to.charge(taken, caller, tokens));
    const step = Math.min(every / 5, 1000);
    const lasting = burst * every * 4;
    let passed = 0;
    for (let ms = 0, tries = 0; ms < lasting; ms += step, tries++) {
      if (outcome(() => nodes[tries % 2 === 0 ? 0 : 1].take(scope, "a")) === "ok") passed++;
      clock.advance(step);
      if (Math.floor(ms / 1000) === Math.floor((ms + step) / 1000)) continue;
      tell(nodes[0], nodes[1]);
      tell(nodes[1], nodes[0]);
    }
    expect(passed).toBeGreaterThan(lasting / every - 2);
    expect(passed).toBeLessThanOrEqual(2 * burst + lasting / every);
  });

  test(`${burst} at once, then one every ${every} ms, and never more than that`, () => {
    const { clock, pass } = limiter();
    expect(pass(scope, "a", burst + 5)).toBe(burst);
    clock.advance(every - 1);
    expect(pass(scope, "a", 2)).toBe(0);
    clock.advance(1);
    expect(pass(scope, "a", 2)).toBe(1);
    clock.advance(3 * every);
    expect(pass(scope, "a", 5)).toBe(3);
    clock.advance(1000 * burst * every);
    expect(pass(scope, "a", burst + 5)).toBe(burst);
  });
  test("asking whether a token is left takes none", () => {
    const { rates, pass } = limiter();
    for (let i = 0; i < burst * 2; i++) expect(rates.has(scope, "a")).toBe(true);
    expect(pass(scope, "a", burst + 1)).toBe(burst);
    expect(rates.has(scope, "a")).toBe(false);
    expect(limiter(false).rates.has(scope, "a")).toBe(true);
  });

  test("a refusal tells the wait, and waiting so long is enough", () => {
    const { clock, rates, pass } = limiter();
    pass(scope, "a", burst);
    const { code, details } = refusalOf(() => rates.take(scope, "a"));
    expect({ code, details }).toEqual({
      code: "rate_limited",
      details: {
        scope,
        retry_after_s: Math.ceil(every / 1000),
        burst,
        then_every_s: every / 1000,
        ...(["reads", "searches"].includes(scope) ? {} : { bits_for_now: null }),
      },
    });
    clock.advance(Math.ceil(every / 1000) * 1000);
    expect(outcome(() => rates.take(scope, "a"))).toBe("ok");
  });
});

describe("work buys allowance: an address's writes", () => {
  const SIXTEENTH_MS = 500 / 16;
  /** A post that took so much in the end. */
  const post = (rates: RateLimiter, tokens: number, caller = "a") => {
    rates.take("writes", caller);
    rates.giveBack("writes", caller, 1 - tokens);
  };
  const posts = (rates: RateLimiter, tokens: number, caller = "a") => {
    let count = 0;
    while (outcome(() => post(rates, tokens, caller)) === "ok") count++;
    return count;
  };

  test("60 at once, then two a second: a caller that is let in with a sixteenth of a token and takes a whole one owes the rest", () => {
    const { clock, pass } = limiter();
    expect(pass("writes", "a", 70)).toBe(60);
    clock.advance(SIXTEENTH_MS - 1);
    expect(pass("writes", "a", 1)).toBe(0);
    clock.advance(1);
    expect(pass("writes", "a", 5)).toBe(1);
    clock.advance(499);
    expect(pass("writes", "a", 5)).toBe(0);
    clock.advance(1);
    expect(pass("writes", "a", 5)).toBe(1);
    let passed = 0;
    for (let ms = 0; ms < 60_000; ms += 10, clock.advance(10)) passed += pass("writes", "a", 1);
    expect(passed).toBeGreaterThanOrEqual(119);
    expect(passed).toBeLessThanOrEqual(121);
    clock.advance(30_000 + 500);
    expect(pass("writes", "a", 70)).toBe(60);
  });
  test("a post with four bits more takes a sixteenth, so sixteen times as many fit", () => {
    const { clock, rates } = limiter();
    expect(posts(rates, 1 / 16)).toBe(960);
    clock.advance(1000);
    expect(posts(rates, 1 / 16)).toBe(32);
    clock.advance(1000);
    expect(posts(rates, 1 / 4)).toBe(8);
  });
  test("while a post is under way its whole token is taken, so that nobody owes more than one", () => {
    const { clock, rates } = limiter();
    posts(rates, 1);
    clock.advance(SIXTEENTH_MS);
    rates.take("writes", "a");
    expect(outcome(() => rates.take("writes", "a"))).toBe("rate_limited");
    rates.giveBack("writes", "a", 15 / 16);
    clock.advance(SIXTEENTH_MS);
    expect(outcome(() => rates.take("writes", "a"))).toBe("ok");
  });
  test("the bucket of the wider network likewise", () => {
    const { rates } = limiter();
    const address = (n: number) => callerOf(`2001:db8:7:${n.toString(16)}::1`);
    const passed = Array.from({ length: 5 }, (_, n) => posts(rates, 1 / 16, address(n)));
    expect(passed).toEqual([960, 960, 960, 960, 0]);
  });
  test("processor time is not bought: a long request of an address without allowance is refused, a short one goes on", () => {
    const { clock, rates } = limiter();
    posts(rates, 1);
    clock.advance(SIXTEENTH_MS);
    rates.take("writes", "a");
    expect(outcome(() => rates.require("writes", "a", 5))).toBe("ok");
    expect(refusalOf(() => rates.takeForTime("writes", "a", 1, 15)).details).toMatchObject({ scope: "writes", bits_for_now: null });
  });
  test("a refusal names the bits that are enough, if any are", () => {
    const { rates } = limiter();
    posts(rates, 1);
    const refused = (bits?: () => number) => refusalOf(() => rates.take("writes", "a", 1, bits));
    expect(refused(() => 22)).toMatchObject({ details: { bits_for_now: 22 }, hint: expect.stringContaining("22 bits") });
    expect(refused().details).toMatchObject({ bits_for_now: null });
  });
  test("the allowance is that of the emptiest bucket, and there is none if nothing is counted", () => {
    const { clock, rates } = limiter();
    expect(rates.allowance("writes", "a")).toMatchObject({ burst: 60, tokens: 60, fullInMs: 0 });
    for (let n = 0; n < 8; n++) post(rates, 1 / 16);
    expect(rates.allowance("writes", "a")).toMatchObject({ tokens: 59.5, fullInMs: 250 });
    posts(rates, 1);
    expect(rates.allowance("writes", "a")?.tokens).toBe(0);
    clock.advance(1000);
    expect(Math.round(rates.allowance("writes", "a")?.tokens ?? 0)).toBe(2);
    const addresses = Array.from({ length: 9 }, (_, n) => callerOf(`2001:db8:7:${n}::1`));
    for (const address of addresses.slice(0, 8)) for (let n = 0; n < 29; n++) post(rates, 1, address);
    expect(rates.allowance("writes", addresses[8]!)).toMatchObject({ burst: 240, tokens: 8 });
    expect(limiter(false).rates.allowance("writes", "a")).toBeUndefined();
  });
});

describe("callers that have to wait come back one after the other", () => {
  const waits = (rates: RateLimiter, scope: Scope, count: number) =>
    Array.from({ length: count }, () => refusalOf(() => rates.take(scope, "a")).details?.["retry_after_s"]);

  test("as fast as the bucket fills, and none much later than it could", () => {
    const { clock, rates, pass } = limiter();
    pass("writes", "a", 60);
    expect(waits(rates, "writes", 10)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(waits(rates, "writes", 100).at(-1)).toBe(11);
    // Who has waited is not sent back to the end of the line by those who still wait.
    clock.advance(11_000);
    expect(pass("writes", "a", 30)).toBe(22);
  });
  test("others have a line of their own", () => {
    const { rates, pass } = limiter();
    for (const caller of ["a", "b"]) pass("writes", caller, 60);
    waits(rates, "writes", 10);
    expect(refusalOf(() => rates.take("writes", "b")).details).toMatchObject({ retry_after_s: 1 });
    pass("agent_writes", "a", 20);
    expect(waits(rates, "agent_writes", 3)).toEqual([3, 6, 9]);
  });
});

test("other nodes hear of callers by sealed names, a network's among them, and count them alike", () => {
  const clock = new ManualClock(1_000_000);
  const node = () => new RateLimiter(clock, true, { seal: (name) => `sealed${name.length}` });
  const [here, there] = [node(), node()];
  const caller = callerOf("2001:db8:7:1::1");
  for (let n = 0; n < 5; n++) here.take("reports", caller);
  const spent = here.spent(1000);
  expect(spent).toHaveLength(2);
  expect(JSON.stringify(spent)).not.toContain("2001");
  for (const { scope, caller: name, tokens } of spent) there.charge(scope, name, tokens);
  expect(outcome(() => there.take("reports", caller))).toBe("rate_limited");
});

test("one caller or one kind of request uses up nobody else's", () => {
  const { pass } = limiter();
  expect(pass("writes", "a", 70)).toBe(60);
  expect(pass("writes", "b", 70)).toBe(60);
  expect(pass("reads", "a", 10)).toBe(10);
});

test("a factor for the limits: it multiplies the burst and the rate after it", () => {
  const clock = new ManualClock(1_000_000);
  const wide = new RateLimiter(clock, true, { width: 50 });
  const pass = (tries: number) =>
    Array.from({ length: tries }, () => outcome(() => wide.take("reports", "a"))).filter((one) => one === "ok").length;
  expect(pass(300)).toBe(250);
  clock.advance(720_000);
  expect(pass(300)).toBe(50);
  expect(wide.published.rates).toContainEqual({ scope: "reports", per: "address", burst: 250, then_every_s: 14.4 });
  expect(wide.published.streams_at_once).toBe(1000);
});

test("switched off, nothing is counted", () => {
  expect(limiter(false).pass("reports", "a", 100)).toBe(100);
});

test("time that a call used beyond what its caller had left is owed, but for a minute at most", () => {
  const { clock, rates, pass } = limiter();
  expect(pass("reads", "a", 1)).toBe(1);
  rates.owe("reads", "a", 3_000);
  clock.advance(60_000);
  expect(pass("reads", "a", 1)).toBe(0);
  clock.advance(100);
  expect(pass("reads", "a", 5)).toBeGreaterThan(0);
});

test("a clock that is set back by an hour locks nobody out for an hour", () => {
  const { clock, pass } = limiter();
  expect(pass("writes", "a", 60)).toBe(60);
  clock.advance(-HOUR_MS);
  expect(pass("writes", "a", 1)).toBe(0);
  clock.advance(1500);
  expect(pass("writes", "a", 5)).toBe(2);
});

describe("an IPv6 network of 48 bits", () => {
  const address = (n: number) => callerOf(`2001:db8:7:${n.toString(16)}::1`);

  test("gets four times what one address gets, however many addresses it has", () => {
    const { clock, pass } = limiter();
    let taken = 0;
    for (let n = 0; n < 2000; n++) taken += pass("reports", address(n), 1);
    expect(taken).toBe(20);
    expect(pass("reports", callerOf("2001:db8:8::1"), 9)).toBe(5);
    clock.advance(720_000);
    expect(Array.from({ length: 9 }, (_, n) => pass("reports", address(n), 1)).filter((one) => one === 1)).toHaveLength(4);
  });

  test("is named in the refusal, with its own pace", () => {
    const { rates, pass } = limiter();
    for (let n = 0; n < 20; n++) pass("reports", address(n), 1);
    const { message, details } = refusalOf(() => rates.take("reports", address(99)));
    expect(message).toContain("network (an IPv6 /48)");
    expect(details).toMatchObject({ burst: 20, then_every_s: 180, retry_after_s: 180 });
  });

  test("has a refused call of one address not counted, and gets back what came to nothing", () => {
    const { rates, pass } = limiter();
    expect(pass("reports", address(0), 100)).toBe(5);
    for (let n = 1; n < 4; n++) expect(pass("reports", address(n), 5)).toBe(5);
    expect(rates.has("reports", address(9))).toBe(false);
    rates.giveBack("reports", address(1));
    expect(rates.has("reports", address(9))).toBe(true);
  });

  test("may keep four times as many streams open", () => {
    const { rates } = limiter();
    const leave = Array.from({ length: 4 }, (_, n) => Array.from({ length: 20 }, () => rates.enter(address(n)))).flat();
    expect(refusalOf(() => rates.enter(address(5)))).toMatchObject({ code: "too_many_streams", details: { at_once: 80 } });
    leave[0]?.();
    expect(outcome(() => rates.enter(address(5)))).toBe("ok");
  });
});

describe("bytes", () => {
  test("two megabytes at once, then eight kilobytes a second: 0.7 GB a day", () => {
    const { clock, rates } = limiter();
    let accepted = 0;
    const send = (length: number): void => {
      if (outcome(() => rates.takeBytes("bytes", "a", length)) === "ok") accepted += length;
    };
    for (let n = 0; n < 10; n++) send(1_000_000);
    expect(accepted).toBe(2_000_000);
    for (let second = 0; second < 86_400; second++) {
      clock.advance(1000);
      send(100_000);
    }
    expect(accepted).toBeGreaterThan(0.69e9);
    expect(accepted).toBeLessThan(0.72e9);
  });

  test("a short post counts as a kilobyte", () => {
    const { rates } = limiter();
    let posts = 0;
    while (outcome(() => rates.takeBytes("agent_bytes", "a", 10)) === "ok") posts++;
    expect(posts).toBe(2048);
  });

  test("what was not stored is put back", () => {
    const { rates } = limiter();
    for (let n = 0; n < 100; n++) rates.takeBytes("bytes", "a", 1_000_000)();
    expect(outcome(() => rates.takeBytes("bytes", "a", 2_097_152))).toBe("ok");
    expect(refusalOf(() => rates.takeBytes("bytes", "a", 8192))).toMatchObject({
      message: "This address has used up its bytes: 2097152 bytes at once, then 8192 a second; this post counts as 8192.",
      hint: "Wait 1 s. More proof of work does not help here.",
      details: { scope: "bytes", unit: "bytes", burst: 2_097_152, retry_after_s: 1, cost_bytes: 8192 },
    });
  });
});

describe("who counts as one caller", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.2", false],
    ["::ffff:192.0.2.1", "192.0.2.1", true],
    ["::FFFF:192.0.2.1", "192.0.2.1", true],
    ["::ffff:c000:201", "192.0.2.1", true],
    ["0:0:0:0:0:ffff:c000:0201", "192.0.2.1", true],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.2", false],
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true],
    ["2001:db8:1:2::1", "2001:db8:1:3::1", false],
    ["2001:db8::1", "2001:db8:0:0:5::1", true],
    ["2001:DB8:0:00AB::1", "2001:db8:0:ab::2", true],
    ["2001:db8::1", "2001:db8:0:1::1", false],
    ["fe80::1%eth0", "fe80::2%eth0", true],
    ["::1", "::ffff:127.0.0.1", false],
    ["192.0.2.1:40000", "192.0.2.1:40001", true],
    ["192.0.2.1:40000", "192.0.2.1", true],
    ["[2001:db8:1:2::1]:40000", "2001:db8:1:2::2", true],
    ["[2001:db8:1:2::1]", "[3001:db8:1:2::1]:40000", false],
  ])("%s and %s: %s", (one, other, same) => {
    expect(callerOf(one) === callerOf(other)).toBe(same);
  });
});
