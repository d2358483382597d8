// The HTTP server: one route per operation, and nothing that an operation does not know about.
import { readFileSync } from "node:fs";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { callerOf, type RateLimiter } from "../../board/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Operation, Reply } from "../../operations/operation.ts";
import type { Report } from "../../ports/report.ts";
import { readText } from "./body.ts";
import { clientErrorHandler } from "./client-errors.ts";
import { readInput } from "./input.ts";
import { COMMON_HEADERS, sendRefusal, toRefusal } from "./refusals.ts";
import { sendStream } from "./stream.ts";

export interface HttpParts {
  readonly operations: readonly Operation[];
  readonly rates: RateLimiter;
  readonly report: Report;
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** The text of /metrics, or undefined where it is switched off. */
  readonly metrics: (() => Promise<string>) | undefined;
  /** A weak validator of the answer at an address, as things stand now. */
  readonly version: (url: string) => Promise<string>;
  readonly observe: (operation: string, status: number, ms: number) => void;
}

/** A sender that takes longer than this is cut off, so that slow ones cannot hold what others need. */
const REQUEST_MS = 15_000;
const HEADERS_MS = 10_000;
const CHECK_EVERY_MS = 2000;
const KEEP_ALIVE_MS = 72_000;
const MAX_CONNECTIONS = 20_000;
/** Longer than any request line: a long id is an unknown id, not a fault of the router. */
const MAX_PARAM_CHARS = 65_536;

export function httpServer(parts: HttpParts): FastifyInstance {
  const { operations, report, baseUrl, tls } = parts;
  const options = {
    bodyLimit: LIMITS.request_bytes,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: parts.trustedProxies.length === 0 ? false : [...parts.trustedProxies],
    return503OnClosing: false,
    forceCloseConnections: "idle" as const,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: MAX_PARAM_CHARS },
    clientErrorHandler: clientErrorHandler(baseUrl),
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      void sendRefusal(reply, toRefusal(error, report), baseUrl),
  };
  // A missing Host is refused below, with words; the server's own refusal has none.
  const server = { connectionsCheckingInterval: CHECK_EVERY_MS, headersTimeout: HEADERS_MS, requireHostHeader: false };
  const app = (tls === undefined
    ? Fastify({ ...options, http: server })
    : Fastify({
        ...options,
        https: { ...server, cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
      })) as unknown as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  // An expectation that nobody knows is no reason to refuse.
  app.server.on("checkExpectation", (request, response) => void app.server.emit("request", request, response));

  let closing = false;
  app.addHook("preClose", async () => void (closing = true));
  const paths = new Map<string, string[]>();
  app.addHook("onRoute", ({ url, method }) => void paths.set(url, [...(paths.get(url) ?? []), ...[method].flat()]));
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(COMMON_HEADERS);
    if (request.headers.host === undefined && request.raw.httpVersion === "1.1")
      throw new Refusal("invalid_parameter", "The request has no Host header.", { hint: "Send the Host header that HTTP/1.1 asks for." });
    // Before the body is read: at a wrong address its type and size do not matter.
    if (request.is404) throw absent(request, reply, paths);
  });
  // At the last moment: what was accepted before the end began must not keep its connection open after it.
  app.addHook("onSend", async (_request, reply) => {
    if (closing) void reply.header("connection", "close");
  });

  takeJsonOnly(app);
  app.setErrorHandler((error, _request, reply) => sendRefusal(reply, toRefusal(error, report), baseUrl));
  app.setNotFoundHandler((request, reply) => sendRefusal(reply, absent(request, reply, paths), baseUrl));
  for (const operation of operations) addRoute(app, operation, parts);

  app.options("/api/*", async (_request, reply) =>
    reply
      .code(204)
      .headers({
        "access-control-allow-methods": "GET, HEAD, POST",
        "access-control-allow-headers": "content-type, last-event-id",
        "access-control-max-age": "86400",
      })
      .send(),
  );
  app.get("/healthz", async (_request, reply) => reply.code(closing ? 503 : 200).send({ status: closing ? "shutting_down" : "ok" }));
  const { metrics } = parts;
  if (metrics !== undefined)
    app.get("/metrics", async (_request, reply) => reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics()));
  return app;
}

/** Bodies arrive as bytes and are read by the board's own rules; anything that is not plain JSON is refused. */
function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (request.headers["content-encoding"] !== undefined) done(new Refusal("unsupported_media_type", "Content-Encoding is not taken."));
    else done(null, body);
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, _body, done) => done(wrongType(request)));
}

function addRoute(app: FastifyInstance, operation: Operation, { rates, observe, report, baseUrl, version }: HttpParts): void {
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    // Before the body is read: who asks too often, or sends too much, costs next to nothing.
    onRequest: async (request) => {
      rates.take(operation.rate, callerOf(request.ip));
      if (Number(request.headers["content-length"] ?? 0) > LIMITS.request_bytes)
        throw new Refusal("too_large", `The request is larger than ${LIMITS.request_bytes} bytes.`);
    },
    onResponse: async (_request, reply) => observe(operation.name, reply.statusCode, reply.elapsedTime),
    handler: async (request, reply) => {
      if (operation.method === "POST" && request.body === undefined) throw emptyBody(request);
      const body = operation.method === "POST" ? readText(request.body) : "";
      const input = readInput(operation, request.params as Record<string, unknown>, request.query as Record<string, unknown>);
      const extra = operation.extraRate?.(input);
      if (extra !== undefined) rates.take(extra, callerOf(request.ip));
      const tag = operation.revalidate === undefined ? undefined : await version(request.url);
      if (tag !== undefined) {
        void reply.header("etag", tag);
        if (request.headers["if-none-match"]?.includes(tag)) return reply.code(304).send();
      }
      const answer = await operation.run({ input, body });
      if (answer.next !== undefined) void reply.header("link", `<${nextUrl(baseUrl, request.url, answer.next)}>; rel="next"`);
      return answer.stream === undefined ? sendReply(reply, answer) : sendStream(request, reply, answer, answer.stream, report);
    },
  });
}

function nextUrl(baseUrl: string, url: string, cursor: string): string {
  const next = new URL(url, baseUrl);
  next.searchParams.set("cursor", cursor);
  return next.href;
}

function emptyBody(request: FastifyRequest): Refusal {
  if (request.headers["content-encoding"] !== undefined) return new Refusal("unsupported_media_type", "Content-Encoding is not taken.");
  const json = /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
  return json ? new Refusal("invalid_json", "The body is empty.") : wrongType(request);
}

function wrongType({ headers }: FastifyRequest): Refusal {
  const type = headers["content-type"];
  const said = type === undefined ? "The body has no Content-Type" : `The body is ${JSON.stringify(type.slice(0, 80))}`;
  return new Refusal("unsupported_media_type", `${said}; it must be application/json.`);
}

function sendReply(reply: FastifyReply, answer: Reply): FastifyReply {
  const { status = 200, type, headers, json } = answer;
  void reply.code(status).header("content-type", type ?? "application/json; charset=utf-8");
  if (headers !== undefined) void reply.headers(headers);
  if (json !== undefined) return reply.send(json);
  return reply.send(type === undefined ? JSON.stringify(answer.body) : answer.body);
}

/** Nothing is here, or something is, for other methods. */
function absent(request: FastifyRequest, reply: FastifyReply, paths: ReadonlyMap<string, readonly string[]>): Refusal {
  const path = request.url.split("?")[0]!;
  const methods = [...paths].filter(([url]) => !url.includes("*") && pathPattern(url).test(path)).flatMap(([, allowed]) => allowed);
  if (methods.length === 0) return new Refusal("not_found", `There is nothing at ${path.slice(0, 200)}.`);
  void reply.header("allow", [...new Set(methods)].join(", "));
  return new Refusal("method_not_allowed", `${request.method} is not possible at ${path.slice(0, 200)}.`);
}

const pathPattern = (url: string): RegExp => new RegExp(`^${url.replaceAll(".", String.raw`\.`).replaceAll(/:\w+/g, "[^/]+")}$`);
