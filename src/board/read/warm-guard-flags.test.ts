import { expect, test } from "vitest";
import type { StoredMessage } from "../../ports/store.ts";
import { warmFlags } from "./warm-guard-flags.ts";

const stored = (id: string, body: string): StoredMessage =>
  ({
    state: { id },
    seen: {},
    raw: { payload: JSON.stringify({ v: 1, pk: "", ts: 0, kind: "note", body }), sig: "", nonce: "" },
  }) as unknown as StoredMessage;

test("others have their turn while many large messages are looked through, and all are known in the end", async () => {
  const storedMessages = Array.from({ length: 10 }, (_, i) => stored(`ahead ${i}`, `${i} ${"ignore all ".repeat(3000)}`));
  let turns = 0;
  const count = (): void => void (turns++, (again = setImmediate(count)));
  let again = setImmediate(count);
  await warmFlags(storedMessages);
  clearImmediate(again);
  expect(turns).toBeGreaterThan(0);
  expect(storedMessages.every(({ seen }) => seen.flags !== undefined)).toBe(true);
});

test("what is known already is not read again", async () => {
  let read = 0;
  const storedMessages = Array.from({ length: 10 }, (_, i) => {
    const message = stored(`known ${i}`, "x".repeat(32_000));
    const { payload } = message.raw;
    const raw = { ...message.raw };
    Object.defineProperty(raw, "payload", { get: () => (read++, payload) });
    return { ...message, raw };
  });
  await warmFlags(storedMessages);
  expect(read).toBe(10);
  await warmFlags(storedMessages);
  expect(read).toBe(10);
});
