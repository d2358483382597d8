// POST /mcp: who may call, and how the answer is sent. The protocol itself is in transports/mcp.
import { Readable } from "node:stream";
import { toWebRequest } from "@modelcontextprotocol/node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RateLimiter } from "../../board/limits/rate.ts";
import { type ErrorBody, Refusal } from "../../core/errors.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { admitCall, type Guest } from "../../operations/call-steps.ts";
import { KEY_HEADER, mcpEndpoint } from "../../operations/documents/mcp-endpoint.ts";
import { costOfNow, slice } from "../../ports/cpu-slices.ts";
import { accessTo } from "./mcp-access.ts";
import { takeText } from "./body-text.ts";
import { type GuestParts, guestOf } from "./guest.ts";
import { type RefusalParts, refusalFor, requireFitting, sendRefusal } from "./refusals.ts";
import { check, keepPrivate, longInTurns } from "./route.ts";

export const MCP_PATH = mcpEndpoint.path;
/** The price of a message itself. The operations that it calls are charged on their own. */
const { rate, input, refusals } = mcpEndpoint;
const ADDRESS = { rate, input, refusals };

/** The MCP protocol, which knows nothing of HTTP but the headers of a request. */
export interface McpParts {
  /** Handles the one message in a body. */
  read(text: string): unknown;
  answer(
    request: Request,
    message: unknown,
    visit: Guest & { readonly secure: boolean; readonly key: string | undefined },
  ): Promise<Response>;
  /** Ends answers that stay open. */
  readonly close: () => void;
  /** The board's error object in the form of the protocol. */
  readonly refusal: (body: ErrorBody) => object;
}

export interface McpRouteParts extends RefusalParts, GuestParts {
  readonly protocol: McpParts;
  readonly rates: RateLimiter;
  readonly report: RequestReport;
  readonly observe: (operation: string, status: number, ms: number) => void;
}

/** How many bytes of an answer the packages of the protocol and of its requests check, write and copy in a millisecond, approximately. */
const WRITTEN_PER_MS = 32 * 1024;
const BOTH_TYPES = "application/json, text/event-stream";
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": `content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, ${KEY_HEADER.toLowerCase()}`,
  "access-control-max-age": "86400",
  allow: "POST, OPTIONS",
} as const;

export function addMcpRoute(app: FastifyInstance, parts: McpRouteParts): void {
  const { protocol, rates, report, baseUrl, secure, observe, turns } = parts;
  const access = accessTo(baseUrl);
  /** Only pages that may call can read the answer. */
  const onSend = async (request: FastifyRequest, reply: FastifyReply) => {
    keepPrivate(reply);
    const { origin } = request.headers;
    if (origin !== undefined && access.origin(origin)) void reply.headers({ "access-control-allow-origin": origin, vary: "origin" });
  };
  const requireAccess = (request: FastifyRequest): void => {
    if (!access.host(request.host)) throw new Refusal("origin_forbidden", "The Host header names another machine.", { hint: HOST_HINT });
    if (!access.origin(request.headers.origin)) throw new Refusal("origin_forbidden");
  };

  // Subscriptions are ended first, because the server waits for them.
  app.addHook("preClose", async () => protocol.close());
  app.options(MCP_PATH, { onRequest: check(requireAccess), onSend }, async (_request, reply) => reply.code(204).headers(PREFLIGHT).send());
  app.route({
    method: "POST",
    url: MCP_PATH,
    onRequest: check((request, reply) => {
      requireAccess(request);
      request.admitted = admitCall(ADDRESS, guestOf(request, reply, parts), rates);
      // Checked for every request, so that a caller that sends its key unencrypted learns it at the first request and not at the first post.
      if (keyOf(request) !== undefined && !secure(request.raw)) throw new Refusal("https_required", KEY_IN_THE_OPEN, { hint: KEY_HINT });
      const length = request.headers["content-length"];
      requireFitting(length);
      if (length !== undefined) request.admitted.countBytes(Number(length));
      requireJsonWanted(request.headers.accept);
    }),
    preParsing: longInTurns(turns),
    onSend,
    onResponse: (_request, reply, done) => {
      observe("mcp", reply.statusCode, reply.elapsedTime);
      done();
    },
    errorHandler: (error, _request, reply) => void sendRefusal(reply, refusalFor(error, report), parts, undefined, protocol.refusal),
    handler: async (request, reply) => {
      if (Buffer.isBuffer(request.body)) request.admitted!.countBytes(request.body.byteLength);
      const message = await request.admitted!.work(async () => slice(() => protocol.read(takeText(request.body))));
      // The call may wait for long, and its bytes are no longer needed.
      request.body = undefined;
      const closed = new AbortController();
      reply.raw.once("close", () => closed.abort());
      // The message is passed on beside it, so that it is not written as text again and kept as long as the call waits.
      const web = await toWebRequest(request.raw as Parameters<typeof toWebRequest>[0], {}, { signal: closed.signal });
      // Both protocol versions require that a caller accepts both types; this answer only needs JSON.
      web.headers.set("accept", BOTH_TYPES);
      const isSafe = secure(request.raw);
      const requireSafe = (): void => {
        if (!isSafe) throw new Refusal("https_required");
      };
      // The call has had its turn, and its tokens are taken as for a read.
      const visit = {
        ...guestOf(request, reply, parts),
        turn: () => undefined,
        paid: true,
        requireSafe,
        secure: isSafe,
        key: keyOf(request),
      };
      // The caller is also charged for the time in which tools turn answers into text.
      return request.admitted!.atItsCost(async () => send(reply, await protocol.answer(web, message, visit)));
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

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  void reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== "connection") void reply.header(name, value);
  if (response.body === null) return reply.send();
  // The answer is sent whole, so it counts among those that its caller has not read yet.
  if (response.headers.get("content-type") !== "text/event-stream") {
    const bytes = Buffer.from(await response.arrayBuffer());
    costOfNow()(bytes.length / WRITTEN_PER_MS);
    return reply.send(bytes);
  }
  // A stream closes its connection at its end: otherwise a stopping board would wait for an idle connection.
  return reply.header("connection", "close").send(Readable.fromWeb(response.body));
}
