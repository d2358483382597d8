import { expect, test } from "vitest";
import { Lanes } from "./caller-lanes.ts";

function lanesOf(most: number, each: number) {
  const lanes = new Lanes({ most, each });
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
