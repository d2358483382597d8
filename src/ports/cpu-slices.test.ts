import { expect, test } from "vitest";
import { atNobodysCost, atSameCost, atTheCostOf, cost, forOthersToo, nextSlice, type Share, slice, sliced } from "./cpu-slices.ts";

const share = (lane: string, spend: (ms: number) => void = () => {}): Share => ({ lane, spend });
const turn = () => new Promise((next) => setImmediate(next));

test("a slice is charged to the caller it is done for, and to nobody if nobody asked", () => {
  const spent: number[] = [];
  const work = () => {
    for (let i = 0, sum = 0; i < 1e6; i++) sum += i;
    return "done";
  };
  expect(slice(work)).toBe("done");
  expect(
    atTheCostOf(
      share("a", (ms) => void spent.push(ms)),
      () => slice(work),
    ),
  ).toBe("done");
  expect(spent).toHaveLength(1);
  expect(spent[0]).toBeGreaterThan(0);
});

test("what follows from work is done for the same caller, also after a wait", async () => {
  const spent: string[] = [];
  const long = async (caller: string) =>
    atTheCostOf(
      share(caller, () => void spent.push(caller)),
      async () => {
        slice(() => {});
        await nextSlice();
        slice(() => {});
      },
    );
  await Promise.all([long("a"), long("b")]);
  expect(spent.sort()).toEqual(["a", "a", "b", "b"]);
});

test("shared work is charged to nobody, also not to the first caller that needs it", async () => {
  const none = share("a", () => {
    throw new Error("no more");
  });
  const made = await atTheCostOf(none, () =>
    atNobodysCost(async () => {
      await sliced([1, 2, 3], () => {});
      return slice(() => "done");
    }),
  );
  expect(made).toBe("done");
});

test("work that others wait for is owed by the caller that began it, and neither refused nor paused half way", async () => {
  const owed: number[] = [];
  const spent: Share = {
    lane: "a",
    spend: () => {
      throw new Error("no share left");
    },
    owe: (ms) => void owed.push(ms),
    rest: () => 60_000,
  };
  const work = async () => {
    slice(() => {});
    await nextSlice();
    cost(5);
    return "done";
  };
  expect(await atTheCostOf(spent, () => forOthersToo(work))).toBe("done");
  expect(owed).toEqual([expect.any(Number), 5]);
  expect(await forOthersToo(work)).toBe("done");
});

test("a caller without any share left is refused at the end of the slice", () => {
  const none = share("a", () => {
    throw new Error("no more");
  });
  expect(() => atTheCostOf(none, () => slice(() => "done"))).toThrow("no more");
});

test("work that fails is paid for too", () => {
  const spent: number[] = [];
  const failing = () =>
    slice(() => {
      throw new Error("failed");
    });
  const own = share("a", (ms) => void spent.push(ms));
  expect(() => atTheCostOf(own, failing)).toThrow("failed");
  expect(spent).toHaveLength(1);
});

test("one slice is done in each turn of the event loop, and callers have their turns one after the other", async () => {
  const done: string[] = [];
  const turns: number[] = [];
  const work = async (caller: string, slices: number) =>
    atTheCostOf(share(caller), async () => {
      for (let i = 0; i < slices; i++) {
        await nextSlice();
        done.push(caller);
      }
    });
  // One has asked for much, at once; the other asks once.
  const all = Promise.all([...Array.from({ length: 5 }, () => work("greedy", 2)), work("modest", 2)]);
  while (done.length < 12) {
    const before = done.length;
    await turn();
    turns.push(done.length - before);
  }
  await all;
  expect(done).toHaveLength(12);
  expect(Math.max(...turns)).toBeLessThanOrEqual(1);
  // After four turns the modest one is done, whatever the other still waits for.
  expect(done.slice(0, 4)).toEqual(["greedy", "modest", "greedy", "modest"]);
});

test("however long each item takes, a slice ends after a few milliseconds and others have a turn", async () => {
  const worked: number[] = [];
  let turns = 0;
  const busy = (ms: number) => {
    for (const began = performance.now(); performance.now() - began < ms;);
  };
  const work = sliced([1, 2, 3, 4, 5], (item) => {
    busy(10);
    worked.push(item);
  });
  while (worked.length < 5) {
    await turn();
    turns++;
  }
  await work;
  expect(worked).toEqual([1, 2, 3, 4, 5]);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test("work that is done later, in another caller's turn, is charged to the caller that asked for it", async () => {
  const spent: string[] = [];
  async function* items() {
    for (let item = 0; item < 3; item++) {
      slice(() => {});
      await nextSlice();
      yield item;
    }
  }
  const asked = atTheCostOf(
    share("a", () => void spent.push("a")),
    () => atSameCost(items()),
  );
  const read: number[] = [];
  await atTheCostOf(
    share("b", () => void spent.push("b")),
    async () => {
      for await (const item of asked) read.push(item);
      cost(1);
    },
  );
  expect(read).toEqual([0, 1, 2]);
  expect(spent).toEqual(["a", "a", "a", "b"]);
});

test("who stops reading stops the work", async () => {
  let stopped = false;
  async function* items() {
    try {
      yield 1;
      yield 2;
    } finally {
      stopped = true;
    }
  }
  for await (const _ of atSameCost(items())) break;
  expect(stopped).toBe(true);
});

test("work that goes on at a pace rests between its slices", async () => {
  const rests: number[] = [];
  const resting = { ...share("a"), rest: () => (rests.push(1), 1) };
  await atTheCostOf(resting, () => nextSlice());
  expect(rests).toHaveLength(1);
});
