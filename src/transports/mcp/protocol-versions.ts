// One server factory behind both revisions: 2026-07-28, where each request stands alone, and 2025-11-25 without sessions; both answer JSON.
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { RequestReport } from "../../ports/telemetry.ts";
import { readMessage, rpcError } from "./messages.ts";

/** Whatever the package serves. */
export type ProtocolServer = Awaited<ReturnType<McpServerFactory>>;

/** `message` is the request's body, parsed; `request` has its headers, and a signal that is aborted when the caller goes away. */
type Serve<Visit> = (request: Request, message: unknown, visit: Visit) => Promise<Response>;

/** The protocol as the address needs it that it is spoken at. */
export function protocolOver<Visit extends object>(
  serverFor: (visit: Visit) => ProtocolServer,
  report: Pick<RequestReport, "failed">,
): { readonly read: typeof readMessage; readonly answer: Serve<Visit>; readonly refusal: typeof rpcError } {
  // Told of every fault, also of those that callers make; only where the answer is one of ours is it worth a line.
  let latest: Error | undefined;
  const both = bothRevisions(serverFor, (error) => void (latest = error));
  return {
    read: readMessage,
    refusal: rpcError,
    async answer(request, message, visit) {
      const response = await both(request, message, visit);
      if (response.status >= 500) report.failed("mcp", latest);
      return response;
    },
  };
}

/** The caller went away; nobody reads this. */
const GONE = 499;

function bothRevisions<Visit extends object>(serverFor: (visit: Visit) => ProtocolServer, onError: (error: Error) => void): Serve<Visit> {
  const visits = new WeakMap<Request, Visit>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const visit = requestInfo === undefined ? undefined : visits.get(requestInfo);
      if (visit === undefined) throw new Error("A request came past the door.");
      return serverFor(visit);
    },
    { legacy: "reject", onerror: onError },
  );

  /** The package's own leg for 2025 answers with an event stream. */
  async function legacy(request: Request, message: unknown, visit: Visit): Promise<Response> {
    const server = serverFor(visit);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const { promise: gone, resolve } = Promise.withResolvers<Response>();
    const leave = () => resolve(new Response(null, { status: GONE }));
    request.signal.addEventListener("abort", leave, { once: true });
    try {
      // A transport that is closed never answers, so whoever waits for it has to watch for that.
      return await Promise.race([transport.handleRequest(request, { parsedBody: message }), gone]);
    } finally {
      request.signal.removeEventListener("abort", leave);
      await server.close();
    }
  }

  return async (request, message, visit) => {
    if (await isLegacyRequest(request, message)) return legacy(request, message, visit);
    visits.set(request, visit);
    return modern.fetch(request, { parsedBody: message });
  };
}
