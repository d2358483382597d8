// Imported by the tests' own board, and by board processes with `node --import`: servers close no connection for being idle or slow, from
// the first request that the HTTP server gets. So a test has all the time that it needs, and a connection that is left open is seen however
// fast the machine is.
import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";

/** Longer than any test; with the buffer that Node.js adds, still a time that a timer can take. */
const LONGEST_MS = 24 * 3600 * 1000;

/** A test may set limits of its own afterwards. */
const known = new WeakSet<Server>();

subscribe("http.server.request.start", (message) => {
  const { server } = message as { readonly server: Server };
  if (known.has(server)) return;
  known.add(server);
  server.keepAliveTimeout = LONGEST_MS;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
});
