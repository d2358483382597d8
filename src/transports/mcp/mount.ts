// POST /mcp: who may call, what a body must be, and how the answer is sent; the rest is the protocol's.
import { Readable } from "node:stream";
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/server";
import { toWebRequest } from "@modelcontextprotocol/node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../board/callers.ts";
import type { RateLimiter } from "../../board/rate.ts";
import { type ErrorBody, Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { requireFewValues, scanText } from "../../core/protocol/text-scan.ts";
import type { RequestReport } from "../../ports/report.ts";
import { takeText } from "../http/body.ts";
import { type RefusalParts, sendRefusal, toRefusal } from "../http/refusals.ts";
import { check, keepPrivate, longInTurns } from "../http/route.ts";
import type { Arrival } from "../http/secure.ts";
import type { RequestTurns } from "../http/turns.ts";
import { accessTo } from "./access.ts";
import type { Visit } from "./calls.ts";
import { KEY_HEADER } from "./key-header.ts";
import { bothRevisions, type ProtocolServer } from "./legs.ts";
import { shareOf } from "../../board/share.ts";
import { atTheCostOf, slice } from "../../ports/share.ts";
import { errorWithoutKeys } from "./not-repeated.ts";

export const MCP_PATH = "/mcp";

export interface MountParts extends RefusalParts {
  readonly serverFor: (visit: Visit) => ProtocolServer;
  readonly rates: RateLimiter;
  readonly report: RequestReport;
  readonly secure: (request: Arrival) => boolean;
  readonly turns: RequestTurns | undefined;
  readonly observe: (operation: string, status: number, ms: number) => void;
}

/** A tool's arguments stand three levels deep, and hold a message whose `data` may be as deep as a payload allows. */
const DEPTH = LIMITS.data_depth + 6;
const BOTH_TYPES = "application/json, text/event-stream";
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": `content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, ${KEY_HEADER.toLowerCase()}`,
  "access-control-max-age": "86400",
  allow: "POST, OPTIONS",
} as const;

export function mountMcp(app: FastifyInstance, parts: MountParts): void {
  const { serverFor, rates, report, baseUrl, secure, observe, turns } = parts;
  const access = accessTo(baseUrl);
  // Told of every fault, also of those that callers make; only where the answer is one of ours is it worth a line.
  let latest: Error | undefined;
  const serve = bothRevisions(serverFor, (error) => void (latest = error));
  /** Only pages that may call learn what was answered. */
  const onSend = async (request: FastifyRequest, reply: FastifyReply) => {
    keepPrivate(reply);
    const { origin } = request.headers;
    if (origin !== undefined && access.origin(origin)) void reply.headers({ "access-control-allow-origin": origin, vary: "origin" });
  };
  const requireAccess = (request: FastifyRequest): void => {
    if (!access.host(request.host)) throw new Refusal("origin_forbidden", "The Host header names another machine.", { hint: HOST_HINT });
    if (!access.origin(request.headers.origin)) throw new Refusal("origin_forbidden");
  };

  app.options(MCP_PATH, { onRequest: check(requireAccess), onSend }, async (_request, reply) => reply.code(204).headers(PREFLIGHT).send());
  app.route({
    method: "POST",
    url: MCP_PATH,
    onRequest: check((request) => {
      requireAccess(request);
      rates.take("reads", callerOf(request.ip));
      // Whatever is asked: who sends a key where others may hear it is told at the first request, not at the first post.
      if (keyOf(request) !== undefined && !secure(request.raw)) throw new Refusal("https_required", KEY_IN_THE_OPEN, { hint: KEY_HINT });
      if (Number(request.headers["content-length"] ?? 0) > LIMITS.request_bytes)
        throw new Refusal("too_large", `The request is larger than ${LIMITS.request_bytes} bytes.`);
      requireJsonWanted(request.headers.accept);
    }),
    preParsing: longInTurns(turns),
    onSend,
    onResponse: (_request, reply, done) => {
      observe("mcp", reply.statusCode, reply.elapsedTime);
      done();
    },
    errorHandler: (error, _request, reply) => void sendRefusal(reply, toRefusal(error, report), parts, undefined, rpcError),
    handler: async (request, reply) => {
      const caller = callerOf(request.ip);
      await turns?.enter(caller, request.raw, reply.raw);
      const message = atTheCostOf(
        shareOf(rates, "reads", caller, (ms) => turns?.used(caller, ms)),
        () => slice(() => readMessage(takeText(request.body))),
      );
      const closed = new AbortController();
      reply.raw.once("close", () => closed.abort());
      const web = await toWebRequest(request.raw as Parameters<typeof toWebRequest>[0], message, { signal: closed.signal });
      // Both legs check that a caller takes either type; what matters is that this one takes JSON.
      web.headers.set("accept", BOTH_TYPES);
      const waits = (): void => turns?.release(request.raw);
      const used = (ms: number): void => turns?.used(caller, ms);
      const visit = { caller, secure: secure(request.raw), key: keyOf(request), paid: true, waits, used };
      const response = await serve(web, message, visit);
      if (response.status >= 500) report.failed("mcp", latest);
      return send(reply, response);
    },
  });
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers[KEY_HEADER.toLowerCase()];
  return typeof key === "string" && key !== "" ? key : undefined;
}

const KEY_IN_THE_OPEN = `A key came in the header ${KEY_HEADER} over a connection that others may hear.`;
const KEY_HINT = `Use HTTPS, or leave ${KEY_HEADER} out and sign with your own key: prepare_message, then submit_message. A key that was sent in the open may be known to others: make a new one.`;
const HOST_HINT = "Call the board by the name it is published under, or by its address; a proxy must pass the Host header on.";

function requireJsonWanted(accept: string | undefined): void {
  const types = (accept ?? "*/*").split(",").map((type) => (type.split(";")[0] ?? "").trim().toLowerCase());
  if (types.some((type) => ["application/json", "application/*", "*/*"].includes(type))) return;
  throw new Refusal("invalid_parameter", "The Accept header leaves out application/json.", {
    status: 406,
    hint: `Send Accept: ${BOTH_TYPES}`,
  });
}

/** One message: what parsing hides is refused as in every other body, and nothing is nested deeper than anything here can be. */
function readMessage(text: string): unknown {
  const message = parsed(text);
  scanText(text, DEPTH);
  if (Array.isArray(message))
    throw new Refusal("invalid_field", "Batches are not taken.", { hint: "Send one JSON-RPC message a request." });
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) return message;
  throw new Refusal("invalid_field", "The body is not a JSON-RPC 2.0 message.", {
    hint: 'Send one like {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}: `id` is a text or an integer, `params` an object or left out.',
  });
}

/** The engine would quote what stands around the fault, and that may be a key. */
function parsed(text: string): unknown {
  requireFewValues(text, "The body");
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid_json", "The body is not JSON.");
  }
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  void reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== "connection") void reply.header(name, value);
  return reply.send(response.body === null ? undefined : Readable.fromWeb(response.body));
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL = -32_603;
const OTHER = -32_000;

/** The board's error object inside the protocol's, for a request that named nobody to answer to. */
function rpcError(body: ErrorBody): object {
  const { error } = errorWithoutKeys(body);
  return { jsonrpc: "2.0", id: null, error: { code: rpcCode(error.code), message: `${error.message} ${error.hint}`, data: error } };
}

function rpcCode(code: ErrorBody["error"]["code"]): number {
  if (code === "invalid_json" || code === "invalid_utf8") return PARSE_ERROR;
  if (code === "internal") return INTERNAL;
  return ["too_deep", "duplicate_key", "forbidden_key", "invalid_unicode", "number_out_of_range", "invalid_field"].includes(code)
    ? INVALID_REQUEST
    : OTHER;
}
