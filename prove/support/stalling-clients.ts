// Callers that open a connection and let the board wait: they send slowly, or nothing, or do not read.
import { connect, type Socket } from "node:net";

export interface Rude {
  /** Resolves with the time when the connection was open. */
  readonly there: Promise<number>;
  /** Resolves with the time when the board closed the connection. */
  readonly cut: Promise<number>;
}

export interface Stalled extends Rude {
  /** Starts to read: returns the end of what was sent before the connection was closed, or undefined if it was not closed. */
  lastWords(): Promise<string | undefined>;
}

const DRIP_MS = 1000;
const WORDS = 1000;
const END_WITHIN_MS = 20_000;

function rude(port: number, arrive: (socket: Socket) => void): Rude & { readonly socket: Socket } {
  const there = Promise.withResolvers<number>();
  const cut = Promise.withResolvers<number>();
  const socket = connect(port, "127.0.0.1", () => {
    arrive(socket);
    there.resolve(performance.now());
  });
  socket.on("error", () => {}).on("close", () => cut.resolve(performance.now()));
  return { socket, there: there.promise, cut: cut.promise };
}

/** Sends one byte per second, without end. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("y"), DRIP_MS);
  socket.on("data", () => {}).on("close", () => clearInterval(timer));
}

/** A header that never ends. */
export const slowHeader = (port: number): Rude =>
  rude(port, (socket) => {
    socket.write("POST /api/messages HTTP/1.1\r\nhost: localhost\r\nx: ");
    drip(socket);
  });

/** A body that never ends. */
export const slowBody = (port: number): Rude =>
  rude(port, (socket) => {
    socket.write("POST /api/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{");
    drip(socket);
  });

/** Sends nothing. */
export const silent = (port: number): Rude => rude(port, (socket) => void socket.on("data", () => {}));

/** A stream that nobody reads, from the beginning of the log or from now on. */
export function stalledReader(port: number, from?: number): Stalled {
  const { socket, there, cut } = rude(port, (one) => {
    one.pause();
    one.write(`GET /api/stream HTTP/1.1\r\nhost: localhost\r\n${from === undefined ? "" : `last-event-id: ${from}\r\n`}\r\n`);
  });
  return {
    there,
    cut,
    async lastWords() {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text = (text + chunk.toString("latin1")).slice(-WORDS))).resume();
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), END_WITHIN_MS);
      const words = await Promise.race([cut.then(() => text), late.promise]);
      clearTimeout(timer);
      socket.destroy();
      return words;
    },
  };
}
