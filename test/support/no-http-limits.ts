// Servers wait for requests for as long as it takes, from the first request that they get: no test depends on how fast the machine sends one.
import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";

export function liftHttpLimits(): void {
  /** A test may set limits of its own afterwards. */
  const known = new WeakSet<Server>();
  subscribe("http.server.request.start", (message) => {
    const { server } = message as { readonly server: Server };
    if (known.has(server)) return;
    known.add(server);
    server.requestTimeout = 0;
    server.headersTimeout = 0;
  });
}
