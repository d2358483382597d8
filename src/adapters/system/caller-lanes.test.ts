import { expect, onTestFinished, test, vi } from "vitest";
import { Lanes } from "./caller-lanes.ts";

function lanesOf(most: number, each: number, shared?: number) {
  const lanes = new Lanes({ most, each, ...(shared === undefined ? {} : { shared }) });
  const begun: string[] = [];
  const enter = (caller: string, name = caller): void => {
    const turn = lanes.enter(caller);
    if (turn === undefined) begun.push(name);
    else void turn.then(() => begun.push(name));
  };
  const startedNow = async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
    return begun;
  };
  return { lanes, enter, startedNow };
}

test("as many as there are lanes begin at once, the others when one ends", async () => {
  const { lanes, enter, startedNow } = lanesOf(2, 2);
  for (const caller of ["a", "b", "c"]) enter(caller);
  expect(await startedNow()).toEqual(["a", "b"]);
  lanes.leave("a");
  expect(await startedNow()).toEqual(["a", "b", "c"]);
});

test("one caller cannot take all lanes, however much it asks for", async () => {
  const { enter, startedNow } = lanesOf(3, 2);
  for (let n = 0; n < 10; n++) enter("greedy", `greedy ${n}`);
  enter("modest");
  expect(await startedNow()).toEqual(["greedy 0", "greedy 1", "modest"]);
});

test("callers who wait have their turns one after the other", async () => {
  const { lanes, enter, startedNow } = lanesOf(1, 1);
  enter("first");
  for (let n = 0; n < 3; n++) enter("greedy", `greedy ${n}`);
  enter("modest");
  enter("other");
  for (const caller of ["first", "greedy", "modest", "other", "greedy"]) {
    lanes.leave(caller);
    await startedNow();
  }
  expect(await startedNow()).toEqual(["first", "greedy 0", "modest", "other", "greedy 1", "greedy 2"]);
});

test("a lane that nobody may use stays free for who comes next", async () => {
  const { lanes, enter, startedNow } = lanesOf(2, 1);
  for (let n = 0; n < 3; n++) enter("greedy", `greedy ${n}`);
  expect(await startedNow()).toEqual(["greedy 0"]);
  enter("modest");
  expect(await startedNow()).toEqual(["greedy 0", "modest"]);
  lanes.leave("modest");
  expect(await startedNow()).toEqual(["greedy 0", "modest"]);
  lanes.leave("greedy");
  expect(await startedNow()).toEqual(["greedy 0", "modest", "greedy 1"]);
});

test("callers of the last moments share what there is; who is alone has more, and the board's own work is not limited", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { lanes, enter, startedNow } = lanesOf(100, 4, 6);
  const run = async (caller: string, calls: number): Promise<number> => {
    const before = (await startedNow()).length;
    for (let n = 0; n < calls; n++) enter(caller);
    return (await startedNow()).length - before;
  };
  const end = (caller: string, calls: number): void => {
    for (let n = 0; n < calls; n++) lanes.leave(caller);
  };
  expect(await run("a", 4)).toBe(4);
  end("a", 4);
  for (const caller of ["b", "c"]) {
    await run(caller, 1);
    end(caller, 1);
  }
  expect(await run("a", 2)).toBe(2);
  expect(await run("d", 2)).toBe(1);
  expect(await run("", 4)).toBe(4);
  end("a", 2);
  end("d", 2);
  vi.advanceTimersByTime(2500);
  expect(await run("a", 4)).toBe(4);
});
