// One server factory behind both revisions: 2026-07-28, where each request stands alone, and 2025-11-25 without sessions; both answer JSON.
import {
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  type JSONRPCRequest,
  type McpServerFactory,
  ProtocolError,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { RequestReport } from "../../ports/telemetry.ts";
import { readMessage, rpcError } from "./messages.ts";
import { type Follow, subscribedIn } from "./subscriptions.ts";

/** Whatever the package serves. */
export type ProtocolServer = Awaited<ReturnType<McpServerFactory>>;

/** `message` is the request's body, parsed; `request` has its headers, and a signal that is aborted when the caller goes away. */
type Serve<Visit> = (request: Request, message: unknown, visit: Visit) => Promise<Response>;

/** `subscribable`: in the revision where changes are told on a stream of their own. */
type ServerOf<Visit> = (visit: Visit, subscribable: boolean) => ProtocolServer;

interface Protocol<Visit> {
  readonly read: typeof readMessage;
  readonly answer: Serve<Visit>;
  readonly refusal: typeof rpcError;
  /** Ends what is open for long. */
  readonly close: () => void;
}

/** The protocol as the address needs it that it is spoken at. */
export function protocolOver<Visit extends object>(
  serverFor: ServerOf<Visit>,
  report: Pick<RequestReport, "failed">,
  follow?: Follow<Visit>,
): Protocol<Visit> {
  const closing = new AbortController();
  // Told of every fault, also of those that callers make; only where the answer is one of ours is it worth a line.
  let latest: Error | undefined;
  const both = bothRevisions(serverFor, (error) => void (latest = error), follow && { follow, closing: closing.signal });
  return {
    read: readMessage,
    refusal: rpcError,
    close: () => closing.abort(),
    async answer(request, message, visit) {
      const response = await both(request, message, visit);
      if (response.status >= 500) report.failed("mcp", latest);
      return response;
    },
  };
}

/** The caller went away; nobody reads this. */
const GONE = 499;

interface Following<Visit> {
  readonly follow: Follow<Visit>;
  readonly closing: AbortSignal;
}

function bothRevisions<Visit extends object>(
  serverFor: ServerOf<Visit>,
  onError: (error: Error) => void,
  following: Following<Visit> | undefined,
): Serve<Visit> {
  const visits = new WeakMap<Request, Visit>();
  const handler = () =>
    createMcpHandler(
      ({ requestInfo }) => {
        const visit = requestInfo === undefined ? undefined : visits.get(requestInfo);
        if (visit === undefined) throw new Error("No caller is recorded for this request.");
        return serverFor(visit, following !== undefined);
      },
      { legacy: "reject", onerror: onError },
    );
  const modern = handler();

  /** A stream has a handler to itself, and so a bus: what is told on it is told to nobody else. */
  async function listen(request: Request, message: JSONRPCRequest, { follow, closing }: Following<Visit>): Promise<Response> {
    const gone = AbortSignal.any([request.signal, closing]);
    try {
      const told = await follow(subscribedIn(message), visits.get(request)!, gone);
      const own = handler();
      const response = await own.fetch(request, { parsedBody: message });
      void told((uri) => own.notify.resourceUpdated(uri)).finally(() => void own.close());
      return response;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, message: words, data } = error;
      return Response.json({ jsonrpc: "2.0", id: message.id, error: { code, message: words, data } });
    }
  }

  /** The package's own leg for 2025 answers with an event stream. */
  async function legacy(request: Request, message: unknown, visit: Visit): Promise<Response> {
    const server = serverFor(visit, false);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const { promise: gone, resolve } = Promise.withResolvers<Response>();
    const leave = () => resolve(new Response(null, { status: GONE }));
    request.signal.addEventListener("abort", leave, { once: true });
    try {
      // A closed transport never answers, so the caller that waits for it has to watch for its end.
      return await Promise.race([transport.handleRequest(request, { parsedBody: message }), gone]);
    } finally {
      request.signal.removeEventListener("abort", leave);
      await server.close();
    }
  }

  return async (request, message, visit) => {
    if (await isLegacyRequest(request, message)) return legacy(request, message, visit);
    visits.set(request, visit);
    if (following !== undefined && isJSONRPCRequest(message) && subscribedIn(message).length > 0)
      return listen(request, message, following);
    return modern.fetch(request, { parsedBody: message });
  };
}
