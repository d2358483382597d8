// Gives the HTTP server the bytes of a connection piece by piece, because the server parses all requests in the bytes that it gets before
// other work has a turn. While many requests of a connection wait, or its caller has used up its time, no more of its bytes are parsed or
// read.
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { callerOf, laneOf } from "../../board/limits/callers.ts";
import type { RequestTurns } from "./request-turns.ts";

/** So short that it holds a few dozen requests at most. */
const PIECE_BYTES = 2048;
/** Requests of one connection without an answer that was taken; most programs send one at a time. */
const UNANSWERED = 16;

type IsTrusted = (address: string | undefined) => boolean;
type Turns = Pick<RequestTurns, "isBusy" | "onCalm" | "parse">;

interface Connection {
  /** Undefined for a proxy: it has many callers, whose requests each begin in their own caller's turn. */
  readonly caller: string | undefined;
  readonly lane: string;
  unanswered: number;
}

const NO_LANE = "";

export class ConnectionBackpressure {
  readonly #turns: Turns;
  readonly #isTrusted: IsTrusted;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Connections from which nothing is read now, by lane. */
  readonly #held = new Map<string, Set<Socket>>();
  /** Lanes of whose connections one is read again in the next turn of the event loop. */
  readonly #continued = new Set<string>();

  constructor(server: Server, turns: Turns, isTrusted: IsTrusted) {
    this.#turns = turns;
    this.#isTrusted = isTrusted;
    turns.onCalm((lane) => this.#continue(lane));
    server.on("request", ({ socket }, response) => this.#count(socket, response));
  }

  /** For each connection that the HTTP server gets by itself. */
  follow(server: Server): void {
    server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => this.take(socket));
  }

  /** Inserts itself between a new connection and the HTTP server. */
  take(socket: Socket): void {
    const [parse] = socket.listeners("data") as ((bytes: Buffer) => void)[];
    if (parse === undefined) return;
    const { remoteAddress } = socket;
    const caller = this.#isTrusted(remoteAddress) ? undefined : callerOf(remoteAddress);
    const connection = { caller, lane: caller === undefined ? NO_LANE : laneOf(caller), unanswered: 0 };
    this.#connections.set(socket, connection);
    // The HTTP server reads a connection without using this listener, until it sees that another listener is added.
    socket.off("data", parse).on("data", (bytes: Buffer) => {
      let at = 0;
      while (at < bytes.length && !socket.isPaused() && !socket.destroyed) {
        if (this.#mustWait(connection)) this.#hold(socket, connection);
        else this.#parse(connection, () => parse(bytes.subarray(at, (at += PIECE_BYTES))));
      }
      if (at < bytes.length && !socket.destroyed) socket.unshift(bytes.subarray(at));
    });
    socket.once("close", () => this.#forget(socket, connection));
  }

  #parse({ caller }: Connection, parse: () => void): void {
    if (caller === undefined) parse();
    else this.#turns.parse(caller, parse);
  }

  #mustWait({ caller, unanswered }: Connection): boolean {
    return unanswered > UNANSWERED || (caller !== undefined && this.#turns.isBusy(caller));
  }

  #hold(socket: Socket, { lane }: Connection): void {
    socket.pause();
    const held = this.#held.get(lane) ?? new Set();
    this.#held.set(lane, held.add(socket));
  }

  /** Returns whether reading from this connection was paused until now. */
  #forget(socket: Socket, { lane }: Connection): boolean {
    const held = this.#held.get(lane);
    const wasHeld = held?.delete(socket) === true;
    if (wasHeld && held.size === 0) this.#held.delete(lane);
    return wasHeld;
  }

  /** Reads on from one connection after the other, because each of them may use up the time of its caller. */
  #continue(lane: string): void {
    if (this.#continued.has(lane)) return;
    for (const socket of this.#held.get(lane) ?? []) {
      if (!this.#goOn(socket)) continue;
      this.#continued.add(lane);
      setImmediate(() => {
        this.#continued.delete(lane);
        this.#continue(lane);
      });
      return;
    }
  }

  /** Reads on in another turn of the event loop: otherwise requests that are answered at once would follow each other without end. */
  #goOn(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined || this.#mustWait(connection) || !this.#forget(socket, connection)) return false;
    setImmediate(() => socket.resume());
    return true;
  }

  #count(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.unanswered++;
    response.once("close", () => {
      connection.unanswered--;
      this.#goOn(socket);
    });
  }
}
