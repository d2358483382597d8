// The history of a thread's status names the message behind each change, however many other effects that message had.
import { expect, test } from "vitest";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { historyReader } from "./status-history.ts";

const ROOT = "r";
const cause = { id: "c", kind: "result", author: "ag_1" };

/** A log of these entries, an entry a second. */
function logOf(types: readonly { readonly type: string; readonly id: string }[]): BareBoard {
  const board = new BareBoard();
  const insert = board.db.prepare("INSERT INTO log (seq, at, type, id, detail, digest, hash) VALUES (?, ?, ?, ?, ?, 'd', 'h')");
  for (const [n, { type, id }] of types.entries())
    insert.run(n + 1, 1000 * n, type, id, type === "status" ? JSON.stringify({ from: "open", to: `by ${n + 1}` }) : null);
  return board;
}
const many = (n: number, type: string, id: string) => Array.from({ length: n }, (_, i) => ({ type, id: `${id}${i}` }));

test.each([0, 3, 4, 5, 30])("with %d effects on other messages before the one on this thread", async (others) => {
  // A message whose effects on others come before its effect on this thread, and another message after it.
  using board = logOf([
    { type: "create", id: "c" },
    ...many(others, "status", "o"),
    { type: "status", id: ROOT },
    { type: "create", id: "d" },
    { type: "status", id: ROOT },
  ]);
  const read = historyReader({ statusEffects: board.reads.statusEffects, seqAt: async () => 1 });
  const change = { at: expect.any(String), from: "open", to: `by ${others + 2}`, by: cause };
  expect(await read(ROOT, [{ ...cause, seq: 1 }])).toEqual([change]);
  // What follows the next message is not an effect of this one.
  expect(await read("o-none", [{ ...cause, seq: 1 }])).toEqual([]);
});

test("the end of a lease has no cause, unless a message arrived just then", async () => {
  using board = logOf([
    { type: "create", id: ROOT },
    { type: "create", id: "c" },
    { type: "status", id: ROOT },
    { type: "status", id: ROOT },
    { type: "create", id: "d" },
    { type: "status", id: ROOT },
  ]);
  const seqAt = async (at: number): Promise<number> => at / 1000 + 1;
  const read = historyReader({ statusEffects: board.reads.statusEffects, seqAt });
  const second = { id: "d", kind: "signal", author: "ag_2" };
  const history = async (leaseEnds: number) =>
    (
      await read(ROOT, [
        { ...cause, seq: 2, leaseEnds },
        { ...second, seq: 5 },
      ])
    ).map(({ to, by }) => [to, by?.id]);
  expect(await history(3000)).toEqual([
    ["by 3", "c"],
    ["by 4", undefined],
    ["by 6", "d"],
  ]);
  expect(await history(5000)).toEqual([
    ["by 3", "c"],
    ["by 6", "d"],
  ]);
});
