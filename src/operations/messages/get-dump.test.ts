import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { callWith } from "../../../test/support/call.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { refusalOf } from "../../../test/support/outcome.ts";
import { OPEN_AT_ONCE } from "../../board/limits/bucket-sizes.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { HOUR_MS } from "../../core/durations.ts";
import { cost } from "../../ports/cpu-slices.ts";
import { admitCall } from "../call-steps.ts";
import { getDump } from "./get-dump.ts";

/** The pieces that the operation sends of these lines. */
async function pieces(lines: () => AsyncIterable<string>): Promise<AsyncIterator<string | Uint8Array>> {
  const { stream } = await getDump(async () => ({ seq: 7, lines: lines() }), "jsonl.gz").run(callWith({}));
  if (stream === undefined) throw new Error("The dump is not a stream.");
  return stream[Symbol.asyncIterator]();
}

test("a reader who leaves a compressed dump leaves nothing running behind it", async () => {
  const ended = Promise.withResolvers<void>();
  const sent = await pieces(async function* () {
    try {
      for (;;) yield randomBytes(65_536).toString("hex");
    } finally {
      ended.resolve();
    }
  });
  await sent.next();
  await sent.return?.();
  await ended.promise;
});

test("a compressed dump whose source fails does not end as if it were whole", async () => {
  const sent = await pieces(async function* () {
    yield randomBytes(65_536).toString("hex");
    throw new Error("disk");
  });
  await expect(
    (async () => {
      while ((await sent.next()).done !== true);
    })(),
  ).rejects.toThrow("disk");
});

test.each(["jsonl", "jsonl.gz"] as const)("dumps (%s) count among the open calls of their caller until they end", (form) => {
  const rates = new RateLimiter(new ManualClock(), true);
  const dump = getDump(async () => ({ seq: 0, lines: (async function* () {})() }), form);
  const begin = () => {
    const call = admitCall(dump, { caller: "192.0.2.1", requireSafe: () => {} }, rates);
    return call.hold({}) ? call : undefined;
  };
  const [first] = Array.from({ length: OPEN_AT_ONCE }, begin);
  expect(refusalOf(begin).code).toBe("too_many_streams");
  first?.leave();
  expect(begin()).toBeDefined();
});

test("a dump that takes long is slowed down, and not refused when a part of it was sent", async () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const dump = getDump(async () => ({ seq: 0, lines: (async function* () {})() }), "jsonl");
  const call = admitCall(dump, { caller: "192.0.2.1", requireSafe: () => {} }, rates);
  await expect(call.atItsCost(async () => cost(HOUR_MS))).resolves.toBeUndefined();
});
