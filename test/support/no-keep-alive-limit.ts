// For `node --import`: servers close no connection for being idle or slow, so that one that is left open is seen however fast the machine is.
import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { liftHttpLimits } from "./no-http-limits.ts";

/** The longest that a timer can take. */
const LONGEST_MS = 2 ** 31 - 1;

liftHttpLimits();
subscribe("http.server.request.start", (message) => {
  (message as { readonly server: Server }).server.keepAliveTimeout = LONGEST_MS;
});
