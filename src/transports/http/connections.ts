// Limits the connections of one address, so that no caller can hold all connections of the board.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { callerOf } from "../../board/limits/callers.ts";

/** The fields of a connection that the handler of broken connections sees. */
export const TOO_MANY_CONNECTIONS = "TOO_MANY_CONNECTIONS";

export interface ConnectionParts {
  readonly most: number;
  /** A proxy has many callers behind it, so it has no limit. */
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
    // With TLS there is no agreed encryption yet, so no answer can be sent.
    if (server instanceof TlsServer) socket.destroy();
    else server.emit("clientError", { code: TOO_MANY_CONNECTIONS }, socket);
  });
}
