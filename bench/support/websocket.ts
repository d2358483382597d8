// The part of websockets that a load generator needs: text frames made ahead of time, and the texts of the frames that come back.
import { randomBytes } from "node:crypto";

const TEXT = 0x1;
const CLOSE = 0x8;
const LAST = 0x80;
const MASKED = 0x80;
const NO_MASK = Buffer.alloc(4);

/** A client's frame with a mask of zeros, so that the bytes stay the same and masking takes no time during the measurement. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([head(payload.length), NO_MASK, payload]);
}

function head(length: number): Buffer {
  if (length < 126) return Buffer.from([LAST | TEXT, MASKED | length]);
  const long = length >= 2 ** 16;
  const bytes = Buffer.alloc(long ? 10 : 4);
  bytes.set([LAST | TEXT, MASKED | (long ? 127 : 126)]);
  if (long) bytes.writeBigUInt64BE(BigInt(length), 2);
  else bytes.writeUInt16BE(length, 2);
  return bytes;
}

/** Does not offer compression, so nothing is compressed. */
export const handshake = (): string =>
  `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString("base64")}\r\n\r\n`;

const HEAD_END = "\r\n\r\n";

/** Splits the bytes of a server into frames, and passes on the first bytes of each, which are enough to recognise it. */
export class ServerFrames {
  readonly #onFrame: (start: string) => void;
  #open = false;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes left of the frame that is being skipped. */
  #missing = 0;

  constructor(onFrame: (start: string) => void) {
    this.#onFrame = onFrame;
  }

  take(chunk: Buffer): void {
    if (this.#missing >= chunk.length) {
      this.#missing -= chunk.length;
      return;
    }
    let bytes = chunk.subarray(this.#missing);
    this.#missing = 0;
    if (this.#rest.length > 0) bytes = Buffer.concat([this.#rest, bytes]);
    let at = this.#open ? 0 : this.#upgraded(bytes);
    while (this.#open && at < bytes.length) {
      const frame = frameAt(bytes, at);
      if (frame === undefined) break;
      if (frame.type === CLOSE) throw new Error("The server closed a websocket.");
      if (frame.type === TEXT) this.#onFrame(bytes.toString("latin1", frame.from, Math.min(frame.end, frame.from + SHOWN)));
      at = frame.end;
    }
    this.#missing = Math.max(0, at - bytes.length);
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** The position after the handshake, where frames begin. */
  #upgraded(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return 0;
    const line = bytes.toString("latin1", 0, bytes.indexOf("\r\n"));
    if (!line.startsWith("HTTP/1.1 101")) throw new Error(`The server does not speak websocket: ${line}`);
    this.#open = true;
    this.#onFrame("");
    return end + HEAD_END.length;
  }
}

/** Long enough for the reason of a refusal; the text of an event is not needed. */
const SHOWN = 160;

interface Frame {
  readonly type: number;
  readonly from: number;
  readonly end: number;
}

/** Undefined until enough of it has arrived to show. */
function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length < at + 2) return undefined;
  const short = bytes[at + 1]! & 0x7f;
  const from = at + (short === 127 ? 10 : short === 126 ? 4 : 2);
  if (bytes.length < from) return undefined;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
  const end = from + length;
  if (bytes.length < Math.min(end, from + SHOWN)) return undefined;
  return { type: bytes[at]! & 0x0f, from, end };
}
