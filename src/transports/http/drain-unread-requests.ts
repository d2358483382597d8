// Before a stopping board closes its connections, it reads the requests that were sent before the stop. A connection that looks idle may
// have bytes that are not read yet.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";

/** The number of turns of the event loop in which everything that the machine has received is accepted, read and parsed. */
const TURNS = 4;
/** How long a connection that has sent no request yet may take to send one. */
const SILENT_MS = 200;
const POLL_MS = 10;

export interface Drainer {
  /** Called when this connection has sent a request. */
  onRequest(socket: Socket): void;
  drain(): Promise<void>;
}

export function drainer(server: Server): Drainer {
  const silent = new Set<Socket>();
  const note = (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  };
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", note);
  const onRequest = (socket: Socket): void => void silent.delete(socket);
  server.on("request", ({ socket }) => onRequest(socket));
  return {
    onRequest,
    async drain() {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      for (let waited = 0; silent.size > 0 && waited < SILENT_MS; waited += POLL_MS) await setTimeout(POLL_MS);
    },
  };
}
