// The first checks of a request: does the address exist, and who is the caller. If the address does not exist, the body is not read.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { addressNotFound, methodsAt, pathOf } from "./not-found.ts";
import type { AccessLog } from "./access-log.ts";
import { type Door, WHOLE_BOARD } from "./cors-and-local-access.ts";
import { MCP_PATH } from "./mcp-route.ts";
import { check, keepPrivate } from "./route.ts";

export interface AddressParts {
  readonly door: Door;
  readonly rates: RateLimiter;
}

/** The methods of each path, as routes are added. */
export type Paths = ReadonlyMap<string, readonly string[]>;

const WHOLE_BOARD_METHODS: readonly string[] = ["GET", "HEAD", "POST"];

/** Call this before any route is added. */
export function checkAddresses(app: FastifyInstance, { door, rates }: AddressParts, accessLog: AccessLog | undefined): Paths {
  const paths = new Map<string, string[]>();
  app.addHook("onRoute", ({ url, method }) => void paths.set(url, [...(paths.get(url) ?? []), ...[method].flat()]));
  /** The answer to OPTIONS: the methods of an address, and whether pages of other sites may use them. */
  const sendOptions = (request: FastifyRequest, reply: FastifyReply): "answered" => {
    const methods = request.url === WHOLE_BOARD ? WHOLE_BOARD_METHODS : methodsAt(request.url, paths);
    if (methods.length === 0) throw addressNotFound(request, reply, paths);
    // Pages of other sites may not call operations that handle secrets.
    if (pathOf(request.url).startsWith("/api/assist/")) keepPrivate(reply);
    else void reply.headers(door.preflight);
    void reply
      .code(204)
      .header("allow", [...methods, "OPTIONS"].join(", "))
      .send();
    return "answered";
  };
  const checkAddress = check((request, reply) => {
    // A caller that has hung up has no address to count by, and gets no answer.
    if (request.raw.socket.remoteAddress === undefined) {
      void reply.hijack();
      request.raw.destroy();
      return "answered";
    }
    void reply.headers(door.headers);
    accessLog?.callerOf(request.raw, request.ip);
    if (request.headers.host === undefined && request.raw.httpVersion === "1.1")
      throw new Refusal("invalid_parameter", "The request has no Host header.", { hint: "Send the Host header that HTTP/1.1 asks for." });
    door.require(request.raw);
    // This happens before the body is read: at a wrong address, the body's type and size do not matter.
    const asksOptions = request.method === "OPTIONS";
    if (asksOptions || request.is404) rates.take("reads", callerOf(request.ip));
    const options = asksOptions && pathOf(request.url) !== MCP_PATH;
    // The router would read such an address as the front page.
    if (request.url.startsWith(WHOLE_BOARD) && !(options && request.url === WHOLE_BOARD))
      throw new Refusal("invalid_parameter", "The address of the request does not begin with a slash.", {
        hint: "Write the address as /path; `*` alone is for OPTIONS.",
      });
    if (options) return sendOptions(request, reply);
    if (request.is404) throw addressNotFound(request, reply, paths);
    return undefined;
  });
  app.addHook("onRequest", checkAddress);
  return paths;
}
