// What was sent before the board was told to stop is read before its connections are closed: idle is not the same as silent.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";
import { nextTurn } from "../../board/read/yield.ts";

/** Turns of the event loop in which whatever the machine has received is accepted, read and parsed. */
const TURNS = 4;
/** A connection that has asked nothing yet is given so long for a request that is still on its way. */
const SILENT_MS = 200;
const STEP_MS = 10;

export interface Drainer {
  /** This connection has brought a request. */
  heard(socket: Socket): void;
  drain(): Promise<void>;
}

export function drainer(server: Server): Drainer {
  const silent = new Set<Socket>();
  const note = (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  };
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", note);
  const heard = (socket: Socket): void => void silent.delete(socket);
  server.on("request", ({ socket }) => heard(socket));
  return {
    heard,
    async drain() {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      for (let waited = 0; silent.size > 0 && waited < SILENT_MS; waited += STEP_MS) await setTimeout(STEP_MS);
    },
  };
}
