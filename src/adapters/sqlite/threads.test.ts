import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { DAY_MS } from "../../core/durations.ts";

const START = Date.UTC(2026, 0, 1);

let board: BareBoard;
beforeEach(() => (board = new BareBoard()));
afterEach(() => board[Symbol.dispose]());

/** A note that may reply to another; answers its id. */
const text = (body: string, reply?: string): string =>
  JSON.stringify({
    v: 1,
    pk: AGENTS[0]!.pk,
    ts: 1,
    kind: "note",
    body,
    ...(reply === undefined ? {} : { refs: [{ rel: "reply", id: reply }] }),
  });

function post(body: string, day: number, reply?: string): string {
  const payload = text(body, reply);
  expect(board.post(payload, START + day * DAY_MS)).toBe("created");
  return messageId(payload);
}

const seqs = async (root: string, day: number): Promise<number[]> => {
  const found = await board.reads.branches(root, { after: 0, upTo: 1e9, limit: 100, now: START + day * DAY_MS });
  return found.map(({ seq }) => seq);
};

test("a reply that comes before its target shares the thread with it", async () => {
  const root = messageId(text("root"));
  post("early", 0, root);
  post("root", 0);
  post("late", 0, root);
  expect(await seqs(root, 0)).toEqual([1, 2, 3]);
  expect(await board.reads.threadExtent(root)).toEqual({ messages: 3, lastSeq: 3 });
  expect(board.rows("threads")).toBe(1);
});

test("a thread stays one while it lives, even when its root has been forgotten", async () => {
  const root = post("root", 0);
  let last = root;
  for (let day = 6; day <= 42; day += 6) last = post(`day ${day}`, day, last);
  board.sweep(START + 43 * DAY_MS);
  expect(board.rows("gone", `id = '${root}'`)).toBe(0);
  post("to the root", 43, root);
  expect(await seqs(root, 43)).toHaveLength(2);
  expect(board.rows("threads")).toBe(1);
  board.sweep(START + 60 * DAY_MS);
  expect([board.rows("threads"), board.rows("strays")]).toEqual([0, 0]);
});

test("a thread that has ended begins again with a reply to what is left of it", async () => {
  const root = post("root", 0);
  const reply = post("reply", 1, root);
  board.sweep(START + 9 * DAY_MS);
  expect(board.rows("threads")).toBe(0);
  post("to the reply", 9, reply);
  post("to the root", 9, root);
  expect(await seqs(root, 9)).toHaveLength(2);
  expect(board.rows("threads")).toBe(1);
});
