import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { type Action, type Switches, SWITCHES_OFF } from "../../core/message/moderation-state.ts";
import { OperatorWatch } from "./operator-watch.ts";

const LOOK_MS = 250;
const REMOVAL: Action = {
  id: "sr_1",
  seq: 2,
  at: 0,
  target: "the removed message",
  visibility: "content_removed",
  ground: "incompatible_content",
  category: "spam",
  facts: "",
  state: "in_force",
};

/** A database that answers when the test says so, and not at all once it is closed. */
class SlowStore {
  closed = false;
  readonly #waiting: ((switches: Switches) => void)[] = [];
  slow = false;

  switches = (): Promise<Switches> => (this.slow ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(SWITCHES_OFF));
  head = async () => {
    if (this.closed) throw new Error("The board is shutting down.");
    return { seq: 0, hash: "", at: 0 };
  };
  actions = async () => [];

  /** The look that has waited `place` looks. */
  answer(place: number, switches: Switches): void {
    this.#waiting.splice(place, 1)[0]?.(switches);
  }
}

async function opened() {
  const [store, clock, failures] = [new SlowStore(), new ManualClock(), [] as unknown[]];
  const report = { appended: () => {}, failed: (_what: string, error: unknown) => void failures.push(error) };
  const board = await OperatorWatch.open(store, clock, report);
  store.slow = true;
  return { store, clock, failures, board };
}

test("a board that ends waits for the look under way, so that nobody reads of a failure that was none", async () => {
  const { store, clock, failures, board } = await opened();
  clock.advance(LOOK_MS);
  const closing = board.close().finally(() => (store.closed = true));
  await new Promise((next) => setImmediate(next));
  expect(store.closed).toBe(false);
  store.answer(0, SWITCHES_OFF);
  await closing;
  expect(failures).toEqual([]);
});

test("what an older look saw never overrides a newer one", async () => {
  const { store, clock, board } = await opened();
  clock.advance(LOOK_MS);
  clock.advance(LOOK_MS);
  store.answer(1, { ...SWITCHES_OFF, readOnly: true });
  await new Promise((next) => setImmediate(next));
  store.answer(0, SWITCHES_OFF);
  await new Promise((next) => setImmediate(next));
  expect(board.readOnly).toBe(true);
  await board.close();
});

test("a removal is reported although the database was away when it was first read", async () => {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  let [seq, isAway] = [1, false];
  const store = {
    switches: async () => SWITCHES_OFF,
    head: async () => ({ seq, hash: "", at: 0 }),
    actions: async () => {
      if (isAway) throw new Error("The database is away.");
      return seq === 1 ? [] : [REMOVAL];
    },
  };
  const board = await OperatorWatch.open(store, clock, { appended: () => {}, failed: (_what, error) => void failures.push(error) });
  const removed: string[] = [];
  board.onRemoved((targets) => void removed.push(...targets));
  const look = async () => {
    clock.advance(LOOK_MS);
    await new Promise((next) => setImmediate(next));
  };
  [seq, isAway] = [2, true];
  await look();
  expect([removed, failures.length]).toEqual([[], 1]);
  isAway = false;
  await look();
  await look();
  expect(removed).toEqual([REMOVAL.target]);
  await board.close();
});
