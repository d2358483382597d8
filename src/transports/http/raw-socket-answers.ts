// Answers plain requests on their socket, because making a request and a response object is most of the cost of a short answer.
//
// Every connection starts here. At its first request that is not plain, not whole or not answered here, the HTTP server gets the connection with
// these bytes, and keeps it. It also gets connections that send nothing, because it has the timeouts.
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { callerOf } from "../../board/limits/callers.ts";
import type { DirectPosts, DirectReply } from "./raw-socket-posts.ts";
import { type FastPathAnswer, encodingOf, type FastPath } from "./fast-path.ts";
import { KEEP_ALIVE_MS } from "./framework.ts";
import { type PlainHead, plainHead } from "./parse-request-head.ts";
import type { ConnectionBackpressure } from "./request-backpressure.ts";
import type { RequestTurns } from "./request-turns.ts";

export interface DirectParts {
  readonly turns: RequestTurns | undefined;
  /** Reads the connections that the HTTP server gets; if it is missing, the server reads them itself. */
  readonly reading?: Pick<ConnectionBackpressure, "take"> | undefined;
  readonly fastPath: Pick<FastPath, "answerTo">;
  readonly posts: Pick<DirectPosts, "operationFor" | "reply">;
  /** Called when a connection has sent its first request. */
  readonly onRequest: (socket: Socket) => void;
  readonly isClosing: () => boolean;
  /** A caller that takes no byte of its answer for this long is disconnected, after at most twice this time. */
  readonly stallMs: number;
}

/** Longer than most requests, and short enough that the answer to a post is never large. */
const LONGEST_BYTES = 16 * 1024;
/** A connection that has sent nothing for this long goes to the HTTP server, which closes silent connections. */
const SILENT_MS = 2000;
/** More than most pages have. */
const BUFFER_BYTES = 512 * 1024;
/**
 * Like the HTTP server, the board waits a little longer than its header says, so that no request is sent just as the connection is closed.
 */
const IDLE_MS = KEEP_ALIVE_MS + 1000;
const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n`;

export class DirectAnswers {
  readonly #parts: DirectParts;
  readonly #serve: (socket: Socket) => void;
  /** Connections that wait for their next request and were not given to the HTTP server. */
  readonly #idle = new Set<Socket>();
  /** The first lines of answers, by the headers in them. */
  readonly #firstLines = new WeakMap<readonly string[], string>();
  #date = { second: 0, line: "" };
  #buffer: Buffer | undefined;

  /** Call this before anything else listens for connections. */
  constructor(server: Server, parts: DirectParts) {
    this.#parts = parts;
    const [usual] = server.listeners("connection") as ((this: Server, socket: Socket) => void)[];
    if (usual === undefined) throw new Error("The server listens for no connections.");
    this.#serve = (socket) => {
      usual.call(server, socket);
      parts.reading?.take(socket);
    };
    server.removeListener("connection", usual).prependListener("connection", (socket) => this.#begin(socket));
  }

  /** Closes connections that wait for no answer. On the others, the header of the answer says that it is the last one. */
  close(): void {
    for (const socket of this.#idle) socket.end(() => socket.destroy());
  }

  #begin(socket: Socket): void {
    if (this.#parts.isClosing()) return this.#serve(socket);
    let answered = false;
    /** A post is under way. Bytes that arrive now are for the HTTP server. */
    let busy = false;
    let since: Buffer[] = [];
    const handOver = (bytes?: Buffer): void => {
      this.#idle.delete(socket);
      socket.off("data", onData).off("timeout", onTimeout).off("end", onEnd).off("error", onError).off("close", onClose);
      this.#serve(socket);
      if (bytes !== undefined) socket.emit("data", bytes);
    };
    const noteRequest = (): void => {
      if (answered) return;
      answered = true;
      this.#parts.onRequest(socket);
      socket.setTimeout(IDLE_MS);
    };
    /** The HTTP server knows nothing of this answer: it would mistake a caller that reads slowly for one that sends no request. */
    const unlessRead = (): void => void (socket.writableLength > 0 && socket.setTimeout(this.#parts.stallMs));
    const onData = (bytes: Buffer): void => {
      if (busy) {
        since.push(bytes);
        socket.pause();
        return;
      }
      // A caller that sends more requests without reading the answers goes to the HTTP server, which holds it back.
      const text = socket.writableLength > 0 ? undefined : this.#plainText(socket, bytes);
      const head = text === undefined ? undefined : plainHead(text);
      if (head !== undefined && this.#answerOnFastPath(socket, head, bytes.length)) {
        noteRequest();
        return unlessRead();
      }
      const posted = head && this.#post(socket, head, bytes);
      if (posted === undefined) return handOver(bytes);
      noteRequest();
      busy = true;
      this.#idle.delete(socket);
      void posted.then(onPosted);
    };
    const onPosted = (reply: DirectReply): void => {
      busy = false;
      if (socket.destroyed) return;
      const { text, ends } = reply;
      const length = Buffer.byteLength(text);
      socket.write(this.#replyText(reply, length), encodingOf(text, length));
      if (ends || socket.readableEnded) return void socket.end(() => socket.destroy());
      this.#idle.add(socket);
      if (since.length === 0) return unlessRead();
      const bytes = Buffer.concat(since);
      since = [];
      handOver(bytes);
      socket.resume();
    };
    const onTimeout = (): void => {
      if (busy) return;
      if (!answered) handOver();
      else if (socket.writableLength > 0 || socket.timeout === IDLE_MS) socket.destroy();
      // The caller has read the whole answer meanwhile.
      else socket.setTimeout(IDLE_MS);
    };
    const onEnd = (): void => void (busy || socket.end());
    const onError = (): void => void socket.destroy();
    const onClose = (): void => void this.#idle.delete(socket);
    this.#idle.add(socket);
    socket.on("data", onData).on("timeout", onTimeout).on("end", onEnd).on("error", onError).on("close", onClose);
    socket.setTimeout(SILENT_MS);
  }

  #plainText(socket: Socket, bytes: Buffer): string | undefined {
    if (bytes.length > LONGEST_BYTES || !socket.writable || this.#parts.isClosing()) return undefined;
    return bytes.toString("latin1");
  }

  /** Returns whether it was answered; if not, nothing has happened. */
  #answerOnFastPath(socket: Socket, { method, url, headers, end }: PlainHead, length: number): boolean {
    if (method !== "GET" || end !== length) return false;
    return this.#inTurn(socket, () => {
      const gone: (() => void)[] = [];
      const underWay = { once: (_event: "close", listener: () => void) => gone.push(listener), destroy: () => socket.destroy() };
      const ready = this.#parts.fastPath.answerTo({ method, url, headers, httpVersion: "1.1", socket }, underWay);
      if (ready === undefined) return false;
      // The callback is also called if the connection ends before the answer is written.
      this.#send(socket, ready, gone.length === 0 ? undefined : () => gone.forEach((listener) => listener()));
      return true;
    });
  }

  #post(socket: Socket, head: PlainHead, bytes: Buffer): Promise<DirectReply> | undefined {
    const { posts, isClosing } = this.#parts;
    const operation = posts.operationFor(head, bytes.length - head.end, socket);
    if (operation === undefined) return undefined;
    let reply: Promise<DirectReply> | undefined;
    this.#inTurn(socket, () => {
      reply = posts.reply(operation, bytes.subarray(head.end), socket, isClosing);
      return true;
    });
    return reply;
  }

  /** Returns whether it was done. A post that has to wait for its turn waits in the HTTP server. */
  #inTurn(socket: Socket, work: () => boolean): boolean {
    const { turns } = this.#parts;
    if (turns === undefined) return work();
    let done = false;
    turns.beginNow(callerOf(socket.remoteAddress), () => (done = work()));
    return done;
  }

  #send(socket: Socket, answer: FastPathAnswer, done: (() => void) | undefined): void {
    const { json, bytes } = answer;
    const head = this.#headOf(answer);
    if (typeof json === "string") return void socket.write(head + json, encodingOf(json, bytes), done);
    const buffer = this.#bufferFor(head.length + bytes);
    socket.write(buffer.subarray(0, json.writeTo(buffer, buffer.write(head, "latin1"))), done);
    // What the system has not taken yet is still read from these bytes.
    if (socket.writableLength > 0) this.#buffer = undefined;
  }

  /** Pages are put together in the same memory each time: memory of its own for each of them would have to be collected. */
  #bufferFor(bytes: number): Buffer {
    if (this.#buffer === undefined || this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(Math.max(bytes, BUFFER_BYTES));
    return this.#buffer;
  }

  /** The head of the answer as the HTTP server would write it. */
  #headOf({ base, head }: FastPathAnswer): string {
    let first = this.#firstLines.get(base);
    if (first === undefined) this.#firstLines.set(base, (first = `HTTP/1.1 200 OK\r\n${linesOf(base)}`));
    return `${first}${linesOf(head)}${this.#dateLine()}${KEEP_ALIVE}\r\n`;
  }

  #replyText({ status, headers, text, ends }: DirectReply, length: number): string {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    return `${head}content-length: ${length}\r\n${this.#dateLine()}${ends ? "" : KEEP_ALIVE}\r\n${text}`;
  }

  #dateLine(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#date.second) this.#date = { second, line: `Date: ${new Date(now).toUTCString()}\r\n` };
    return this.#date.line;
  }
}

function linesOf(head: readonly string[]): string {
  let lines = "";
  for (let i = 0; i < head.length; i += 2) lines += `${head[i]}: ${head[i + 1]}\r\n`;
  return lines;
}
