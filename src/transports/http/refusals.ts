// The one place that turns refusals, and everything else that is thrown, into HTTP answers.
import type { FastifyReply } from "fastify";
import { type ErrorBody, type ErrorCode, errorBody, Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import type { PaceDetails } from "../../board/limits/rate-refusal.ts";
import { toRefusal } from "../../operations/error-to-refusal.ts";
import type { Door } from "./cors-and-local-access.ts";
import { HTML_TYPE, PAGE_HEADERS } from "./page-headers.ts";
import { refusedHeaders, tooManyStreamsHeaders } from "./rate-headers.ts";
import { answerBeforeBody, isTooMuch } from "./unread-body.ts";

const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  overloaded: 1,
  storage_full: 10,
  storage_unavailable: 2,
  log_rollback: 600,
  read_only: 60,
  shutting_down: 5,
  assist_busy: 5,
  too_many_streams: 5,
};

export const JSON_TYPE = "application/json; charset=utf-8";

const tooLarge = (): Refusal => new Refusal("too_large", `The request is larger than ${LIMITS.request_bytes} bytes.`);

/** Checked before the body is read, if its length is known. */
export function requireFitting(length: string | undefined): void {
  if (Number(length ?? 0) > LIMITS.request_bytes) throw tooLarge();
}

/** Errors of the server's own parser, in the board's words. */
function fromFramework(thrown: unknown): Refusal | undefined {
  const error = thrown as { code?: string; statusCode?: number };
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge();
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_EMPTY_TYPE":
      return new Refusal("unsupported_media_type");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new Refusal("invalid_json", "The body's length is not what Content-Length says.");
    case undefined:
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new Refusal("invalid_parameter", "The address or the request cannot be read.", {
            status: error.statusCode,
            hint: "Check the percent-encoding of the address, the headers and the length.",
          })
        : undefined;
  }
}

/** Turns anything that was thrown while a request was answered into a refusal, including errors of the server's own parser. */
export const refusalFor = (error: unknown, report: RequestReport): Refusal => toRefusal(error, report, fromFramework);

export interface RefusalParts {
  readonly baseUrl: string;
  readonly door: Pick<Door, "headers">;
}

/** The headers of a refusal beyond those of every answer. */
export function refusalHeaders({ code, details, status }: Refusal, baseUrl: string): Readonly<Record<string, string>> {
  const wait = RETRY_AFTER_S[code];
  return {
    ...(code === "rate_limited" ? refusedHeaders(details as unknown as PaceDetails) : {}),
    ...(wait === undefined ? {} : { "retry-after": String(wait) }),
    ...(code === "too_many_streams" && wait !== undefined ? tooManyStreamsHeaders(Number(details?.["at_once"]), wait) : {}),
    ...(status === 451 ? { link: `<${baseUrl}/api/transparency>; rel="blocked-by"` } : {}),
  };
}

/** A caller that leaves its answers unread might leave its connection open too, so it is closed. */
export const endsConnection = ({ code, status }: Refusal): boolean => code === "overloaded" && status === 429;

/** Headers that were set for an answer and do not hold for the refusal that replaces it. */
const OF_THE_ANSWER = ["etag", "link", "content-encoding"];

/** `page` is the refusal as a page, if the caller asked for HTML. `wrap` puts the error object into another form, if the address has one. */
export function sendRefusal(
  reply: FastifyReply,
  refusal: Refusal,
  { baseUrl, door }: RefusalParts,
  page?: string,
  wrap: (body: ErrorBody) => object = (body) => body,
): FastifyReply {
  for (const name of OF_THE_ANSWER) void reply.removeHeader(name);
  void reply.headers(refusalHeaders(refusal, baseUrl)).header("content-type", page === undefined ? JSON_TYPE : HTML_TYPE);
  const text = page ?? JSON.stringify(wrap(errorBody(refusal, baseUrl)));
  const unread = isTooMuch(reply.request.raw);
  if (unread || endsConnection(refusal)) void reply.header("connection", "close");
  if (unread) void reply.header("content-length", Buffer.byteLength(text));
  return reply
    .code(refusal.status)
    .headers(page === undefined ? door.headers : { ...door.headers, ...PAGE_HEADERS })
    .header("cache-control", "no-store")
    .send(unread ? answerBeforeBody(text, reply.request.raw) : text);
}
