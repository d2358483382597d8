// One operation as one HTTP route: passes the request to the call steps and sends the answer.
import { Readable } from "node:stream";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendAsyncHookHandler,
  preParsingAsyncHookHandler,
} from "fastify";
import { isForWrites } from "../../board/limits/bucket-sizes.ts";
import { callerOf } from "../../board/limits/callers.ts";
import type { RateLimiter } from "../../board/limits/rate.ts";

import { Refusal } from "../../core/errors.ts";
import { filledPath, parametersIn } from "../../core/text/path-template.ts";
import { admitCall, type AdmittedCall, type CallContext, runCall } from "../../operations/call-steps.ts";
import { formQuery, joinedLists } from "../../operations/input.ts";
import { isMoving, type Operation, type Reply } from "../../operations/operation.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { encodingOf, type FastPath } from "./fast-path.ts";
import { readText, takeText } from "./body-text.ts";
import { gzipped, isCoded, takesGzip } from "./compression.ts";
import { type GuestParts, guestOf, requireOwnPage } from "./guest.ts";
import { matchesEtag, matchesAnyEtag, type Versions } from "./etags.ts";
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE, type EventStreams } from "./event-stream.ts";
import { HTML_TYPE, PAGE_HEADERS } from "./page-headers.ts";
import { type SendPage, wantsMarkdown, wantsPage } from "./cached-pages.ts";
import { answerMany, bringsMany } from "./ndjson.ts";
import { nextLink } from "./next-link.ts";
import type { SendDocument } from "./cached-documents.ts";
import { CORS_HEADER_NAMES } from "./cors-and-local-access.ts";
import { sendAllowances } from "./rate-headers.ts";
import { JSON_TYPE, requireFitting } from "./refusals.ts";
import type { RequestTurns } from "./request-turns.ts";
import type { Unsent } from "./unsent-answers.ts";
import { sendStream, type OpenAnswers } from "./chunked-answers.ts";

export interface RouteParts extends GuestParts {
  readonly rates: RateLimiter;
  readonly report: RequestReport;
  readonly streams: EventStreams;
  /** Answers that are sent in chunks. */
  readonly underWay: OpenAnswers;
  readonly versions: Pick<Versions, "of">;
  readonly fastPath: Pick<FastPath, "learn">;
  readonly unsent: Pick<Unsent, "turn">;
  readonly observe: (operation: string, status: number, ms: number) => void;
  readonly pages: SendPage;
  readonly documents: SendDocument;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set when the call was admitted to its operation. */
    admitted: AdmittedCall | undefined;
  }
}

export function addRoute(app: FastifyInstance, operation: Operation, parts: RouteParts): void {
  const { rates, observe, report, baseUrl, versions, fastPath, streams, underWay, pages, documents, turns, unsent } = parts;
  const offersMarkdown = "format" in operation.input.shape;
  const handle = async (request: FastifyRequest, reply: FastifyReply, call: AdmittedCall): Promise<FastifyReply | void> => {
    if (operation.page !== undefined) void reply.header("vary", "Accept, Accept-Encoding");
    else if (offersMarkdown) void reply.header("vary", "Accept");
    const page = operation.page !== undefined && wantsPage(request);
    if (bringsMany(operation, request)) return sendReply(reply, await answerMany(operation, request, call, parts));
    if (operation.body?.schema !== undefined && request.body === undefined) throw emptyBody(request);
    // A body that was sent in chunks has no content length, so its bytes are counted here.
    if (request.body !== undefined) call.countBytes((request.body as Buffer).byteLength);
    const text = operation.method === "POST" ? (operation.secret === true ? takeText : readText)(request.body) : "";
    const written = request.query as Record<string, unknown>;
    const query = page || operation.form === true ? formQuery(written) : joinedLists(operation, written);
    const markdown = offersMarkdown && query["format"] === undefined && !page && wantsMarkdown(request.headers.accept);
    if (markdown) query["format"] = "md";
    const asked = { params: paramsOf(request, operation), query, text };
    const context = contextOf(request, reply, query as Record<string, string>, call.caller);
    if (page) return await pages(request, reply, operation, { ...context, ...call.read(asked) });
    let tag: string | undefined;
    const { input, answer } = await runCall(operation, call, asked, {
      ...context,
      largeTurn: () => unsent.turn(call.caller, reply.raw),
      async isUnchanged(input) {
        tag = await versions.of(markdown ? `${request.url} md` : request.url, isMoving(operation, input));
        return matchesEtag(request.headers, tag);
      },
    });
    if (tag !== undefined && answer.status === 304) return reply.header("etag", tag).code(304).send();
    if (operation.steady === true) return await documents(request, reply, answer);
    // Set only now: a refusal has no validator, or a second request would be answered with 304.
    if (tag !== undefined) void reply.header("etag", tag);
    if (tag !== undefined && matchesAnyEtag(request.headers)) return await reply.code(304).send();
    const leave = (): void => call.leave();
    if (answer.feed !== undefined && request.method !== "HEAD") return streams.start(reply, answer.feed, leave);
    fastPath.learn(request.url, operation, input);
    if (answer.feed !== undefined) {
      leave();
      return await reply.type(EVENT_STREAM_TYPE).headers(EVENT_STREAM_HEADERS).send(Readable.from([]));
    }
    if (typeof answer.next === "string") linkNext(reply, request, baseUrl, answer.next);
    return await (answer.stream === undefined
      ? sendCoded(request, reply, answer)
      : sendStream(request, reply, answer, answer.stream, { report, underWay, leave }));
  };
  app.route({
    method: operation.method,
    config: { form: operation.form === true, lines: operation.many !== undefined, plain: operation.plain === true },
    url: filledPath(operation.path, (name, atEnd) => (atEnd && operation.rest === true ? "*" : `:${name}`)),
    onRequest: check((request, reply) => {
      if (operation.form === true) requireOwnPage(request, baseUrl, "The form was sent by a page of another site.");
      const call = (request.admitted = admitCall(operation, guestOf(request, reply, parts), rates));
      const length = request.headers["content-length"];
      requireFitting(length);
      // Each line is charged on its own.
      if (length !== undefined && !bringsMany(operation, request)) call.countBytes(Number(length));
    }),
    ...(operation.method === "POST" && turns !== undefined ? { preParsing: longInTurns(turns) } : {}),
    ...withEveryAnswer(operation),
    onResponse: (request, reply, done) => {
      // Nothing was sent because the caller had gone.
      request.admitted?.end(reply.statusCode);
      observe(operation.name, reply.statusCode, reply.elapsedTime);
      done();
    },
    handler: (request, reply) => {
      const call = request.admitted!;
      return call.work(() => handle(request, reply, call));
    },
  });
}

/** Renames the parameter for the rest of the path, which the framework calls `*`. */
function paramsOf({ params }: FastifyRequest, { path, rest }: Operation): Record<string, unknown> {
  const given = params as Record<string, unknown>;
  if (rest !== true) return given;
  const { "*": all, ...others } = given;
  return { ...others, [parametersIn(path).at(-1)!]: all };
}

/**
 * Headers of every answer, refusals included. They say how much is left of the limits. Answers with a secret must not be cached, and other
 * sites cannot read them.
 */
function withEveryAnswer({ rate, secret }: Operation): { onSend?: onSendAsyncHookHandler } {
  if (!isForWrites(rate) && secret !== true) return {};
  return {
    async onSend(request, reply) {
      request.admitted?.end(reply.statusCode);
      sendAllowances(reply, request.admitted?.allowances ?? []);
      if (secret === true) keepPrivate(reply);
    },
  };
}

/** Called before a body is read: long bodies of one caller wait for each other. */
export function longInTurns(turns: RequestTurns | undefined): preParsingAsyncHookHandler {
  return async (request, reply) => {
    await turns?.enterLong(callerOf(request.ip), request.raw, reply.raw);
  };
}

/**
 * A check of each request as a synchronous hook. Every request passes several checks, and a promise for each would cost more than the check
 * itself. If the check has sent an answer, nothing follows.
 */
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

export function keepPrivate(reply: FastifyReply): void {
  for (const name of CORS_HEADER_NAMES) void reply.removeHeader(name);
  void reply.header("cache-control", "no-store");
}

/** The next page of a POST is another POST, so its address alone would not work. */
function linkNext(reply: FastifyReply, { method, url }: FastifyRequest, baseUrl: string, cursor: string): void {
  const link = method === "POST" ? undefined : nextLink(baseUrl, url, cursor);
  if (link !== undefined) void reply.header("link", link);
}

function emptyBody(request: FastifyRequest): Refusal {
  if (request.headers["content-encoding"] !== undefined) return noEncoding(request);
  if (takes(request, "plain"))
    return new Refusal("invalid_field", "The body is empty.", { hint: "Send the text as the body, as text/plain." });
  const json = /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
  return json ? new Refusal("invalid_json", "The body is empty.") : wrongType(request);
}

/** Whether the operation of a request takes bodies of this kind. */
export const takes = ({ routeOptions }: FastifyRequest, kind: "form" | "lines" | "plain"): boolean =>
  (routeOptions.config as Partial<Record<typeof kind, boolean>> | undefined)?.[kind] === true;

const hintFor = (request: FastifyRequest): { hint?: string } =>
  takes(request, "plain") ? { hint: "Send `Content-Type: text/plain` and no Content-Encoding." } : {};

export const noEncoding = (request: FastifyRequest): Refusal =>
  new Refusal("unsupported_media_type", "Content-Encoding is not accepted.", hintFor(request));

export function wrongType(request: FastifyRequest): Refusal {
  const type = request.headers["content-type"];
  const media = /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(type ?? "")?.[0];
  const said = type === undefined ? "The body has no Content-Type" : `The body is ${media ?? "of an unknown type"}`;
  const wanted = takes(request, "plain") ? "text/plain" : "application/json";
  return new Refusal("unsupported_media_type", `${said}; it must be ${wanted}.`, hintFor(request));
}

/** Longer texts are encoded here, because the server would allocate three bytes for each character. */
const LARGE_CHARS = 8192;
const bytesOf = (text: string): Buffer => Buffer.from(text, encodingOf(text, Buffer.byteLength(text)));

/** Compressed if that is worth it and the caller accepts it. */
async function sendCoded(request: FastifyRequest, reply: FastifyReply, answer: Reply): Promise<FastifyReply> {
  const { status = 200 } = answer;
  const body = bodyOf(answer);
  const isText = typeof body === "string" || Buffer.isBuffer(body);
  if (request.method !== "GET" || status !== 200 || !isText || !isCoded(body.length)) return sendReply(reply, answer, body);
  const vary = reply.getHeader("vary");
  if (typeof vary !== "string" || !vary.includes(CODED_BY))
    void reply.header("vary", vary === undefined ? CODED_BY : `${String(vary)}, ${CODED_BY}`);
  if (!takesGzip(request.headers)) return sendReply(reply, answer, body);
  const bytes = await gzipped(typeof body === "string" ? bytesOf(body) : body);
  return sendReply(reply.header("content-encoding", "gzip"), answer, bytes);
}
const CODED_BY = "Accept-Encoding";

/** If the JSON exists already, `body` would be parsed from it. */
const bodyOf = (answer: Reply): unknown => answer.json ?? (answer.type === undefined ? JSON.stringify(answer.body) : answer.body);

function sendReply(reply: FastifyReply, answer: Reply, body = bodyOf(answer)): FastifyReply {
  const { status = 200, type, headers } = answer;
  void reply.code(status).header("content-type", type ?? JSON_TYPE);
  if (headers !== undefined) void reply.headers(headers);
  if (type === HTML_TYPE) void reply.headers(PAGE_HEADERS).header("cache-control", "no-store");
  return reply.send(typeof body === "string" && body.length > LARGE_CHARS ? bytesOf(body) : body);
}

/** The parts of a call that are not its input. */
function contextOf(request: FastifyRequest, { raw }: FastifyReply, query: Readonly<Record<string, string>>, caller: string): CallContext {
  const lastEventId = request.headers["last-event-id"];
  return {
    query,
    caller,
    lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
    closed() {
      const controller = new AbortController();
      // Listens to this answer and not to the connection, which may go on with other requests and other listeners.
      raw.once("close", () => controller.abort());
      return controller.signal;
    },
  };
}
