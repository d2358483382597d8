// The HTTP server: one route per operation, and nothing that an operation does not know about.
import type { RequestListener } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../board/limits/callers.ts";
import type { Versions } from "./versions.ts";
import type { Refusal } from "../../core/errors.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LoadAssets } from "../../ports/assets.ts";
import { type Access, AccessLog } from "./access-log.ts";
import { absent } from "./not-found.ts";
import { checkAddresses, type Paths } from "./address.ts";
import { addAssets } from "./assets.ts";
import { FastPath } from "./fast-path.ts";
import { boundConnections } from "./connections.ts";
import { DirectAnswers } from "./direct.ts";
import { DirectPosts } from "./direct-posts.ts";
import { type Drainer, drainer } from "./drain.ts";
import { documentSender } from "./documents.ts";
import { framework, type FrameworkParts } from "./framework.ts";
import { addHealth, type HealthParts } from "./health.ts";
import { type McpParts, mountMcp } from "./mcp-route.ts";
import { pageSender, wantsPage } from "./pages.ts";
import { type Door, doorOf, type DoorParts } from "./door.ts";
import { refusalFor, sendRefusal } from "./refusals.ts";
import { EventStreams } from "./event-stream.ts";
import { addRoute, type RouteParts } from "./route.ts";
import { callerFrom, secureCheck, trustedCheck } from "./secure.ts";
import { breakOffSlow, type OpenAnswers } from "./stream.ts";
import { RequestTurns } from "./request-turns.ts";
import { Unsent } from "./unsent.ts";

export interface HttpParts extends DoorParts, HealthParts, Omit<FrameworkParts, "door"> {
  readonly operations: readonly Operation[];
  readonly clock: Clock;
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

/**
 * Connections that wait to be accepted while the board is at something else. Where there is no room left, callers believe that they are
 * connected and try again in vain, for many seconds: a crowd that comes at once must fit. The system may allow less.
 */
export const BACKLOG = 4096;

export function httpServer(given: HttpParts): FastifyInstance {
  const limits = given.rates.turns;
  const { unsent = new Unsent() } = given;
  const parts = { ...given, unsent, door: doorOf(given), secure: secureCheck(given), turns: limits && new RequestTurns(limits) };
  const accessLog = parts.access === undefined ? undefined : new AccessLog(parts.access);
  const app = framework(parts, accessLog);
  const life = { closing: false };
  const atHand = new FastPath(parts);
  const streams = new EventStreams(parts);
  const drain = drainer(app.server);
  const direct = directAnswers(app, parts, { accessLog, atHand, life }, drain);
  takeRequests(app, parts, { accessLog, atHand, life });
  unsent.watch(app.server, parts.stallMs);
  boundConnections(app.server, { most: parts.rates.connectionsAtOnce, isTrusted: trustedCheck(parts.trustedProxies) });
  closeInTurn(app, life, { streams, drain, direct });
  const paths = checkAddresses(app, parts, accessLog);
  countAnswers(app, life, unsent);
  sendRefusals(app, parts, paths);
  addRoutes(app, { ...parts, atHand, streams });
  addAssets(app, parts.assets);
  if (parts.mcp !== undefined) mountMcp(app, { ...parts, protocol: parts.mcp(parts.operations) });
  addHealth(app, parts, life);
  return app;
}

type Life = { closing: boolean };
type Parts = Omit<HttpParts, "unsent"> & Pick<RouteParts, "secure" | "turns"> & { readonly unsent: Unsent; readonly door: Door };

interface Takers {
  readonly accessLog: AccessLog | undefined;
  readonly atHand: FastPath;
  readonly life: Life;
}

/** Each in its caller's turn; what is at hand is sent before the framework sees the request. */
function takeRequests(app: FastifyInstance, { turns, trustedProxies }: Parts, { accessLog, atHand, life }: Takers): void {
  const callerAt = callerFrom(trustedProxies);
  const usual = app.server.listeners("request") as RequestListener[];
  app.server.removeAllListeners("request").on("request", (request, response) => {
    accessLog?.follow(request, response);
    const handle = (): void => {
      // At the end each answer also ends its connection, which the usual way sees to.
      if (life.closing || !atHand.send(request, response)) for (const listener of usual) listener(request, response);
    };
    if (turns === undefined) handle();
    else turns.begin(callerAt(request), request.socket, handle);
  });
}

/** Where each connection is a caller's own, and what passes need not be written down. */
function directAnswers(app: FastifyInstance, parts: Parts, { accessLog, atHand, life }: Takers, drain: Drainer): DirectAnswers | undefined {
  const { turns, trustedProxies, tls } = parts;
  if (tls !== undefined || trustedProxies.length > 0 || accessLog !== undefined) return undefined;
  const posts = new DirectPosts(parts);
  return new DirectAnswers(app.server, { turns, atHand, posts, heard: (socket) => drain.heard(socket), isClosing: () => life.closing });
}

interface Closing {
  readonly streams: EventStreams;
  readonly drain: Drainer;
  readonly direct: DirectAnswers | undefined;
}

/** Streams end first, or the server would wait for them. */
function closeInTurn(app: FastifyInstance, life: Life, { streams, drain, direct }: Closing): void {
  app.addHook("preClose", async () => {
    life.closing = true;
    streams.close();
    await drain.drain();
    direct?.close();
  });
}

function countAnswers(app: FastifyInstance, life: Life, unsent: Unsent): void {
  // At the last moment: what was accepted before the end began must not keep its connection open after it.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (life.closing) void reply.header("connection", "close");
    try {
      if (request.method !== "HEAD") unsent.count(reply.raw, () => callerOf(request.ip), payload);
      done();
    } catch (error) {
      // What was said of the answer does not hold for the refusal.
      for (const name of ["etag", "link", "content-encoding"]) void reply.removeHeader(name);
      done(error as Error);
    }
  });
}

function sendRefusals(app: FastifyInstance, parts: Parts, paths: Paths): void {
  const refuse = async (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> =>
    sendRefusal(reply, refusal, parts, wantsPage(request) ? await parts.refusalPage(refusal).catch(() => undefined) : undefined);
  app.setErrorHandler((error, request, reply) => refuse(request, reply, refusalFor(error, parts.report)));
  app.setNotFoundHandler((request, reply) => refuse(request, reply, absent(request, reply, paths)));
}

function addRoutes(app: FastifyInstance, parts: Parts & Pick<RouteParts, "atHand" | "streams">): void {
  const underWay: OpenAnswers = new Set();
  parts.onRemoved((targets) => {
    parts.streams.forget(targets);
    breakOffSlow(underWay);
  });
  const route: RouteParts = { ...parts, underWay, documents: documentSender(), pages: pageSender(parts) };
  for (const operation of parts.operations) addRoute(app, operation, route);
}

/** New connections see the new certificate; those that are open stay as they are. */
export function renewTls(app: FastifyInstance, { cert, key }: NonNullable<HttpParts["tls"]>): void {
  (app.server as TlsServer).setSecureContext({ cert, key });
}
