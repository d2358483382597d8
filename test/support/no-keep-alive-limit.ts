// For `node --import`: servers close no idle connection for weeks, so that one that is left open is seen however fast the machine is.
import { Server } from "node:http";

/** The longest that a timer can take. */
const LONGEST_MS = 2 ** 31 - 1;
const listen = Server.prototype.listen as (...args: unknown[]) => Server;
Object.assign(Server.prototype, {
  listen(this: Server, ...args: unknown[]) {
    this.keepAliveTimeout = LONGEST_MS;
    return listen.apply(this, args);
  },
});
