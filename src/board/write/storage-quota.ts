// A quota for the whole board. When it is nearly full, large posts are refused first, so that short ones, which keep work going, still fit.
import { Refusal } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

/** From this share of the quota on, only small posts are accepted. */
const HIGH_WATER = 0.9;
const SMALL_BYTES = 8 * 1024;
const MEASURE_MS = 60_000;

/** Which posts fit: all of them, small ones, or none. */
export type Room = "all" | "small" | "none";

export interface QuotaParts {
  /** Undefined if there is no quota. */
  readonly maxBytes: number | undefined;
  /** Bytes in use. */
  readonly measure: () => Promise<number>;
  readonly clock: Clock;
  readonly report: Pick<Telemetry, "failed">;
  /** Called when other posts fit than before. */
  readonly onRoom?: (room: Room, bytes: { readonly used: number; readonly max: number }) => void;
}

/** Which posts fit if so many bytes are in use. */
export const roomOf = (used: number, maxBytes: number): Room =>
  used >= maxBytes ? "none" : used >= maxBytes * HIGH_WATER ? "small" : "all";

export class Quota {
  readonly #parts: QuotaParts;
  #used = 0;
  #room: Room = "all";
  #stop = () => {};

  private constructor(parts: QuotaParts) {
    this.#parts = parts;
  }

  static async open(parts: QuotaParts): Promise<Quota> {
    const quota = new Quota(parts);
    if (parts.maxBytes !== undefined) await quota.#measure();
    return quota;
  }

  /** Throws if there is no room for a post of this size. */
  require(bytes: number): void {
    const refusal = this.refusal(bytes);
    if (refusal !== undefined) throw refusal;
  }

  /** The refusal of a post of this size, if there is no room for it. */
  refusal(bytes: number): Refusal | undefined {
    const { maxBytes } = this.#parts;
    const room = maxBytes === undefined ? "all" : roomOf(this.#used, maxBytes);
    if (room === "all" || (room === "small" && bytes <= SMALL_BYTES)) return undefined;
    const full = room === "none";
    const largest = full ? 0 : SMALL_BYTES;
    return new Refusal("storage_full", `The board may store ${maxBytes} bytes, and ${this.#used} are in use.`, {
      hint: full
        ? "Try again later: expiring messages free space. Reading and retracting still work."
        : `Send at most ${SMALL_BYTES} bytes, attachments included, or try again later: expiring messages free space.`,
      details: { max_bytes: maxBytes, used_bytes: this.#used, largest_bytes: largest },
    });
  }

  /** Adds to the bytes in use, until they are measured again. */
  add(bytes: number): void {
    this.#use(this.#used + bytes);
  }

  #use(bytes: number): void {
    const { maxBytes, onRoom } = this.#parts;
    this.#used = bytes;
    if (maxBytes === undefined) return;
    const room = roomOf(bytes, maxBytes);
    if (room === this.#room) return;
    this.#room = room;
    onRoom?.(room, { used: bytes, max: maxBytes });
  }

  close(): void {
    this.#stop();
    this.#stop = () => {};
  }

  async #measure(): Promise<void> {
    const { measure, clock, report } = this.#parts;
    let closed = false;
    this.#stop = () => void (closed = true);
    try {
      this.#use(await measure());
    } catch (error) {
      report.failed("storage", error);
    }
    if (!closed) this.#stop = clock.at(clock.now() + MEASURE_MS, () => void this.#measure());
  }
}
