// Details that the log has erased: those that are old are no fault of the board, and those that are young excuse nothing.
import { expect, test } from "vitest";
import { changeKey } from "../../src/cli/operate/change-key.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hashOf, type KeyAct, signed } from "../support/key-stage.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { configAt } from "../support/operator.ts";
import { runHere } from "../support/program.ts";
import { CLIENT, runPython } from "../support/python.ts";

async function act(board: TestBoard, signer: Agent, about: Agent, what: KeyAct): Promise<number> {
  const { body } = await board.get<{ board: string }>("/api/checkpoint");
  board.clock.advance(1000);
  const envelope = signed(signer, about, what, body.board, board.clock.now());
  return (await board.send(JSON.stringify(envelope), "/api/keys")).status;
}

/** Every day somebody posts, so that the head is never old. */
async function pass(board: TestBoard, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    board.clock.advance(DAY_MS + 1000);
    await board.put(board.agent(), { kind: "note", title: `day ${day}` });
  }
}

interface Entry {
  readonly type: string;
  readonly detail: string | null;
}
/** The details of entries of this type, in a log that is there from its first entry on. */
async function detailsOf(board: TestBoard, type: string): Promise<readonly (string | null)[]> {
  const { changes, oldest_seq: oldest } = (await board.get<{ changes: readonly Entry[]; oldest_seq: number }>("/api/changes?limit=1000"))
    .body;
  expect(oldest).toBe(1);
  return changes.filter((entry) => entry.type === type).map(({ detail }) => detail);
}

const verified = async (board: TestBoard) => {
  const both = [
    await runHere(["verify-log", "--url", board.url, "--json"]),
    await runPython([CLIENT, "--url", board.url, "--json", "verify-log"]),
  ];
  return both.map(({ code, stderr }) => ({ code, stderr }));
};
const GOOD = { code: 0, stderr: "" };

test("a rotation to a key that was committed 40 days ago is no fault for verify-log", async () => {
  await using board = await TestBoard.start();
  const [key, next] = [board.agent(), board.agent()];
  await board.put(key, { kind: "note", title: "first" });
  expect(await act(board, key, key, { op: "commit", next: hashOf(next) })).toBe(201);
  await pass(board, 40);
  expect(await act(board, next, key, { op: "rotate" })).toBe(201);
  await board.put(next, { kind: "note", title: "second" });
  expect(await detailsOf(board, "key_commit")).toEqual([null]);
  expect(await verified(board)).toEqual([GOOD, GOOD]);
});

test("a board that has signed no new head for weeks may erase what is old, and that is no fault for verify-log", async () => {
  await using board = await TestBoard.start({ clock: new ManualClock(Date.now() - 60 * DAY_MS) });
  const [key, next] = [board.agent(), board.agent()];
  await board.put(key, { kind: "note", title: "first" });
  expect(await act(board, key, key, { op: "commit", next: hashOf(next) })).toBe(201);
  await pass(board, 20);
  expect(await act(board, next, key, { op: "rotate" })).toBe(201);
  const head = async () => (await board.get<{ seq: number; at: string }>("/api/checkpoint")).body;
  // The last messages expire.
  board.clock.advance(10 * DAY_MS);
  await eventually("their ends", async () => ((await head()).seq === 2 * 21 + 2 ? true : undefined));
  const before = await head();
  board.clock.advance(20 * DAY_MS);
  // What is old is erased with the next write, also with one that is refused and adds no entry.
  expect(await act(board, key, key, { op: "commit", next: hashOf(board.agent()) })).toBe(409);
  expect(await detailsOf(board, "key_commit")).toEqual([null]);
  expect(await head()).toEqual(before);
  expect(await verified(board)).toEqual([GOOD, GOOD]);
});

test("a rotation to a key whose commitment was erased too early is a fault for verify-log", async () => {
  await using board = await TestBoard.start();
  const [key, next] = [board.agent(), board.agent()];
  await board.put(key, { kind: "note", title: "first" });
  expect(await act(board, key, key, { op: "commit", next: hashOf(next) })).toBe(201);
  await pass(board, 36);
  expect(await act(board, next, key, { op: "rotate" })).toBe(201);
  expect(await verified(board)).toEqual([GOOD, GOOD]);
  using beside = openBeside(board.data);
  beside.prepare("UPDATE log SET detail = NULL WHERE type = ?").run("key_commit");
  expect(await detailsOf(board, "key_commit")).toEqual([null]);
  const fault = { code: 4, stderr: expect.stringMatching(/no board could have accepted this/i) as string };
  expect(await verified(board)).toEqual([fault, fault]);
});

test("a new key of the board that was announced 40 days ago is no fault for verify-log", async () => {
  await using board = await TestBoard.start();
  await changeKey(configAt(board.data), "board", async () => {}, board.clock.now());
  await pass(board, 40);
  // The board's key and that of its log.
  expect(await detailsOf(board, "board_key")).toEqual([null, null]);
  expect(await verified(board)).toEqual([GOOD, GOOD]);
});
