// The HTTP server: one route per operation, and nothing that an operation does not know about.
import { createHash, timingSafeEqual } from "node:crypto";
import type { RequestListener } from "node:http";
import type { Server as TlsServer } from "node:https";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { callerOf } from "../../board/callers.ts";
import type { RateLimiter } from "../../board/rate.ts";
import type { Versions } from "../../board/versions.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RequestReport } from "../../ports/report.ts";
import type { LoadAssets } from "../../ports/assets.ts";
import { type Access, AccessLog } from "./access-log.ts";
import { absent, methodsAt, pathOf } from "./absent.ts";
import { addAssets } from "./assets.ts";
import { AnswersAtHand } from "./at-hand.ts";
import { clientErrorHandler } from "./client-errors.ts";
import { boundConnections } from "./connections.ts";
import { drainer } from "./drain.ts";
import { documentSender } from "./documents.ts";
import { MCP_PATH, mountMcp, type McpParts } from "./mcp-route.ts";
import { pageSender, wantsPage } from "./pages.ts";
import { doorOf, type DoorParts, WHOLE_BOARD } from "./door.ts";
import { refusalFor, sendRefusal } from "./refusals.ts";
import { EventStreams } from "./event-stream.ts";
import { addRoute, check, keepPrivate, wrongType } from "./route.ts";
import { callerFrom, secureCheck, trustedCheck } from "./secure.ts";
import { breakOffSlow, type UnderWay } from "./stream.ts";
import { RequestTurns } from "./turns.ts";
import { Unsent } from "./unsent.ts";

export interface HttpParts extends DoorParts {
  readonly operations: readonly Operation[];
  readonly rates: RateLimiter;
  readonly clock: Clock;
  readonly report: RequestReport;
  readonly trustedProxies: readonly string[];
  /** Certificate chain and key, in PEM form. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Throws where requests could not be answered. */
  readonly ready: () => Promise<unknown>;
  /** Whether a replica answers listings, where there is one: without it, the board's own database does. */
  readonly replica?: (() => { readonly up: boolean }) | undefined;
  /** Why nothing can be posted at the moment, where that is so. */
  readonly notWritable: () => Refusal | undefined;
  /** The text of /metrics, or undefined where it is switched off. */
  readonly metrics: (() => Promise<string>) | undefined;
  /** What a caller of /metrics has to send; everybody may read them where there is none. */
  readonly metricsToken?: string | undefined;
  /** Counts what is under way, where somebody else wants to know it too. */
  readonly unsent?: Unsent;
  /** A caller that reads no byte of its answer for so long is cut off, after twice as long at most; 15 s unless given. */
  readonly stallMs?: number | undefined;
  /** Hears of each request once it is answered. */
  readonly access?: ((access: Access) => void) | undefined;
  readonly versions: Versions;
  readonly observe: (operation: string, status: number, ms: number) => void;
  readonly assets: LoadAssets;
  /** A refusal for people. */
  readonly refusalPage: (refusal: Refusal) => Promise<string>;
  /** Tells of what the operator removed, by id. */
  readonly onRemoved: (listener: (targets: ReadonlySet<string>) => void) => void;
  /** What answers at /mcp from these operations, where there is such an address. */
  readonly mcp?: (operations: readonly Operation[]) => McpParts;
}

/** A sender that takes longer than this is cut off, so that slow ones cannot hold what others need: gone in 15 s, looks between and all. */
const REQUEST_MS = 13_000;
const HEADERS_MS = 10_000;
const CHECK_EVERY_MS = 1000;
const KEEP_ALIVE_MS = 72_000;
const MAX_CONNECTIONS = 20_000;
/**
 * Connections that wait to be accepted while the board is at something else. Where there is no room left, callers believe that they are
 * connected and try again in vain, for many seconds: a crowd that comes at once must fit. The system may allow less.
 */
export const BACKLOG = 4096;
/** Longer than any request line: a long id is an unknown id, not a fault of the router. */
const MAX_PARAM_CHARS = 65_536;

const WHOLE_BOARD_METHODS: readonly string[] = ["GET", "HEAD", "POST"];

export function httpServer(given: HttpParts): FastifyInstance {
  const door = doorOf(given);
  const parts = { ...given, door };
  const { operations, report, tls } = parts;
  const limits = parts.rates.turns;
  const turns = limits && new RequestTurns(limits);
  const callerAt = callerFrom(parts.trustedProxies);
  const accessLog = parts.access === undefined ? undefined : new AccessLog(parts.access);
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
  // A missing Host is refused below, with words; the server's own refusal has none.
  const server = { connectionsCheckingInterval: CHECK_EVERY_MS, headersTimeout: HEADERS_MS, requireHostHeader: false };
  const app = (tls === undefined
    ? Fastify({ ...options, http: server })
    : Fastify({
        ...options,
        https: { ...server, cert: tls.cert, key: tls.key },
      })) as unknown as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  // An expectation that nobody knows is no reason to refuse.
  app.server.on("checkExpectation", (request, response) => void app.server.emit("request", request, response));
  // Who asks before sending the body is told to go on when the body is wanted, not before.
  app.server.on("checkContinue", (request, response) => void app.server.emit("request", request, response));
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (request.headers.expect !== undefined && /^100-continue$/i.test(request.headers.expect)) reply.raw.writeContinue();
    done();
  });

  let closing = false;
  const { unsent = new Unsent() } = parts;
  const atHand = new AnswersAtHand({ ...parts, unsent });
  const usual = app.server.listeners("request") as RequestListener[];
  app.server.removeAllListeners("request").on("request", (request, response) => {
    accessLog?.follow(request, response);
    const handle = (): void => {
      // At the end each answer also ends its connection, which the usual way sees to.
      if (closing || !atHand.send(request, response)) for (const listener of usual) listener(request, response);
    };
    if (turns === undefined) handle();
    else turns.begin(callerAt(request), request.socket, handle);
  });
  unsent.watch(app.server, parts.stallMs);
  boundConnections(app.server, { most: parts.rates.connectionsAtOnce, isTrusted: trustedCheck(parts.trustedProxies) });
  const drain = drainer(app.server);
  app.addHook("preClose", async () => {
    closing = true;
    streams.close();
    await drain();
  });
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
    if (options || request.is404) parts.rates.take("reads", callerOf(request.ip));
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
  // At the last moment: what was accepted before the end began must not keep its connection open after it.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (closing) void reply.header("connection", "close");
    try {
      if (request.method !== "HEAD") unsent.count(reply.raw, () => callerOf(request.ip), payload);
      done();
    } catch (error) {
      // What was said of the answer does not hold for the refusal.
      for (const name of ["etag", "link", "content-encoding"]) void reply.removeHeader(name);
      done(error as Error);
    }
  });

  takeJsonOnly(app);
  app.decorateRequest("admitted");
  const refuse = async (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> =>
    sendRefusal(reply, refusal, parts, wantsPage(request) ? await parts.refusalPage(refusal).catch(() => undefined) : undefined);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, refusalFor(error, report)));
  app.setNotFoundHandler((request, reply) => refuse(request, reply, absent(request, reply, paths)));
  const secure = secureCheck(parts);
  const streams = new EventStreams(parts);
  const documents = documentSender();
  const pages = pageSender(parts);
  const underWay: UnderWay = new Set();
  parts.onRemoved((targets) => {
    streams.forget(targets);
    breakOffSlow(underWay);
  });
  for (const operation of operations)
    addRoute(app, operation, { ...parts, streams, underWay, secure, pages, documents, atHand, turns, unsent });
  addAssets(app, parts.assets);
  if (parts.mcp !== undefined) mountMcp(app, { ...parts, protocol: parts.mcp(operations), secure, turns });

  const { ready, notWritable, replica } = parts;
  // Reading goes on where nothing may be written, so callers are still sent here; who asks about writing alone gets the refusal itself.
  const readiness = async (): Promise<Readiness> => {
    if (closing) throw new Refusal("shutting_down");
    await ready();
    const { code, hint } = notWritable() ?? {};
    const copy = replica === undefined ? {} : { replica: replica().up ? ("ok" as const) : ("lost" as const) };
    return code === undefined ? { status: "ok", writing: "ok", ...copy } : { status: "not_writable", writing: code, hint, ...copy };
  };
  const counted = { onRequest: check((request) => parts.rates.take("reads", callerOf(request.ip))) };
  app.get("/readyz", async (_request, reply) => reply.send(await readiness()));
  app.get("/readyz/writing", async (_request, reply) => {
    const said = await readiness();
    const refusal = notWritable();
    if (refusal !== undefined) throw refusal;
    return reply.send(said);
  });
  app.get("/healthz", async (_request, reply) => reply.code(closing ? 503 : 200).send({ status: closing ? "shutting_down" : "ok" }));
  const { metrics } = parts;
  if (metrics !== undefined)
    app.get("/metrics", counted, async (request, reply) => {
      requireToken(request, parts.metricsToken);
      return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics());
    });
  return app;
}

/** Compared by their digests, which takes as long for a good guess as for a bad one. */
function requireToken({ headers }: FastifyRequest, token: string | undefined): void {
  if (token === undefined) return;
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  if (timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`))) return;
  throw new Refusal("not_found", "The metrics of this board are only for its operator.", {
    hint: "Send `Authorization: Bearer TOKEN` with the token that the board was started with (--metrics-token).",
  });
}

interface Readiness {
  readonly status: "ok" | "not_writable";
  readonly writing: string;
  readonly hint?: string | undefined;
  readonly replica?: "ok" | "lost";
}

/** New connections see the new certificate; those that are open stay as they are. */
export function renewTls(app: FastifyInstance, { cert, key }: NonNullable<HttpParts["tls"]>): void {
  (app.server as TlsServer).setSecureContext({ cert, key });
}

/** Bodies arrive as bytes and are read by the board's own rules; anything that is not plain JSON is refused. */
function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (request.headers["content-encoding"] !== undefined) done(new Refusal("unsupported_media_type", "Content-Encoding is not taken."));
    else done(null, body);
  });
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "buffer" }, (request, body, done) => {
    const config = request.routeOptions.config as { form?: boolean } | undefined;
    if (config?.form === true) done(null, body);
    else done(wrongType(request));
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, _body, done) => done(wrongType(request)));
}
