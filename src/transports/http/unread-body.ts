// An answer to a request whose body nobody will read: what still comes is taken and dropped for a while, or a reset would swallow the answer.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { LIMITS } from "../../core/protocol/limits.ts";

/** Many clients write the whole body before they read a byte; this much of it they may. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Without a byte of it. */
const QUIET_MS = 2000;

/** Whether more may be on its way than this board takes. */
export function isTooMuch({ headers, complete }: IncomingMessage): boolean {
  // Who asks before sending the body sends none after a refusal.
  if (complete || /^100-continue$/i.test(headers.expect ?? "")) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > LIMITS.request_bytes;
}

/** The text at once, and the end of the answer when the body has come or has had its chance. */
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
    // A board that was held up itself has not yet looked at what came meanwhile: it does so before it gives anybody up.
    const timer = setInterval(() => {
      if (bytes > seen) seen = bytes;
      else setImmediate(() => bytes > seen || done());
    }, QUIET_MS);
    if (request.destroyed || request.complete) done();
    else request.on("data", count).once("end", done).once("close", done).once("error", done);
  });
}
