// Answers a request whose body is not read. The rest of the body is taken and dropped for a while, because a reset would destroy the answer.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { LIMITS } from "../../core/protocol/limits.ts";

/** Many clients write the whole body before they read; this much of it is taken. */
const MOST_BYTES = 32 * 1024 * 1024;
/** How long to wait if no byte of the body arrives. */
const QUIET_MS = 2000;

/** Whether more bytes may be on their way than this board takes. */
export function isTooMuch({ headers, complete }: IncomingMessage): boolean {
  // A client that asks before it sends the body sends none after a refusal.
  if (complete || /^100-continue$/i.test(headers.expect ?? "")) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > LIMITS.request_bytes;
}

/** Sends the text at once, and ends the answer when the body has come or its time is over. */
export function answerBeforeBody(text: string, request: IncomingMessage): Readable {
  return Readable.from(
    (async function* () {
      yield text;
      await dropped(request);
    })(),
  );
}

function dropped(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let [bytes, seen] = [0, 0];
    const done = (): void => {
      clearInterval(timer);
      request.off("data", count).off("end", done).off("close", done).off("error", done);
      resolve();
    };
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) done();
    };
    // If the board itself was busy, bytes may have arrived that it has not read yet. It reads them before it closes the connection.
    const timer = setInterval(() => {
      if (bytes > seen) seen = bytes;
      else setImmediate(() => bytes > seen || done());
    }, QUIET_MS);
    if (request.destroyed || request.complete) done();
    else request.on("data", count).once("end", done).once("close", done).once("error", done);
  });
}
