// The history of a thread's status names the message behind each change, however many other effects that message had.
import { expect, test } from "vitest";
import type { LogEntry } from "../../ports/store.ts";
import { historyReader } from "./status-history.ts";

const ROOT = "r";
const entry = (type: string, id: string, n: number): LogEntry =>
  ({ seq: n + 1, at: 1000 * n, type, id, detail: type === "status" ? '{"from":"open","to":"answered"}' : null }) as unknown as LogEntry;

/** A message whose effects on others come before its effect on this thread, and another message after it. */
const logOf = (others: number): readonly LogEntry[] =>
  ["create", ...Array<string>(others).fill("status"), "status", "create", "status"].map((type, n) =>
    entry(type, type === "status" && n > others ? ROOT : `o${n}`, n),
  );

test.each([0, 3, 4, 5, 30])("with %d effects on other messages before the one on this thread", async (others) => {
  const log = logOf(others);
  const read = historyReader({
    entries: async (after: number, most: number) => log.filter(({ seq }) => seq > after).slice(0, most),
  } as never);
  const cause = { id: "c", kind: "result", author: "ag_1" };
  expect(await read(ROOT, [{ ...cause, seq: 1 }])).toEqual([{ at: expect.any(String), from: "open", to: "answered", by: cause }]);
  // What follows the next message is not an effect of this one.
  expect(await read("o-none", [{ ...cause, seq: 1 }])).toEqual([]);
});
