// What is looked at first: that there is such an address, and who asks for it; an address that there is not has no body worth reading.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { absent, methodsAt, pathOf } from "./not-found.ts";
import type { AccessLog } from "./access-log.ts";
import { type Door, WHOLE_BOARD } from "./door.ts";
import { MCP_PATH } from "./mcp-route.ts";
import { check, keepPrivate } from "./route.ts";

export interface AddressParts {
  readonly door: Door;
  readonly rates: RateLimiter;
}

/** The methods of each path, as routes are added. */
export type Paths = ReadonlyMap<string, readonly string[]>;

const WHOLE_BOARD_METHODS: readonly string[] = ["GET", "HEAD", "POST"];

/** Before any route is added. */
export function checkAddresses(app: FastifyInstance, { door, rates }: AddressParts, accessLog: AccessLog | undefined): Paths {
  const paths = new Map<string, string[]>();
  app.addHook("onRoute", ({ url, method }) => void paths.set(url, [...(paths.get(url) ?? []), ...[method].flat()]));
  /** What may be done at an address; whether a page of another site may do it is told at the same time. */
  const sendOptions = (request: FastifyRequest, reply: FastifyReply): "answered" => {
    const methods = request.url === WHOLE_BOARD ? WHOLE_BOARD_METHODS : methodsAt(request.url, paths);
    if (methods.length === 0) throw absent(request, reply, paths);
    // Pages of other sites have no business with secrets.
    if (pathOf(request.url).startsWith("/api/assist/")) keepPrivate(reply);
    else void reply.headers(door.preflight);
    void reply
      .code(204)
      .header("allow", [...methods, "OPTIONS"].join(", "))
      .send();
    return "answered";
  };
  const checkAddress = check((request, reply) => {
    // Who has hung up already has no address to count by, and nobody hears an answer.
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
    // Before the body is read: at a wrong address its type and size do not matter.
    const options = request.method === "OPTIONS" && pathOf(request.url) !== MCP_PATH;
    if (options || request.is404) rates.take("reads", callerOf(request.ip));
    // The router would take it for the front page.
    if (request.url.startsWith(WHOLE_BOARD) && !(options && request.url === WHOLE_BOARD))
      throw new Refusal("invalid_parameter", "The address of the request does not begin with a slash.", {
        hint: "Write the address as /path; `*` alone is for OPTIONS.",
      });
    if (options) return sendOptions(request, reply);
    if (request.is404) throw absent(request, reply, paths);
    return undefined;
  });
  app.addHook("onRequest", checkAddress);
  return paths;
}
