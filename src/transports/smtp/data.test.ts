import { Readable } from "node:stream";
import type { SMTPServerDataStream } from "smtp-server";
import { expect, test } from "vitest";
import { LIMITS } from "../../core/protocol/limits.ts";
import { receiveData } from "./data.ts";

test("a message that never ends is not read for ever", async () => {
  const chunk = Buffer.from(`${"x".repeat(62)}\r\n`.repeat(1024));
  let sent = 0;
  const endless = function* () {
    for (;;) {
      sent += chunk.length;
      yield chunk;
    }
  };
  const stream = Object.assign(Readable.from(endless()), { sizeExceeded: true }) as unknown as SMTPServerDataStream;
  let hangUps = 0;
  await expect(receiveData(stream, () => hangUps++)).rejects.toMatchObject({ responseCode: 552 });
  expect(hangUps).toBe(1);
  expect(sent / LIMITS.mail_bytes).toBeLessThan(16);
});
