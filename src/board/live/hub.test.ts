// The hub on a real log: which reader gets which events, whenever readers come or go.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { postAct } from "../../../test/support/bare-board.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { from, Listener, OTHER_PK, World } from "../../../test/support/hub-world.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import { shareOf } from "../limits/cpu-time-price.ts";
import { RateLimiter } from "../limits/rate.ts";
import type { LiveFilter } from "./filter.ts";

/** Longer than a filter may take before others have a turn. */
const LONG_MS = 10;

test("entries of a log that cannot be read for a while are sent later, once and in order, without busy waiting", async () => {
  using world = new World();
  const listener = new Listener();
  world.hub.attach(world.filter(), listener);
  world.broken = 3;
  for (let i = 0; i < 10; i++) world.post();
  world.hub.hint(world.head);
  const caughtUp = world.hub.caughtUp(10);
  await eventually("the failure is reported", () => (world.failures.length === 1 ? true : undefined));
  expect(world.reads).toBe(1);
  for (let i = 0; i < 4; i++) {
    world.clock.advance(500);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
  expect(await caughtUp).toBe(true);
  expect(world.failures.length).toBe(3);
  expect(listener.got).toEqual(from(1, 10));
});

test("what was being read when the log went back is not sent, and what comes next is", async () => {
  using world = new World();
  const listener = new Listener();
  world.hub.attach(world.filter(), listener);
  for (let i = 0; i < 5; i++) world.post();
  world.found = () => world.hub.goBack(2);
  world.hub.hint(world.head);
  await world.hub.caughtUp(2);
  await listener.received(2);
  expect([listener.got, world.hub.position]).toEqual([from(1, 2), 2]);
  // As after posts that take the numbers of those that were lost.
  world.hub.hint(world.head);
  await listener.received(5);
  expect(listener.got).toEqual(from(1, 5));
});

test("what another process writes is noticed without a hint, but never in the middle of a transaction of this one", async () => {
  using world = new World();
  const listener = new Listener();
  world.hub.attach(world.filter(), listener);
  world.post();
  world.writing = true;
  world.clock.advance(500);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(listener.got).toEqual([]);
  world.writing = false;
  world.clock.advance(500);
  await eventually("the reader got it", () => (listener.got.length === 1 ? true : undefined));
});

test("readers that come and go while a crowd is served get every event from their position on exactly once", async () => {
  using world = new World();
  const listeners: { readonly start: number; readonly listener: Listener; left?: number }[] = [];
  const join = () => {
    const listener = new Listener();
    const one: (typeof listeners)[number] = { start: world.hub.position, listener };
    const detach = world.hub.attach(world.filter(), listener);
    listeners.push(one);
    return () => {
      detach();
      one.left = listener.got.length;
    };
  };
  // More readers than are served in one turn, so that others come in between.
  const leaving = Array.from({ length: 1800 }, join);
  for (let round = 0; round < 60; round++) {
    world.post();
    world.hub.hint(world.head);
    for (let turn = 0; turn < round % 4; turn++) await nextTurn();
    join();
    if (round % 3 === 0) leaving.pop()?.();
  }
  await world.hub.caughtUp(world.head);
  await eventually("all got it", () =>
    listeners.every(({ listener, left, start }) => left !== undefined || listener.got.at(-1) === 60 || start === 60) ? true : undefined,
  );
  for (const { start, listener, left } of listeners) {
    const got = listener.got;
    expect(got).toEqual(from(start + 1, start + got.length));
    if (left === undefined) expect(start + got.length).toBe(60);
    else expect(got.length).toBe(left);
  }
});

test("filters are asked by what a message is; the last reader of a filter takes it along", async () => {
  using world = new World();
  const [tasks, notes, all] = [new Listener(), new Listener(), new Listener()];
  const leave = [
    world.hub.attach(world.filter("task"), tasks),
    world.hub.attach(world.filter("note"), notes),
    world.hub.attach(world.filter(), all),
  ];
  world.post("note");
  world.post("task");
  world.post("note");
  world.hub.hint(world.head);
  await world.hub.caughtUp(3);
  expect([tasks.got, notes.got, all.got]).toEqual([[2], [1, 3], [1, 2, 3]]);
  expect(world.hub.readers).toBe(3);
  for (const one of [...leave, ...leave]) one();
  expect(world.hub.readers).toBe(0);
  const { reads } = world;
  world.post("note");
  world.hub.hint(world.head);
  // Nobody is there: the position moves on and nothing is read.
  expect(await world.hub.caughtUp(4)).toBe(true);
  expect(world.reads).toBe(reads);
});

test("a hub that closes ends everybody, those who wait and those who come later", async () => {
  using world = new World();
  const [early, late] = [new Listener(), new Listener()];
  world.hub.attach(world.filter(), early);
  const waiting = world.hub.caughtUp(99);
  world.hub.close();
  expect(early.ended).toBe("shutting_down");
  expect(await waiting).toBe(false);
  world.hub.attach(world.filter(), late);
  expect(late.ended).toBe("shutting_down");
  expect(await world.hub.caughtUp(0)).toBe(false);
});

test("one reader by text does not make the others wait for the words of a hundred messages, also if it comes in between", async () => {
  for (const early of [true, false]) {
    using world = new World();
    const [plain, text] = [new Listener(), new Listener()];
    world.hub.attach(world.filter(), plain);
    const come = (): void => void world.hub.attach(world.byWord("needle"), text);
    if (early) come();
    else world.found = come;
    for (let i = 0; i < 100; i++) world.post("note", `needle ${i}`);
    world.hub.hint(100);
    await world.hub.caughtUp(100);
    await Promise.all([plain.received(100), text.received(100)]);
    expect([plain.got, text.got]).toEqual([from(1, 100), from(1, 100)]);
    expect(Math.max(...plain.deliveries)).toBeLessThanOrEqual(8);
  }
});

test("others have a turn between any two filters by text that take long over one message, and each is asked once", async () => {
  using world = new World();
  const READERS = 12;
  const askedIn: number[] = [];
  let [turn, watching] = [0, true];
  const watch = (): void => {
    turn++;
    if (watching) setImmediate(watch);
  };
  for (let n = 0; n < READERS; n++) {
    const filter = world.byWord(`needle${n}`);
    const concerns: typeof filter.concerns = (...given) => {
      askedIn.push(turn);
      for (const began = performance.now(); performance.now() - began < LONG_MS;);
      return filter.concerns(...given);
    };
    world.hub.attach({ ...filter, concerns }, new Listener());
  }
  watch();
  world.post("note", "hay");
  world.hub.hint(1);
  await world.hub.caughtUp(1);
  watching = false;
  expect(askedIn).toHaveLength(READERS);
  expect(new Set(askedIn).size).toBe(READERS);
});

test("filters by text are matched at the cost of their readers, who share it; one who cannot pay loses nothing", async () => {
  using world = new World();
  const rates = new RateLimiter(new ManualClock(), true, { tokenMs: LONG_MS / 10 });
  const left = (caller: string): number => rates.allowance("reads", caller)?.tokens ?? 0;
  const listeners: Listener[] = [];
  const attach = (caller: string, filter: LiveFilter): void => {
    const listener = new Listener();
    listeners.push(listener);
    atTheCostOf(shareOf(rates, "reads", caller), () => world.hub.attach(filter, listener));
  };
  const slow = world.byWord("needle");
  const concerns: typeof slow.concerns = (...given) => {
    for (const began = performance.now(); performance.now() - began < LONG_MS;);
    return slow.concerns(...given);
  };
  for (const caller of ["one", "other"]) attach(caller, { ...slow, concerns });
  attach("third", world.filter());
  rates.owe("reads", "other", 299);
  for (let n = 0; n < 4; n++) world.post("note", `needle ${n}`);
  let rests = 0;
  const author = { lane: "author", spend: () => {}, rest: () => ++rests };
  atTheCostOf(author, () => world.hub.hint(4));
  await Promise.all(listeners.map((listener) => listener.received(4)));
  expect(listeners.map(({ got }) => got)).toEqual([from(1, 4), from(1, 4), from(1, 4)]);
  expect(left("one")).toBeLessThanOrEqual(300 - 19);
  expect(left("other")).toBe(0);
  expect(left("third")).toBe(300);
  // Nobody waits for the pauses of the caller whose post moved the log.
  expect(rests).toBe(0);
});

test("a reader with verified_by that attaches while the log is read loses nothing after the position it was given", async () => {
  using world = new World();
  const [plain, votes] = [new Listener(), new Listener()];
  world.hub.attach(world.filter(), plain);
  const refs = [{ rel: "verifies", id: world.post("finding") }];
  world.hub.hint(1);
  await world.hub.caughtUp(1);
  const verification = JSON.stringify({ v: 1, pk: OTHER_PK, ts: 0, kind: "verification", body: "ok", refs });
  world.board.run([postAct(verification)], world.clock.now());
  // The verification and the status that the finding has by it.
  expect(world.head).toBe(3);
  world.found = () => void world.hub.attach(world.verifiedBy(agentId(OTHER_PK)), votes);
  world.hub.hint(3);
  await world.hub.caughtUp(3);
  expect([plain.got, votes.got]).toEqual([[1, 2, 3], [3]]);
});
