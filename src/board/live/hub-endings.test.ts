// The hub and messages that end while they are being sent: nobody gets them any more, only that they ended.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { from, Listener, OTHER_PK, World } from "../../../test/support/hub-world.ts";

const WEEK_MS = 7 * 86_400_000;

test("a message that is removed or ends while its text is matched is sent to nobody; its end is", async () => {
  using world = new World();
  const [plain, text] = [new Listener(), new Listener()];
  world.hub.attach(world.filter(), plain);
  world.hub.attach(world.byWord("needle"), text);
  const removed = world.post("note", "needle one");
  for (const word of ["two", "three", "four"]) world.post("note", `needle ${word}`);
  // After the messages were read, and before all of their words were.
  world.found = () => void nextTurn().then(() => world.remove(removed));
  world.hub.hint(4);
  await world.hub.caughtUp(4);
  await Promise.all([plain.received(3), text.received(3)]);
  expect([plain.got, text.got]).toEqual([
    [2, 3, 4],
    [2, 3, 4],
  ]);
  world.hub.hint(world.head);
  await world.hub.caughtUp(5);
  await plain.received(4);
  expect(plain.got.at(-1)).toBe(5);
  world.post("note", "needle six");
  world.post("note", "needle seven");
  world.found = () => void nextTurn().then(() => world.clock.advance(2 * WEEK_MS));
  world.hub.hint(7);
  await world.hub.caughtUp(7);
  expect(plain.got).toEqual([2, 3, 4, 5]);
});

test("a message that is withdrawn while its text is matched is sent to nobody; its end is", async () => {
  using world = new World();
  const [plain, text] = [new Listener(), new Listener()];
  world.hub.attach(world.filter(), plain);
  world.hub.attach(world.byWord("needle"), text);
  const id = world.post("note", "needle one");
  world.post("note", "needle two");
  world.found = () => void nextTurn().then(() => world.retract(id));
  world.hub.hint(2);
  await world.hub.caughtUp(2);
  await Promise.all([plain.received(1), text.received(1)]);
  expect([plain.got[0], text.got[0]]).toEqual([2, 2]);
  await world.hub.caughtUp(world.head);
  await plain.received(world.head - 1);
  expect(plain.got).toEqual(from(2, world.head));
});

test("removals without end do not keep the crowd from hearing the rest", async () => {
  using world = new World();
  const listener = new Listener();
  world.hub.attach(world.filter(), listener);
  for (let i = 0; i < 20; i++) world.post();
  // A reader of many messages at once always finds that something was removed meanwhile.
  const again = (messages: number): void => {
    if (messages > 2) world.hub.forget();
    world.found = again;
  };
  world.found = again;
  world.hub.hint(20);
  await world.hub.caughtUp(20);
  expect(listener.got).toEqual(from(1, 20));
});

/** More readers than are served in one turn: the first ones get everything, and then there is a pause. */
function crowdOf(world: World): { readonly first: Listener; readonly last: Listener } {
  const crowd = Array.from({ length: 700 }, () => new Listener());
  for (const listener of crowd) world.hub.attach(world.filter(), listener);
  return { first: crowd[0]!, last: crowd.at(-1)! };
}

test.each<[string, (world: World, id: string) => void]>([
  ["is removed", (world, id) => world.remove(id)],
  ["is withdrawn", (world, id) => world.retract(id)],
  ["is withdrawn with everything else of its author", (world) => world.retract()],
  ["ends by the clock", (world) => world.clock.advance(60_000)],
])("what %s while a message is sent to many readers is not sent to those whose turn comes later, and the rest is", async (_how, end) => {
  using world = new World();
  const { first, last } = crowdOf(world);
  const id = world.post("note", "going", { ttl: "1m" });
  world.board.post(JSON.stringify({ v: 1, pk: OTHER_PK, ts: 0, kind: "note", title: "staying" }), world.clock.now());
  first.onFirst = () => end(world, id);
  world.hub.hint(2);
  await eventually("all were told", () => (last.got.includes(2) ? true : undefined));
  expect([first.got.slice(0, 2), last.got[0]]).toEqual([[1, 2], 2]);
  world.board.sweep(world.clock.now());
  world.hub.hint(world.head);
  await eventually("its end is told to all", () => (last.got.at(-1) === world.head ? true : undefined));
  expect(last.got).toEqual(first.got.slice(1));
});

test("if it is unknown what may still be sent, readers that come later are cut off instead of losing it", async () => {
  using world = new World();
  const { first, last } = crowdOf(world);
  world.post();
  first.onFirst = () => {
    world.found = () => {
      throw new Error("the disk is away");
    };
    world.hub.hint(2);
  };
  world.hub.hint(1);
  await eventually("they are cut off", () => (last.ended === undefined ? undefined : true));
  expect([first.got, first.ended, last.got, last.ended]).toEqual([[1], undefined, [], "storage_unavailable"]);
  expect(world.failures).toHaveLength(1);
});
