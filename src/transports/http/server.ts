// The HTTP server: one route per operation.
import type { RequestListener } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../board/limits/callers.ts";
import type { Versions } from "./etags.ts";
import type { Refusal } from "../../core/errors.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LoadAssets } from "../../ports/assets.ts";
import { type Access, AccessLog } from "./access-log.ts";
import { addressNotFound } from "./not-found.ts";
import { checkAddresses, type Paths } from "./early-request-checks.ts";
import { addAssets } from "./assets.ts";
import { FastPath } from "./fast-path.ts";
import { boundConnections } from "./connections.ts";
import { DirectAnswers, type DirectParts } from "./raw-socket-answers.ts";
import { DirectPosts } from "./raw-socket-posts.ts";
import { type Drainer, drainer } from "./drain-unread-requests.ts";
import { documentSender } from "./cached-documents.ts";
import { framework, type FrameworkParts } from "./framework.ts";
import { addHealth, type HealthParts } from "./health.ts";
import { ConnectionBackpressure } from "./request-backpressure.ts";
import { type McpParts, addMcpRoute } from "./mcp-route.ts";
import { pageSender, wantsPage } from "./cached-pages.ts";
import { type Door, doorOf, type DoorParts } from "./cors-and-local-access.ts";
import { refusalFor, sendRefusal } from "./refusals.ts";
import { EventStreams } from "./event-stream.ts";
import { addRoute, type RouteParts } from "./route.ts";
import { callerFrom, type SecureParts, secureCheck, trustedCheck } from "./secure-request.ts";
import { breakOffSlow, type OpenAnswers } from "./chunked-answers.ts";
import { RequestTurns } from "./request-turns.ts";
import { countedBytes, STALL_MS, Unsent } from "./unsent-answers.ts";

export interface HttpParts extends DoorParts, SecureParts, HealthParts, Omit<FrameworkParts, "door"> {
  readonly operations: readonly Operation[];
  readonly clock: Clock;
  /** Counts requests under way for other parts, if they need the number. */
  readonly unsent?: Unsent;
  /** A caller that reads no byte of its answer for this long is disconnected, after at most twice this time; 15 s unless given. */
  readonly stallMs?: number | undefined;
  /** Called for each request after its answer. */
  readonly access?: ((access: Access) => void) | undefined;
  readonly versions: Versions;
  readonly observe: (operation: string, status: number, ms: number) => void;
  readonly assets: LoadAssets;
  /** A refusal as a page. */
  readonly refusalPage: (refusal: Refusal) => Promise<string>;
  /** Calls back with the ids of messages that the operator removed. */
  readonly onRemoved: (listener: (targets: ReadonlySet<string>) => void) => void;
  /** The MCP endpoint over these operations, if the board has one. */
  readonly mcp?: (operations: readonly Operation[]) => McpParts;
}

/**
 * Connections that may wait to be accepted while the board is busy. If there are more, clients believe that they are connected and retry
 * for many seconds, so a crowd that comes at once must fit. The system may allow less.
 */
export const BACKLOG = 4096;

export function httpServer(given: HttpParts): FastifyInstance {
  const limits = given.rates.pauses.turns;
  const { unsent = new Unsent() } = given;
  const parts = { ...given, unsent, door: doorOf(given), secure: secureCheck(given), turns: limits && new RequestTurns(limits) };
  const accessLog = parts.access === undefined ? undefined : new AccessLog(parts.access);
  const app = framework(parts, accessLog);
  const life = { closing: false };
  const fastPath = new FastPath(parts);
  const streams = new EventStreams(parts);
  const drain = drainer(app.server);
  const isTrusted = trustedCheck(parts.trustedProxies);
  const reading = parts.turns && new ConnectionBackpressure(app.server, parts.turns, isTrusted);
  const direct = directAnswers(app, { ...parts, reading }, { accessLog, fastPath, life }, drain);
  if (direct === undefined) reading?.follow(app.server);
  takeRequests(app, parts, { accessLog, fastPath, life });
  unsent.watch(app.server, parts.stallMs);
  boundConnections(app.server, { rates: parts.rates, isTrusted });
  closeInTurn(app, life, { streams, drain, direct });
  const paths = checkAddresses(app, parts, accessLog);
  countAnswers(app, life, unsent);
  sendRefusals(app, parts, paths);
  addRoutes(app, { ...parts, fastPath, streams });
  addAssets(app, parts);
  if (parts.mcp !== undefined) addMcpRoute(app, { ...parts, protocol: parts.mcp(parts.operations) });
  addHealth(app, parts, life);
  return app;
}

type Life = { closing: boolean };
type Parts = Omit<HttpParts, "unsent"> & Pick<RouteParts, "secure" | "turns"> & { readonly unsent: Unsent; readonly door: Door };

interface Takers {
  readonly accessLog: AccessLog | undefined;
  readonly fastPath: FastPath;
  readonly life: Life;
}

/** Handles each request in its caller's turn. The fast path answers before the framework sees the request. */
function takeRequests(app: FastifyInstance, { turns, trustedProxies }: Parts, { accessLog, fastPath, life }: Takers): void {
  const callerAt = callerFrom(trustedProxies);
  const usual = app.server.listeners("request") as RequestListener[];
  app.server.removeAllListeners("request").on("request", (request, response) => {
    accessLog?.follow(request, response);
    const handle = (): void => {
      // While the board stops, each answer also closes its connection, which the normal path does.
      if (life.closing || !fastPath.send(request, response)) for (const listener of usual) listener(request, response);
    };
    if (turns === undefined) handle();
    else turns.begin(callerAt(request), request.socket, handle);
  });
}

/** Only if each connection belongs to one caller and there is no access log. */
function directAnswers(
  app: FastifyInstance,
  parts: Parts & Pick<DirectParts, "reading">,
  { accessLog, fastPath, life }: Takers,
  drain: Drainer,
): DirectAnswers | undefined {
  const { turns, reading, trustedProxies, tls, stallMs = STALL_MS } = parts;
  if (tls !== undefined || trustedProxies.length > 0 || accessLog !== undefined) return undefined;
  const posts = new DirectPosts(parts);
  const onRequest = (socket: Socket): void => drain.onRequest(socket);
  return new DirectAnswers(app.server, { turns, reading, fastPath, posts, onRequest, isClosing: () => life.closing, stallMs });
}

interface Closing {
  readonly streams: EventStreams;
  readonly drain: Drainer;
  readonly direct: DirectAnswers | undefined;
}

/** Streams are ended first, because the server waits for them. */
function closeInTurn(app: FastifyInstance, life: Life, { streams, drain, direct }: Closing): void {
  app.addHook("preClose", async () => {
    life.closing = true;
    streams.close();
    await drain.drain();
    direct?.close();
  });
}

function countAnswers(app: FastifyInstance, life: Life, unsent: Unsent): void {
  // Done at the last moment: a request that was accepted before the stop must not keep its connection open after it.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (life.closing) void reply.header("connection", "close");
    if (!request.raw.complete) request.raw.once("close", () => life.closing && hangUp(request.raw.socket));
    try {
      if (request.method !== "HEAD") unsent.count(reply.raw, () => callerOf(request.ip), countedBytes(payload));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** For a request that was answered before it had come in whole, and before the stop: no answer closes its connection any more. */
function hangUp(socket: Socket): void {
  socket.end(() => socket.destroy());
}

function sendRefusals(app: FastifyInstance, parts: Parts, paths: Paths): void {
  const refuse = async (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> =>
    sendRefusal(reply, refusal, parts, wantsPage(request) ? await parts.refusalPage(refusal).catch(() => undefined) : undefined);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, refusalFor(error, parts.report)));
  app.setNotFoundHandler((request, reply) => refuse(request, reply, addressNotFound(request, reply, paths)));
}

function addRoutes(app: FastifyInstance, parts: Parts & Pick<RouteParts, "fastPath" | "streams">): void {
  const underWay: OpenAnswers = new Set();
  parts.onRemoved((targets) => {
    parts.streams.forget(targets);
    breakOffSlow(underWay);
  });
  const route: RouteParts = { ...parts, underWay, documents: documentSender(), pages: pageSender(parts) };
  for (const operation of parts.operations) addRoute(app, operation, route);
}

/** New connections use the new certificate; open ones keep the old one. */
export function renewTls(app: FastifyInstance, { cert, key }: NonNullable<HttpParts["tls"]>): void {
  (app.server as TlsServer).setSecureContext({ cert, key });
}
