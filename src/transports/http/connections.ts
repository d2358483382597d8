// How many connections one address may have: no caller can hold all those that the board accepts.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { callerOf } from "../../board/limits/callers.ts";

/** As the handler of broken connections knows it. */
export const TOO_MANY_CONNECTIONS = "TOO_MANY_CONNECTIONS";

export interface ConnectionParts {
  readonly most: number;
  /** Behind a proxy are many callers. */
  readonly isTrusted: (address: string | undefined) => boolean;
}

export function boundConnections(server: Server, { most, isTrusted }: ConnectionParts): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const caller = callerOf(remoteAddress);
    const now = (open.get(caller) ?? 0) + 1;
    open.set(caller, now);
    socket.once("close", () => {
      const rest = (open.get(caller) ?? 1) - 1;
      if (rest === 0) open.delete(caller);
      else open.set(caller, rest);
    });
    if (now <= most) return;
    // Where TLS is spoken nothing has been agreed on yet in which it could be said.
    if (server instanceof TlsServer) socket.destroy();
    else server.emit("clientError", { code: TOO_MANY_CONNECTIONS }, socket);
  });
}
