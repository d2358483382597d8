import { expect, test } from "vitest";
import { atTheCostOf, nextSlice, type Share, slice } from "./share.ts";

const share = (caller: string, spend: (ms: number) => void = () => {}): Share => ({ caller, spend });
const turn = () => new Promise((next) => setImmediate(next));

test("a slice costs whoever it is done for, and nobody where nobody asked", () => {
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

test("who has no more is told so at the end of the slice", () => {
  const none = share("a", () => {
    throw new Error("no more");
  });
  expect(() => atTheCostOf(none, () => slice(() => "done"))).toThrow("no more");
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
