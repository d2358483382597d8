// A request's body as text: UTF-8 without a byte order mark, or a refusal.
import { isUtf8 } from "node:buffer";
import { Refusal } from "../../core/errors.ts";

export function readText(body: unknown): string {
  if (!Buffer.isBuffer(body)) return "";
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    throw new Refusal("invalid_utf8", "The body starts with a byte order mark.");
  if (!isUtf8(body)) throw new Refusal("invalid_utf8", "The body is not valid UTF-8.");
  return body.toString("utf8");
}

/** Like `readText`, for a body that holds a secret: its bytes are overwritten after reading. */
export function takeText(body: unknown): string {
  try {
    return readText(body);
  } finally {
    if (Buffer.isBuffer(body)) body.fill(0);
  }
}
