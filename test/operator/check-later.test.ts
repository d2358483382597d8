// `operate check` long after: a sound board stays without findings when retention has deleted tombstones and details of the log.
import { expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { DAY_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { TILE_WIDTH } from "../../src/core/tlog/tile.ts";
import { TestBoard } from "../support/board.ts";
import { BoardStage, hashOf } from "../support/key-stage.ts";
import { configAt, Operator } from "../support/operator.ts";

/** Posts now and a moment later, so that everything old is deleted, and checks the board. */
async function findingsOf(board: TestBoard) {
  for (const title of ["now", "a moment later"]) {
    board.clock.advance(2 * MINUTE_MS);
    await board.put(board.agent(), { kind: "note", title });
  }
  // A search makes the index follow the log to its end.
  await board.get("/api/messages?q=moment");
  return (await checkConfigured(configAt(board.data), board.clock.now())).findings;
}

/** What is due by then ends, because a reader waits for that. */
async function sweepAfter(board: TestBoard, ms: number): Promise<void> {
  board.clock.advance(ms);
  await board.get("/api/messages");
}

const reply = (id: string) => ({ kind: "note", title: "reply", refs: [{ rel: "reply" as const, id }] });

test("a board that was off for ten days when a message expired is not accused of a lost tombstone", async () => {
  const before = await TestBoard.start();
  await before.put(before.agent(), { kind: "note", title: "short", ttl: "1m" });
  await before.stop();
  before.clock.advance(10 * DAY_MS);
  await using board = await TestBoard.start({ clock: before.clock, data: before.data });
  await board.put(board.agent(), { kind: "note", title: "again" });
  board.clock.advance(21 * DAY_MS);
  expect(await findingsOf(board)).toEqual([]);
});

test("a reply stays in its thread though the message that it replies to was forgotten after it", async () => {
  await using board = await TestBoard.start();
  const author = board.agent();
  const root = await board.put(author, { kind: "note", title: "root", ttl: "1m" });
  const old = await board.put(author, { ...reply(root.id), ttl: "1m" });
  board.clock.advance(29 * DAY_MS);
  await board.put(board.agent(), reply(old.id));
  board.clock.advance(2 * DAY_MS);
  expect(await findingsOf(board)).toEqual([]);
});

/** An agent whose first key has committed to the second. */
async function committed(board: TestBoard) {
  const stage = await BoardStage.on(board);
  const [first, second] = [board.agent(), board.agent()];
  expect(await stage.act(first, first, { op: "commit", next: hashOf(second) })).toBe("counted");
  return { stage, first, second };
}

test("a key that was rotated longer ago than the log keeps details still votes as its agent", async () => {
  await using board = await TestBoard.start();
  const { stage, first, second } = await committed(board);
  expect(await stage.act(second, first, { op: "rotate" })).toBe("counted");
  board.clock.advance(39 * DAY_MS);
  const { id } = await board.put(board.agent(), { kind: "finding", title: "so it is" });
  await board.put(second, { kind: "verification", body: "yes", refs: [{ rel: "verifies", id }] });
  expect(await findingsOf(board)).toEqual([]);
});

test("a rotation to a key that was committed longer ago than the log keeps details counts", async () => {
  await using board = await TestBoard.start();
  const { stage, first, second } = await committed(board);
  board.clock.advance(39 * DAY_MS);
  await board.put(first, { kind: "note", title: "by the first" });
  expect(await stage.act(second, first, { op: "rotate" })).toBe("counted");
  await board.put(second, { kind: "note", title: "by the second" });
  expect(await findingsOf(board)).toEqual([]);
});

test("so does one whose commitment has left the log with all entries of its time", async () => {
  await using board = await TestBoard.start();
  const { stage, first, second } = await committed(board);
  const [busy, asker] = [board.agent(), board.agent()];
  for (let sent = 0; sent < TILE_WIDTH; sent += 64)
    await board.bundle(Array.from({ length: 64 }, (_, n) => busy.envelope({ kind: "note", title: `note ${sent + n}`, ttl: "1m" })));
  await sweepAfter(board, MINUTE_MS);
  board.clock.advance(39 * DAY_MS);
  const task = await board.put(asker, { kind: "task", title: "held" });
  await board.put(first, { kind: "claim", lease: "6d", refs: [{ rel: "claims", id: task.id }] });
  expect(await stage.act(second, first, { op: "rotate" })).toBe("counted");
  await board.put(second, { kind: "note", title: "by the second" });
  expect(await findingsOf(board)).toEqual([]);
  const oldest = (await board.get<{ changes: { seq: number }[] }>("/api/changes?limit=1")).body.changes[0]?.seq;
  expect(oldest).toBeGreaterThan(1);
});

test("a commitment of an agent whose first message is forgotten is not taken for the first act of a new one", async () => {
  await using board = await TestBoard.start();
  const stage = await BoardStage.on(board);
  const [first, second, third] = [board.agent(), board.agent(), board.agent()];
  await board.put(first, { kind: "note", title: "long ago", ttl: "1m" });
  await sweepAfter(board, MINUTE_MS);
  board.clock.advance(32 * DAY_MS);
  await board.put(board.agent(), { kind: "note", title: "life goes on", ttl: "1m" });
  expect(await stage.act(first, first, { op: "commit", next: hashOf(second) })).toBe("pending");
  expect(await stage.act(third, first, { op: "rotate" }, { old: first })).toBe("pending");
  await board.put(first, { kind: "note", title: "still here" });
  expect(await findingsOf(board)).toEqual([]);
});

test("a lease of a successor key stays ended though the operator removed the signal that ended it", async () => {
  await using board = await TestBoard.start();
  const { stage, first, second } = await committed(board);
  expect(await stage.act(second, first, { op: "rotate" })).toBe("counted");
  const author = board.agent();
  const task = await board.put(author, { kind: "task", title: "leased" });
  const claim = await board.put(second, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
  await board.put(second, { kind: "result", body: "half", refs: [{ rel: "answers", id: task.id }] });
  const stale = await board.put(author, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: claim.id }] });
  {
    await using operator = await Operator.at(board);
    await operator.remove(stale.id);
  }
  expect(await findingsOf(board)).toEqual([]);
});
