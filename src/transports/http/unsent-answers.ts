// Answers that nobody reads: their bytes are counted per caller and in all, and a caller that reads none for 15 to 30 seconds, or a large
// answer too slowly, is disconnected.
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Held, type Overheld } from "../../board/limits/held-per-caller.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";

/** A reader that takes no byte for this long is disconnected. The platform checks twice, so it can take twice as long. */
export const STALL_MS = 15_000;
/**
 * A large answer may take that time for each portion of this size, about 17 KiB a second. Otherwise a caller could hold many of them for
 * as long as it likes: one byte every few seconds, read or sent, is a sign of life.
 */
const PORTION_BYTES = 512 * 1024;
/**
 * What the system itself keeps for a connection is not worth counting. A shorter answer counts if others of its connection are not sent yet.
 */
const COUNTED_BYTES = 64 * 1024;
const MIB = 1024 * 1024;
const OF_ONE_CALLER = 12 * MIB;
const OF_ALL = 256 * MIB;

/** An answer that is being sent. */
export interface UnderWayAnswer {
  /** The request, if the HTTP server has it. */
  readonly req?: { readonly socket: Socket };
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

export class Unsent {
  readonly #callers = new Held(OF_ONE_CALLER);
  /** How many answers of each connection are not sent yet. */
  readonly #underWay = new WeakMap<Socket, number>();
  /** Resolves when the last large answer of a caller is made. */
  readonly #making = new Map<string, Promise<unknown>>();
  #all = 0;
  #stallMs = STALL_MS;

  watch(server: Server, stallMs = STALL_MS): void {
    this.#stallMs = stallMs;
    server.on("request", ({ socket }, response) => {
      this.#underWay.set(socket, this.#underWayOn(socket) + 1);
      response.once("close", () => this.#underWay.set(socket, this.#underWayOn(socket) - 1));
    });
    // The platform calls this if nothing was read or written for this long. A connection that waits for its next request is closed too.
    server.setTimeout(stallMs, (socket) => {
      if (this.#underWayOn(socket) === 0 || socket.writableLength > 0) socket.destroy();
    });
  }

  #underWayOn(socket: Socket): number {
    return this.#underWay.get(socket) ?? 0;
  }

  get bytes(): number {
    return this.#all;
  }

  /** Returns whether an answer of this size may be sent to a caller now. */
  admits(caller: string, bytes: number): boolean {
    return bytes < COUNTED_BYTES || (this.#all + bytes <= OF_ALL && this.#callers.over(caller, bytes) === undefined);
  }

  /**
   * Called before a large answer is made. Large answers of one caller are made one after the other, so that each is counted before the
   * next begins. Throws if the caller has too many unread bytes for another answer of this size, or has gone meanwhile.
   */
  async turn(caller: string, response: ServerResponse): Promise<void> {
    if (response.destroyed) return;
    const before = this.#making.get(caller);
    const made = new Promise<void>((resolve) => {
      response.once("prefinish", resolve);
      atEnd(response, resolve);
    });
    const all = Promise.all([before, made]);
    this.#making.set(caller, all);
    void all.then(() => this.#making.get(caller) === all && this.#making.delete(caller));
    await before;
    // Nobody would get the answer, and making it for nobody takes time and memory.
    if (response.req.socket.destroyed) throw new Refusal("overloaded", "The connection was closed.");
    const over = this.#callers.over(caller, LIMITS.page_bytes);
    if (over !== undefined) throw tooMuch(over);
  }

  /** Counts the bytes of an answer until it was sent, or refuses it. */
  count(response: UnderWayAnswer, callerOf: () => string, bytes: number): void {
    if (bytes < COUNTED_BYTES) return this.#countShort(response, callerOf, bytes);
    const caller = callerOf();
    if (!this.admits(caller, bytes)) throw tooMuch(this.#callers.over(caller, bytes));
    const slowest = setTimeout(() => response.destroy(), 2 * this.#stallMs * (1 + bytes / PORTION_BYTES)).unref();
    this.#hold(response, caller, bytes, () => clearTimeout(slowest));
  }

  /** A short answer counts if others of its connection are not sent yet. It cannot be refused: that would be one more of them. */
  #countShort(response: UnderWayAnswer, callerOf: () => string, bytes: number): void {
    const connection = response.req?.socket;
    if (bytes === 0 || connection === undefined || !this.#isBehind(connection)) return;
    const caller = callerOf();
    if (this.#callers.over(caller, bytes) !== undefined) return void connection.destroy();
    this.#hold(response, caller, bytes, this.#whileTaken(connection));
  }

  #hold(response: UnderWayAnswer, caller: string, bytes: number, ended: () => void): void {
    const release = this.#callers.add(caller, bytes);
    this.#all += bytes;
    atEnd(response, () => {
      ended();
      release();
      this.#all -= bytes;
    });
  }

  /** Ends a connection whose caller takes no byte, whatever it sends. The returned function ends the watch. */
  #whileTaken(connection: Socket): () => void {
    let taken = -1;
    const watch = setInterval(() => {
      const now = connection.bytesWritten - connection.writableLength;
      if (connection.writableLength > 0 && now === taken) connection.destroy();
      taken = now;
    }, this.#stallMs).unref();
    return () => clearInterval(watch);
  }

  #isBehind(connection: Socket): boolean {
    return this.#underWayOn(connection) > 1 || connection.writableLength > 0;
  }
}

/** What is to be done when a connection ends. */
const endings = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back when an answer has ended, or its connection. Of the latter an answer hears nothing if it was made afterwards, or waits behind
 * another answer on the same connection.
 */
function atEnd(answer: UnderWayAnswer, listener: () => void): void {
  const connection = answer.req?.socket;
  if (connection === undefined) return void answer.once("close", listener);
  if (connection.destroyed) return listener();
  const all = endingsOf(connection);
  const end = (): void => void (all.delete(end) && listener());
  all.add(end);
  answer.once("close", end);
}

/** One listener for each connection, however many answers it waits for. */
function endingsOf(connection: Socket): Set<() => void> {
  const known = endings.get(connection);
  if (known !== undefined) return known;
  const all = new Set<() => void>();
  endings.set(connection, all);
  connection.once("close", () => all.forEach((end) => end()));
  return all;
}

/** Of a short answer, the number of its characters will do; one in chunks is never whole in memory and counts nothing. */
export function countedBytes(answer: unknown): number {
  if (typeof answer === "string") return answer.length * 3 < COUNTED_BYTES ? answer.length : Buffer.byteLength(answer);
  return Buffer.isBuffer(answer) ? answer.length : 0;
}

function tooMuch(over: Overheld | undefined): Refusal {
  return over === undefined
    ? new Refusal("overloaded", "Too many large answers are being sent at the moment.")
    : new Refusal("overloaded", `${over.held} bytes of answers to this ${over.who} are not read yet.`, {
        status: 429,
        hint: "Read the answers that were sent first, or ask for smaller pages (`limit`, `fields`).",
        details: { unread_bytes: over.held, at_once_bytes: over.most },
      });
}
