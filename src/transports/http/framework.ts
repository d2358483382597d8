// The framework as this board uses it: timeouts, connections, and bodies as bytes.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { LINES_TYPE } from "../../operations/ndjson-calls.ts";
import type { AccessLog } from "./access-log.ts";
import { clientErrorHandler } from "./client-errors.ts";
import { type RefusalParts, refusalFor, sendRefusal } from "./refusals.ts";
import { noEncoding, takes, wrongType } from "./route.ts";

export interface FrameworkParts extends RefusalParts {
  readonly report: RequestReport;
  readonly trustedProxies: readonly string[];
  /** Certificate chain and key, in PEM form. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

/**
 * A sender that takes longer than this for a request is disconnected, so that slow senders do not hold what others need. Because senders
 * are checked now and then, it may take up to 15 s.
 */
const REQUEST_MS = 13_000;
const HEADERS_MS = 10_000;
const CHECK_EVERY_MS = 1000;
export const KEEP_ALIVE_MS = 72_000;
const MAX_CONNECTIONS = 20_000;
/** Longer than any request line: a long id is an unknown id, and the router must not refuse it. */
const MAX_PARAM_CHARS = 65_536;

export function framework(parts: FrameworkParts, accessLog: AccessLog | undefined): FastifyInstance {
  const { report, tls } = parts;
  const options = {
    bodyLimit: LIMITS.request_bytes,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: parts.trustedProxies.length === 0 ? false : [...parts.trustedProxies],
    return503OnClosing: false,
    forceCloseConnections: "idle" as const,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: MAX_PARAM_CHARS, ignoreTrailingSlash: true },
    clientErrorHandler: clientErrorHandler(parts, (socket, status) => accessLog?.refused(socket, status)),
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      void sendRefusal(reply, refusalFor(error, report), parts),
  };
  // A missing Host is refused below with a reason; the server's own refusal has none.
  const server = { connectionsCheckingInterval: CHECK_EVERY_MS, headersTimeout: HEADERS_MS, requireHostHeader: false };
  const app = (tls === undefined
    ? Fastify({ ...options, http: server })
    : Fastify({
        ...options,
        https: { ...server, cert: tls.cert, key: tls.key },
      })) as unknown as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  // An unknown expectation is not a reason to refuse.
  app.server.on("checkExpectation", (request, response) => void app.server.emit("request", request, response));
  // A client that asks before it sends the body gets `100 Continue` only when the body is wanted.
  app.server.on("checkContinue", (request, response) => void app.server.emit("request", request, response));
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined && /^100-continue$/i.test(request.headers.expect)) reply.raw.writeContinue();
    done();
  });
  takeJsonOnly(app);
  app.decorateRequest("admitted");
  return app;
}

/** Bodies arrive as bytes and are read by the board's own rules. Only plain JSON is accepted, or lines of it if the operation takes lines. */
function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const accept = (type: string, isWanted: (request: FastifyRequest) => boolean) =>
    app.addContentTypeParser(type, { parseAs: "buffer" }, (request, body, done) => {
      if (!isWanted(request)) done(wrongType(request));
      else if (type !== FORM_TYPE && request.headers["content-encoding"] !== undefined) done(noEncoding(request));
      else done(null, body);
    });
  accept("application/json", () => true);
  accept(FORM_TYPE, (request) => takes(request, "form"));
  accept(LINES_TYPE, (request) => takes(request, "lines"));
  accept("*", (request) => takes(request, "plain"));
}

const FORM_TYPE = "application/x-www-form-urlencoded";
