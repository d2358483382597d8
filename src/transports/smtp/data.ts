// The bytes of one message as they arrive, limited in size; every line must end with CRLF.
import type { SMTPServerDataStream } from "smtp-server";
import { LIMITS } from "../../core/protocol/limits.ts";
import { BARE_LINE_END, TOO_LARGE } from "./replies.ts";

const CR = 0x0d;
const LF = 0x0a;

/** More than this is not read, not even to drop it. */
const MOST_READ_BYTES = 8 * LIMITS.mail_bytes;

/**
 * Resolves when the sender has ended the message. A message that is too large or malformed is read to its end and dropped, unless it is so
 * large that `hangUp` is called.
 */
export async function receiveData(stream: SMTPServerDataStream, hangUp: () => void): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let last = 0;
  let bare = false;
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if ((bytes += chunk.length) > MOST_READ_BYTES) {
      hangUp();
      throw TOO_LARGE;
    }
    bare ||= hasBareLineEnd(chunk, last);
    last = chunk.at(-1) ?? last;
    if (stream.sizeExceeded || bare) chunks.length = 0;
    else chunks.push(chunk);
  }
  // A bare line end is an attack or a broken sender, whatever the size: two readers of these bytes might see two messages.
  if (bare || last === CR) throw BARE_LINE_END;
  if (stream.sizeExceeded) throw TOO_LARGE;
  return Buffer.concat(chunks);
}

/** `before` is the last byte before the chunk. */
export function hasBareLineEnd(chunk: Uint8Array, before: number): boolean {
  let previous = before;
  for (const byte of chunk) {
    if ((byte === LF) !== (previous === CR)) return true;
    previous = byte;
  }
  return false;
}
