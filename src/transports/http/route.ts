// One operation as one HTTP route: who may ask, what was asked, and how the answer is sent.
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, preParsingAsyncHookHandler } from "fastify";
import { callerOf } from "../../board/callers.ts";
import type { RateLimiter } from "../../board/rate.ts";
import { pacedShare, shareOf } from "../../board/share.ts";
import type { Versions } from "../../board/versions.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Call, Operation, Reply } from "../../operations/operation.ts";
import type { RequestReport } from "../../ports/report.ts";
import { atTheCostOf } from "../../ports/share.ts";
import type { AnswersAtHand } from "./at-hand.ts";
import { readText, takeText } from "./body.ts";
import { hasAnswer, hasAnyAnswer } from "./conditional.ts";
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE, type EventStreams } from "./event-stream.ts";
import { formQuery, joinedLists, readInput } from "./input.ts";
import { HTML_TYPE, PAGE_HEADERS } from "./page-headers.ts";
import { type SendPage, wantsMarkdown, wantsPage } from "./pages.ts";
import { nextLink } from "./next-link.ts";
import type { SendDocument } from "./documents.ts";
import { CORS_HEADER_NAMES } from "./door.ts";
import { JSON_TYPE } from "./refusals.ts";
import type { Arrival } from "./secure.ts";
import type { RequestTurns } from "./turns.ts";
import type { Unsent } from "./unsent.ts";
import { sendStream, type UnderWay } from "./stream.ts";

export interface RouteParts {
  readonly rates: RateLimiter;
  readonly report: RequestReport;
  readonly baseUrl: string;
  readonly streams: EventStreams;
  /** Answers that are sent piece by piece. */
  readonly underWay: UnderWay;
  /** Whether a request may carry a secret. */
  readonly secure: (request: Arrival) => boolean;
  readonly versions: Pick<Versions, "of">;
  readonly atHand: Pick<AnswersAtHand, "learn">;
  /** Where a caller's requests have their turns. */
  readonly turns: RequestTurns | undefined;
  readonly unsent: Pick<Unsent, "require">;
  readonly observe: (operation: string, status: number, ms: number) => void;
  readonly pages: SendPage;
  readonly documents: SendDocument;
}

export function addRoute(app: FastifyInstance, operation: Operation, parts: RouteParts): void {
  const { rates, observe, report, baseUrl, versions, atHand, streams, underWay, secure, pages, documents, turns, unsent } = parts;
  /** Whose token is given back if they are refused; who was refused before had none taken. */
  const refundable = new WeakSet<FastifyRequest>();
  /** Puts back the bytes that a request was counted for. */
  const bytesBack = new WeakMap<FastifyRequest, () => void>();
  const countBytes = (request: FastifyRequest, length: number): void => {
    if (operation.keeps === true) bytesBack.set(request, rates.takeBytes("bytes", callerOf(request.ip), length));
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
    if (operation.page !== undefined) void reply.header("vary", "Accept, Accept-Encoding");
    else if ("format" in operation.input.shape) void reply.header("vary", "Accept");
    const page = operation.page !== undefined && wantsPage(request);
    if (operation.body !== undefined && request.body === undefined) throw emptyBody(request);
    // Sent in pieces, without saying how much it will be.
    if (request.body !== undefined && !bytesBack.has(request)) countBytes(request, (request.body as Buffer).byteLength);
    const body = operation.method === "POST" ? (operation.secret === true ? takeText : readText)(request.body) : "";
    const written = request.query as Record<string, unknown>;
    const query = page || operation.form === true ? formQuery(written) : joinedLists(operation, written);
    const markdown = "format" in operation.input.shape && query["format"] === undefined && !page && wantsMarkdown(request.headers.accept);
    if (markdown) query["format"] = "md";
    const input = readInput(operation, request.params as Record<string, unknown>, query);
    const extra = operation.extraRate?.(input);
    if (extra !== undefined) rates.take(extra, callerOf(request.ip));
    if (page) return await pages(request, reply, operation, callOf(request, reply, input, body, query));
    const leave = operation.holds?.(input) === true ? rates.enter(callerOf(request.ip)) : undefined;
    if (leave !== undefined) turns?.release(request.raw);
    if (operation.large?.(input) === true) unsent.require(callerOf(request.ip));
    try {
      const tag =
        operation.revalidate === undefined || leave !== undefined
          ? undefined
          : await versions.of(markdown ? `${request.url} md` : request.url);
      if (tag !== undefined && hasAnswer(request.headers, tag)) return await reply.header("etag", tag).code(304).send();
      const answer = await operation.run(callOf(request, reply, input, body, query));
      if (operation.steady === true) return await documents(request, reply, answer);
      // Only now: a refusal has no validator, or asking again would answer it with "you have it already".
      if (tag !== undefined) void reply.header("etag", tag);
      if (tag !== undefined && hasAnyAnswer(request.headers)) return await reply.code(304).send();
      if (answer.feed !== undefined && request.method !== "HEAD") return streams.start(reply, answer.feed, leave ?? (() => {}));
      if (answer.stream === undefined) leave?.();
      atHand.learn(request.url, operation, input);
      if (answer.feed !== undefined) return await reply.type(EVENT_STREAM_TYPE).headers(EVENT_STREAM_HEADERS).send(Readable.from([]));
      if (answer.next !== undefined) linkNext(reply, request, baseUrl, answer.next);
      return await (answer.stream === undefined
        ? sendReply(reply, answer)
        : sendStream(request, reply, answer, answer.stream, { report, underWay, leave }));
    } catch (error) {
      leave?.();
      throw error;
    }
  };
  app.route({
    method: operation.method,
    config: { form: operation.form === true },
    url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    // Before the body is read: who asks too often, or sends too much, costs next to nothing.
    onRequest: check((request) => {
      if (operation.secret === true) requireSafe(request, secure, baseUrl);
      if (operation.form === true) requireOwnPage(request, baseUrl, "The form was sent by a page of another site.");
      operation.requireOpen?.();
      if (operation.refunds === true) rates.take("reads", callerOf(request.ip));
      rates.take(operation.rate, callerOf(request.ip));
      if (operation.refunds === true) refundable.add(request);
      const length = request.headers["content-length"];
      if (length === undefined) return;
      if (Number(length) > LIMITS.request_bytes)
        throw new Refusal("too_large", `The request is larger than ${LIMITS.request_bytes} bytes.`);
      countBytes(request, Number(length));
    }),
    ...(operation.method === "POST" && turns !== undefined ? { preParsing: longInTurns(turns) } : {}),
    // Whatever the answer is, and whoever refuses: not for caches, not for pages of other sites.
    ...(operation.secret === true ? { onSend: async (_request: FastifyRequest, reply: FastifyReply) => keepPrivate(reply) } : {}),
    onResponse: (request, reply, done) => {
      if (reply.statusCode >= 400 && refundable.has(request)) rates.giveBack(operation.rate, callerOf(request.ip));
      if (reply.statusCode !== 201) bytesBack.get(request)?.();
      observe(operation.name, reply.statusCode, reply.elapsedTime);
      done();
    },
    handler: async (request, reply) => {
      const caller = callerOf(request.ip);
      await turns?.enter(caller, request.raw, reply.raw);
      const share =
        operation.paced === true ? pacedShare(rates, caller) : shareOf(rates, operation.rate, caller, (ms) => turns?.used(caller, ms));
      return atTheCostOf(share, () => handle(request, reply));
    },
  });
}

/** Before a body is read: long ones of one caller wait for each other. */
export function longInTurns(turns: RequestTurns | undefined): preParsingAsyncHookHandler {
  return async (request, reply) => {
    await turns?.enterLong(callerOf(request.ip), request.raw, reply.raw);
  };
}

/** A check of each request as a hook that waits for nothing: every request passes several, and a promise each would cost more than the check. Where it has answered itself, nothing follows. */
export function check(work: (request: FastifyRequest, reply: FastifyReply) => void | "answered"): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      if (work(request, reply) === "answered") return;
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}

/** A secret comes in the body of a safe request, or not at all; what stands in the address is not quoted, for it may be one. */
function requireSafe(request: FastifyRequest, secure: RouteParts["secure"], baseUrl: string): void {
  if (!secure(request.raw)) throw new Refusal("https_required");
  requireOwnPage(request, baseUrl, "The request was sent by a page of another site, which has no business with keys.");
  if (request.url.includes("?"))
    throw new Refusal("unknown_parameter", "This address takes no parameters.", {
      hint: "Send everything in the body; addresses end up in logs and histories.",
    });
}

/**
 * Pages of other sites must not send forms or use up what belongs to whoever looks at them. Browsers say where a request comes from: newer
 * ones by Sec-Fetch-Site, all by Origin, which is `null` where a page hides itself. A program sends neither.
 */
function requireOwnPage({ headers, host }: FastifyRequest, baseUrl: string, words: string): void {
  const { origin, "sec-fetch-site": from } = headers;
  if (from === "same-origin") return;
  const own = origin === undefined || (URL.canParse(origin) && (origin === new URL(baseUrl).origin || new URL(origin).host === host));
  if (own && (from === undefined || from === "none")) return;
  throw new Refusal("origin_forbidden", words, {
    hint: `Use this board's own pages; a program sends no Origin header. What programs use: ${baseUrl}/llms.txt`,
  });
}

export function keepPrivate(reply: FastifyReply): void {
  for (const name of CORS_HEADER_NAMES) void reply.removeHeader(name);
  void reply.header("cache-control", "no-store");
}

/** The next page of a POST is another POST: its address alone leads nowhere. */
function linkNext(reply: FastifyReply, { method, url }: FastifyRequest, baseUrl: string, cursor: string): void {
  const link = method === "POST" ? undefined : nextLink(baseUrl, url, cursor);
  if (link !== undefined) void reply.header("link", link);
}

function emptyBody(request: FastifyRequest): Refusal {
  if (request.headers["content-encoding"] !== undefined) return new Refusal("unsupported_media_type", "Content-Encoding is not taken.");
  const json = /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
  return json ? new Refusal("invalid_json", "The body is empty.") : wrongType(request);
}

export function wrongType({ headers }: FastifyRequest): Refusal {
  const type = headers["content-type"];
  const media = /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(type ?? "")?.[0];
  const said = type === undefined ? "The body has no Content-Type" : `The body is ${media ?? "of an unknown type"}`;
  return new Refusal("unsupported_media_type", `${said}; it must be application/json.`);
}

/** Longer texts are turned into bytes here: the server would set aside three bytes for each character. */
const LARGE_CHARS = 8192;
/** As many bytes as characters: plain ASCII, which is only copied. */
const bytesOf = (text: string): Buffer => Buffer.from(text, Buffer.byteLength(text) === text.length ? "latin1" : "utf8");

function sendReply(reply: FastifyReply, answer: Reply): FastifyReply {
  const { status = 200, type, headers, json } = answer;
  void reply.code(status).header("content-type", type ?? JSON_TYPE);
  if (headers !== undefined) void reply.headers(headers);
  if (type === HTML_TYPE) void reply.headers(PAGE_HEADERS).header("cache-control", "no-store");
  const body = json ?? (type === undefined ? JSON.stringify(answer.body) : answer.body);
  return reply.send(typeof body === "string" && body.length > LARGE_CHARS ? bytesOf(body) : body);
}

function callOf(
  request: FastifyRequest,
  { raw }: FastifyReply,
  input: Record<string, unknown>,
  body: string,
  query: Record<string, unknown>,
): Call<Record<string, unknown>> {
  const lastEventId = request.headers["last-event-id"];
  return {
    input,
    body,
    query: query as Record<string, string>,
    lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
    caller: callerOf(request.ip),
    closed() {
      const controller = new AbortController();
      // Of this answer, not of the connection, which may live on with other requests and other listeners.
      raw.once("close", () => controller.abort());
      return controller.signal;
    },
  };
}
