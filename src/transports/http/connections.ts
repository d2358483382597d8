// How many connections one address and one network may have: no caller can hold all those that the board accepts.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Held } from "../../board/limits/held-per-caller.ts";

/** The code by which the handler of broken connections recognises a connection that was refused. */
export const TOO_MANY_CONNECTIONS = "TOO_MANY_CONNECTIONS";

export interface ConnectionParts {
  readonly rates: Pick<RateLimiter, "connectionsAtOnce" | "has" | "owe">;
  /** A proxy has no limit, because it has many callers behind it. */
  readonly isTrusted: (address: string | undefined) => boolean;
}

/** The share of a token that a TLS handshake takes, because it costs time before there is a request that could pay. */
const HANDSHAKE_TOKENS = 1 / 4;
/** Who owes more reads than this gets no handshake. It hears no reason, so whoever has only used up its reads is answered instead. */
const MOST_OWED = 200;

export function boundConnections(server: Server, { rates, isTrusted }: ConnectionParts): void {
  const open = new Held(rates.connectionsAtOnce);
  const hasTls = server instanceof TlsServer;
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const caller = callerOf(remoteAddress);
    const over = open.over(caller);
    socket.once("close", open.add(caller));
    // With TLS, no session exists yet in which a refusal could be sent.
    if (hasTls && (over !== undefined || !rates.has("reads", caller, -MOST_OWED))) return void socket.destroy();
    if (hasTls) rates.owe("reads", caller, HANDSHAKE_TOKENS);
    if (over === undefined) return;
    server.emit("clientError", { code: TOO_MANY_CONNECTIONS, over }, socket);
  });
}
