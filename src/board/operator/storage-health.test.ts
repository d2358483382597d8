import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { StoreFailure } from "../../ports/store.ts";
import { StorageHealth } from "./storage-health.ts";

const full = new StoreFailure("storage_full", "database or disk is full");
const lost = new StoreFailure("storage_unavailable", "connection refused");

function watched() {
  const clock = new ManualClock(0);
  const reported: string[] = [];
  const trials: PromiseWithResolvers<void>[] = [];
  const health = new StorageHealth({
    clock,
    onLost: (place, { code }) => void reported.push(`${place}: ${code}`),
    onBack: ({ code, since, failures }) => void reported.push(`back from ${code} after ${clock.now() - since} ms and ${failures} failures`),
  });
  health.tryWith(() => {
    const trial = Promise.withResolvers<void>();
    trials.push(trial);
    return trial.promise;
  });
  return { clock, reported, trials, health };
}
const turn = () => new Promise((next) => setImmediate(next));

test("thousands of failures are reported once, and their end once", () => {
  const { clock, reported, health } = watched();
  expect(health.code).toBeUndefined();
  for (let i = 0; i < 5000; i++) health.failed("append", full);
  expect(health.code).toBe("storage_full");
  clock.advance(500);
  health.worked();
  health.worked();
  expect(health.code).toBeUndefined();
  expect(reported).toEqual(["append: storage_full", "back from storage_full after 500 ms and 5000 failures"]);
});

test("what it is now is what failed last", () => {
  const { health } = watched();
  health.failed("append", lost);
  health.failed("append", full);
  expect(health.code).toBe("storage_full");
});

test("nobody has to post for it to be found out: it is tried, again and again, until it works", async () => {
  const { clock, reported, trials, health } = watched();
  health.failed("append", full);
  expect(trials).toHaveLength(0);
  for (let i = 1; i <= 3; i++) {
    clock.advance(1000);
    expect(trials).toHaveLength(i);
    trials[i - 1]?.reject(full);
    await turn();
    expect(health.code).toBe("storage_full");
  }
  clock.advance(1000);
  trials[3]?.resolve();
  await turn();
  expect(health.code).toBeUndefined();
  expect(reported.at(-1)).toBe("back from storage_full after 4000 ms and 1 failures");
  clock.advance(60_000);
  expect(trials).toHaveLength(4);
});

test("a look that fails is a reason to find out whether writing fails too, and no more", async () => {
  const { reported, trials, health } = watched();
  health.failed("switches", lost);
  health.failed("search", lost);
  expect(trials).toHaveLength(1);
  trials[0]?.resolve();
  await turn();
  expect([health.code, reported]).toEqual([undefined, []]);
  health.failed("switches", lost);
  trials[1]?.reject(lost);
  await turn();
  expect([health.code, reported]).toEqual(["storage_unavailable", ["switches: storage_unavailable"]]);
});

test("a full disk is reported even if nobody posts, but not while posts are accepted", async () => {
  const { clock, reported, trials, health } = watched();
  let hasSpace = true;
  health.lookWith(async () => {
    if (!hasSpace) throw full;
  });
  clock.advance(2000);
  await turn();
  expect(reported).toEqual([]);
  hasSpace = false;
  health.worked();
  clock.advance(2000);
  await turn();
  expect(health.code).toBeUndefined();
  clock.advance(60_000);
  await turn();
  expect([health.code, reported]).toEqual(["storage_full", ["storage: storage_full"]]);
  hasSpace = true;
  clock.advance(1000);
  trials[0]?.resolve();
  await turn();
  expect(health.code).toBeUndefined();
});

test("a post that works ends it too, and nothing is tried any more", () => {
  const { clock, trials, health } = watched();
  health.failed("append", full);
  health.worked();
  clock.advance(60_000);
  expect(trials).toHaveLength(0);
});

test("a board that ends tries nothing any more", async () => {
  const { clock, trials, health } = watched();
  health.failed("append", full);
  clock.advance(1000);
  health.close();
  trials[0]?.reject(full);
  await turn();
  clock.advance(60_000);
  expect(trials).toHaveLength(1);
});
