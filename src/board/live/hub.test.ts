// The hub on a real log: who is told what, in whatever moment a reader comes or goes, and what stays behind.
import { expect, test } from "vitest";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Refusal } from "../../core/errors.ts";
import { agentId, messageId } from "../../core/protocol/identity.ts";
import { type Condition, hasAny, oneOf } from "../../core/query/condition.ts";
import { parseQuery } from "../../core/search/query.ts";
import type { Store } from "../../ports/store.ts";
import { nextTurn } from "../turn.ts";
import type { Reader } from "./fan-out.ts";
import { liveFilter, type LiveFilter } from "./filter.ts";
import { Hub } from "./hub.ts";

const PK = "A".repeat(43);
const OTHER_PK = Buffer.alloc(32, 2).toString("base64url");
const WEEK_MS = 7 * 86_400_000;

class Listener implements Reader {
  readonly got: number[] = [];
  readonly deliveries: number[] = [];
  ended: string | undefined;
  /** Called once, with the first events. */
  heard: (() => void) | undefined;
  deliver(events: readonly { readonly seq: number }[]): void {
    const called = this.heard;
    this.heard = undefined;
    called?.();
    this.deliveries.push(events.length);
    this.got.push(...events.map(({ seq }) => seq));
  }
  end(refusal: Refusal): void {
    this.ended = refusal.code;
  }
}

class World implements Disposable {
  readonly board = new BareBoard();
  readonly clock = new ManualClock();
  readonly failures: unknown[] = [];
  /** The next so many readings of the log fail. */
  broken = 0;
  reads = 0;
  writing = false;
  /** Called once, when messages have been read and before anything is made of them. */
  found: ((messages: number) => void) | undefined;
  readonly hub: Hub;

  constructor() {
    const { reader } = this.board;
    const store = {
      entries: async (after: number, limit: number) => {
        this.reads++;
        if (this.broken-- > 0) throw new Error("the disk is away");
        return reader.entries(after, limit, undefined);
      },
      findAll: async (ids: readonly string[], now: number) => {
        const found = reader.findAll(ids, now);
        const called = this.found;
        this.found = undefined;
        called?.(ids.length);
        return found;
      },
      verifiers: async (seq: number) => reader.verifiers(seq),
      firstSeen: async (agent: string) => reader.firstSeen(agent),
      head: async () => reader.head(),
    } as Partial<Store> as Store;
    const report = { appended() {}, failed: (_what: string, error: unknown) => void this.failures.push(error) };
    this.hub = new Hub(
      { store, render: ({ standing }) => JSON.stringify({ id: standing.id }), clock: this.clock, report, writing: () => this.writing },
      0,
    );
  }

  get head(): number {
    return this.board.reader.head().seq;
  }

  post(kind = "note", text = String(Math.random()), more: object = {}): string {
    const payload = JSON.stringify({ v: 1, pk: PK, ts: 0, kind, title: text, ...more });
    const said = this.board.post(payload, this.clock.now());
    if (said !== "created") throw new Error(said);
    return messageId(payload);
  }

  remove(target: string): void {
    const reasons = { id: "sr_0123456789abcdef", ground: "illegal_content", category: "illegal", facts: "x" } as const;
    const order = { do: "remove", target, keepAttachments: false, reasons } as const;
    this.board.run([{ type: "order", order }], this.clock.now());
    this.hub.forget();
  }

  /** Withdraws one message, or everything there is so far. */
  retract(target?: string): void {
    const what = target === undefined ? { data: { scope: "all" } } : { refs: [{ rel: "retracts", id: target }] };
    const said = this.board.post(JSON.stringify({ v: 1, pk: PK, ts: 0, kind: "retraction", ...what }), this.clock.now());
    if (said !== "created") throw new Error(said);
    this.hub.hint(this.head);
  }

  filter(kind?: string): LiveFilter {
    return this.#filter(kind ?? "", kind === undefined ? [] : [oneOf("kind", [kind])]);
  }

  byWord(word: string): LiveFilter {
    return this.#filter(`q=${word}`, [], word);
  }

  verifiedBy(agent: string): LiveFilter {
    return this.#filter(`verified_by=${agent}`, [hasAny("verifiedBy", [agent])]);
  }

  #filter(key: string, conditions: readonly Condition[], word?: string): LiveFilter {
    const query = word === undefined ? undefined : parseQuery(word, "all");
    return liveFilter(key, () => conditions, { query, near: undefined, except: undefined }, this.clock);
  }

  [Symbol.dispose](): void {
    this.hub.close();
    this.board[Symbol.dispose]();
  }
}

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test("a log that cannot be read for a while is told later, once and in order, and nobody spins meanwhile", async () => {
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
  await eventually("it is told", () => (listener.got.length === 1 ? true : undefined));
});

test("readers that come and go while a crowd is being told hear every event from their position on exactly once", async () => {
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
  // More than are told in one go, so that others come in between.
  const leaving = Array.from({ length: 1800 }, join);
  for (let round = 0; round < 60; round++) {
    world.post();
    world.hub.hint(world.head);
    for (let turn = 0; turn < round % 4; turn++) await nextTurn();
    join();
    if (round % 3 === 0) leaving.pop()?.();
  }
  await world.hub.caughtUp(world.head);
  await eventually("all told", () =>
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

test("what is removed or ends while its words are looked for is told to nobody; its end is", async () => {
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
  expect([plain.got, text.got]).toEqual([
    [2, 3, 4],
    [2, 3, 4],
  ]);
  world.hub.hint(world.head);
  await world.hub.caughtUp(5);
  expect(plain.got.at(-1)).toBe(5);
  world.post("note", "needle six");
  world.post("note", "needle seven");
  world.found = () => void nextTurn().then(() => world.clock.advance(2 * WEEK_MS));
  world.hub.hint(7);
  await world.hub.caughtUp(7);
  expect(plain.got).toEqual([2, 3, 4, 5]);
});

test("removals without end do not keep the crowd from hearing the rest", async () => {
  using world = new World();
  const listener = new Listener();
  world.hub.attach(world.filter(), listener);
  for (let i = 0; i < 20; i++) world.post();
  // Whoever reads many at once always finds that something was removed meanwhile.
  const again = (messages: number): void => {
    if (messages > 2) world.hub.forget();
    world.found = again;
  };
  world.found = again;
  world.hub.hint(20);
  await world.hub.caughtUp(20);
  expect(listener.got).toEqual(from(1, 20));
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
    expect([plain.got, text.got]).toEqual([from(1, 100), from(1, 100)]);
    expect(Math.max(...plain.deliveries)).toBeLessThanOrEqual(8);
  }
});

test("a reader by who verified that comes while the log is read loses nothing of what it was told it would hear", async () => {
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

/** More than are told in one go: the first ones hear everything, and then there is a pause. */
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
])("what %s while a crowd is being told is not told to those whose turn comes later, and the rest is", async (_how, end) => {
  using world = new World();
  const { first, last } = crowdOf(world);
  const id = world.post("note", "going", { ttl: "1m" });
  world.board.post(JSON.stringify({ v: 1, pk: OTHER_PK, ts: 0, kind: "note", title: "staying" }), world.clock.now());
  first.heard = () => end(world, id);
  world.hub.hint(2);
  await eventually("all were told", () => (last.got.includes(2) ? true : undefined));
  expect([first.got.slice(0, 2), last.got[0]]).toEqual([[1, 2], 2]);
  world.board.sweep(world.clock.now());
  world.hub.hint(world.head);
  await eventually("its end is told to all", () => (last.got.at(-1) === world.head ? true : undefined));
  expect(last.got).toEqual(first.got.slice(1));
});

test("where nobody can say what may still be told, those whose turn comes later are cut off instead of losing it", async () => {
  using world = new World();
  const { first, last } = crowdOf(world);
  world.post();
  first.heard = () => {
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

test("what is withdrawn while its words are looked for is told to nobody; its end is", async () => {
  using world = new World();
  const [plain, text] = [new Listener(), new Listener()];
  world.hub.attach(world.filter(), plain);
  world.hub.attach(world.byWord("needle"), text);
  const id = world.post("note", "needle one");
  world.post("note", "needle two");
  world.found = () => void nextTurn().then(() => world.retract(id));
  world.hub.hint(2);
  await world.hub.caughtUp(2);
  expect([plain.got, text.got]).toEqual([[2], [2]]);
  await world.hub.caughtUp(world.head);
  expect(plain.got).toEqual(from(2, world.head));
});
