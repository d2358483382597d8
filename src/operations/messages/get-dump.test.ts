import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { callWith } from "../../../test/support/call.ts";
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
