// How many connections one address and one network may have: no caller can hold all those that the board accepts.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { callerOf } from "../../board/limits/callers.ts";
import { Held } from "../../board/limits/held-per-caller.ts";

/** The code by which the handler of broken connections recognises a connection that was refused. */
export const TOO_MANY_CONNECTIONS = "TOO_MANY_CONNECTIONS";

export interface ConnectionParts {
  /** The limit of one address. */
  readonly most: number;
  /** A proxy has no limit, because it has many callers behind it. */
  readonly isTrusted: (address: string | undefined) => boolean;
}

export function boundConnections(server: Server, { most, isTrusted }: ConnectionParts): void {
  const open = new Held(most);
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const caller = callerOf(remoteAddress);
    const over = open.over(caller);
    socket.once("close", open.add(caller));
    if (over === undefined) return;
    // With TLS, no session exists yet in which the refusal could be sent.
    if (server instanceof TlsServer) socket.destroy();
    else server.emit("clientError", { code: TOO_MANY_CONNECTIONS, over }, socket);
  });
}
