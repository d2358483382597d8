// For `node --import`: servers close no connection for being idle or slow, from the first request that the HTTP server gets. So a test has
// all the time that it needs, and a connection that is left open is seen however fast the machine is.
import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The longest that a timer can take. */
const LONGEST_MS = 2 ** 31 - 1;

subscribe("http.server.request.start", (message) => {
  const { server, socket } = message as { readonly server: Server; readonly socket: Socket };
  server.keepAliveTimeout = LONGEST_MS;
  server.requestTimeout = 0;
  socket.setTimeout(0);
});
