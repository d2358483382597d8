import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { MINUTE_MS } from "../../core/durations.ts";
import { Difficulty } from "./difficulty.ts";

const TARGET = 10;
/** Posts that proved no more than was required. */
const plain = (posts: number) => new Map([[0, posts]]);

function board(min = 4, max = 7) {
  const clock = new ManualClock(1_000 * MINUTE_MS);
  const difficulty = new Difficulty(clock, min, max, TARGET);
  const minute = (posts: number) => {
    for (let i = 0; i < posts; i++) difficulty.accepted(0);
    clock.advance(MINUTE_MS);
  };
  return { clock, difficulty, busy: () => minute(TARGET + 1), calm: () => minute(TARGET) };
}

describe("a flood makes posting dearer, and only a flood", () => {
  test("one bit more after each minute over the target, not before the minute ends, and never over the maximum", () => {
    const { clock, difficulty, busy } = board();
    expect(difficulty.required).toBe(4);
    for (let i = 0; i < TARGET + 1; i++) difficulty.accepted(0);
    clock.advance(MINUTE_MS - 1);
    expect(difficulty.required).toBe(4);
    clock.advance(1);
    expect(difficulty.required).toBe(5);
    const later = [6, 7, 7].map(() => (busy(), difficulty.required));
    expect(later).toEqual([6, 7, 7]);
  });
  test("as many posts as the target are no flood", () => {
    const { difficulty, calm } = board();
    for (let i = 0; i < 5; i++) calm();
    expect(difficulty.required).toBe(4);
  });
  test("one bit less after every three calm minutes, and never under the minimum", () => {
    const { difficulty, busy, calm } = board();
    busy();
    busy();
    const course = Array.from({ length: 8 }, () => (calm(), difficulty.required));
    expect(course).toEqual([6, 6, 5, 5, 5, 4, 4, 4]);
  });
  test("a busy minute resets the count of calm ones", () => {
    const { difficulty, busy, calm } = board();
    busy();
    calm();
    calm();
    busy();
    expect(difficulty.required).toBe(6);
    calm();
    calm();
    expect(difficulty.required).toBe(6);
    calm();
    expect(difficulty.required).toBe(5);
  });
  test("a board that nobody spoke to for a night is back at the minimum", () => {
    const { clock, difficulty, busy } = board();
    for (let i = 0; i < 3; i++) busy();
    clock.advance(8 * 60 * MINUTE_MS);
    expect([difficulty.required, difficulty.honoured]).toEqual([4, 4]);
  });
});

describe("a post counts by what it took of its address's writes", () => {
  test("each bit beyond those required halves it, down to a sixteenth; fewer bits, from a quote of before, count as a whole one", () => {
    const { difficulty } = board();
    expect([0, 3, 4, 5, 6, 7, 8, 9, 30].map((bits) => difficulty.accepted(bits))).toEqual([
      1,
      1,
      1,
      1 / 2,
      1 / 4,
      1 / 8,
      1 / 16,
      1 / 16,
      1 / 16,
    ]);
  });
  test("so that a crowd that brings more work does not make it dearer for the others", () => {
    const { clock, difficulty } = board();
    for (let i = 0; i < TARGET * 16; i++) difficulty.accepted(8);
    clock.advance(MINUTE_MS);
    expect(difficulty.required).toBe(4);
    difficulty.accepted(8, TARGET * 16 + 1);
    clock.advance(MINUTE_MS);
    expect(difficulty.required).toBe(5);
  });
  test("by what was required in each minute, where the load is read from the log", () => {
    const clock = new ManualClock(2_000_000 * MINUTE_MS);
    const now = Math.floor(clock.now() / 60_000);
    const course = (bits: number) => {
      const node = new Difficulty(clock, 4, 20, TARGET);
      node.replay(now - 3, new Map([now - 3, now - 2, now - 1].map((minute) => [minute, new Map([[bits, TARGET * 2 + 1]])])));
      return node.required;
    };
    // With 5 bits a post is half a token while 4 are required, and a whole one as soon as that has driven it to 5.
    expect([4, 5, 6].map(course)).toEqual([7, 7, 4]);
  });
});

describe("an agent that mined for the difficulty it was quoted is not refused", () => {
  test("a quote is good for ten minutes, and not for good", () => {
    const { clock, difficulty, busy } = board();
    clock.advance(MINUTE_MS - 1000);
    const quoted = difficulty.required;
    for (let i = 0; i < TARGET + 1; i++) difficulty.accepted(0);
    clock.advance(1000);
    expect(difficulty.required).toBe(quoted + 1);
    for (let i = 0; i < 9; i++) busy();
    clock.advance(59_000);
    expect(difficulty.required).toBe(7);
    // Ten minutes to the second after the quote.
    expect(difficulty.honoured).toBe(quoted);
    clock.advance(1000);
    busy();
    expect(difficulty.honoured).toBeGreaterThan(quoted);
  });
  test("a clock that is set back takes no quote away", () => {
    const { clock, difficulty, busy } = board();
    busy();
    const before = [difficulty.required, difficulty.honoured];
    clock.advance(-60 * MINUTE_MS);
    expect([difficulty.required, difficulty.honoured]).toEqual(before);
    clock.advance(2 * MINUTE_MS);
    expect([difficulty.required, difficulty.honoured]).toEqual([5, 4]);
  });
});

describe("an operator in a flood", () => {
  test("raises the minimum for everybody at once, and what the load has brought above it is still honoured as it was quoted", () => {
    const { clock, difficulty, busy, calm } = board(4, 20);
    busy();
    difficulty.setBounds(12, 20);
    expect([difficulty.required, difficulty.honoured]).toEqual([13, 4]);
    difficulty.setBounds(12, 20, true);
    expect([difficulty.required, difficulty.honoured]).toEqual([13, 12]);
    // A change of another switch brings the same bounds again, and takes nothing away.
    busy();
    difficulty.setBounds(12, 20, true);
    expect([difficulty.required, difficulty.honoured]).toEqual([14, 12]);
    // What is not honoured any more stays so when the minimum is raised again with time for those who mine.
    difficulty.setBounds(16, 20);
    expect(difficulty.honoured).toBe(12);
    for (let i = 0; i < 11; i++) calm();
    expect(difficulty.honoured).toBeGreaterThanOrEqual(16);
    clock.advance(MINUTE_MS);
    expect(difficulty.honoured).toBe(16);
  });
  test("goes on with it after a restart and on a node that reads the load from the log", () => {
    const clock = new ManualClock(2_000_000 * MINUTE_MS);
    const now = Math.floor(clock.now() / 60_000);
    const node = new Difficulty(clock, 4, 20, TARGET);
    node.setBounds(12, 20, true);
    node.replay(now - 1440, new Map([[now - 2, plain(1000)]]));
    expect([node.required, node.honoured]).toEqual([13, 12]);
  });
});

test("nodes that read the same log ask for the same work, whenever they were started, and honour what they quoted", () => {
  const clock = new ManualClock(2_000_000 * MINUTE_MS);
  const now = Math.floor(clock.now() / 60_000);
  const posts = new Map(Array.from({ length: 4 }, (_, i) => [now - 4 + i, plain(1000)]));
  const old = new Difficulty(clock, 10, 20, 100);
  const late = new Difficulty(clock, 10, 20, 100);
  for (const node of [old, late]) node.replay(now - 1440, posts);
  expect([old.required, late.required]).toEqual([14, 14]);
  expect(late.honoured).toBe(10);
  clock.advance(MINUTE_MS);
  old.accepted(0, 101);
  // Each counts for itself until the log is read again.
  for (const node of [old, late]) node.replay(now - 1440, new Map([...posts, [now, plain(101)]]));
  expect([old.required, late.required]).toEqual([15, 15]);
});
