// One server factory for both revisions of the protocol: 2026-07-28, in which requests are independent, and 2025-11-25 without sessions. Both answer with JSON.
import {
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  type JSONRPCRequest,
  type McpServerFactory,
  preloadSchemas,
  ProtocolError,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { RequestReport } from "../../ports/telemetry.ts";
import { readMessage, rpcError } from "./json-rpc.ts";
import { type Follow, subscribedIn } from "./subscriptions.ts";

/** A server of the package. */
export type ProtocolServer = Awaited<ReturnType<McpServerFactory>>;

/** `message` is the parsed body; `request` has the headers, and a signal that is aborted when the caller disconnects. */
type Serve<Visit> = (request: Request, message: unknown, visit: Visit) => Promise<Response>;

/** `subscribable`: true for the revision in which changes are sent on a separate stream. */
type ServerOf<Visit> = (visit: Visit, subscribable: boolean) => ProtocolServer | Promise<ProtocolServer>;

interface Protocol<Visit> {
  readonly read: typeof readMessage;
  readonly answer: Serve<Visit>;
  readonly refusal: typeof rpcError;
  /** Ends long-lived streams. */
  readonly close: () => void;
}

/** The protocol handler for one address. */
export function protocolOver<Visit extends object>(
  serverFor: ServerOf<Visit>,
  report: Pick<RequestReport, "failed">,
  follow?: Follow<Visit>,
): Protocol<Visit> {
  // Otherwise the package would make all its schemas at the first request, which would have to wait. Now nobody waits yet.
  preloadSchemas();
  const closing = new AbortController();
  // Called for every error, also for those of callers; only errors of the board are logged.
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

/** The answer to a caller that has disconnected. */
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

  /** Each stream has its own handler and bus, so that its events go to nobody else. */
  async function listen(request: Request, message: JSONRPCRequest, { follow, closing }: Following<Visit>): Promise<Response> {
    const gone = AbortSignal.any([request.signal, closing]);
    try {
      const onChange = await follow(subscribedIn(message), visits.get(request)!, gone);
      const own = handler();
      const response = await own.fetch(request, { parsedBody: message });
      void onChange((uri) => own.notify.resourceUpdated(uri)).finally(() => void own.close());
      return response;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, message: words, data } = error;
      return Response.json({ jsonrpc: "2.0", id: message.id, error: { code, message: words, data } });
    }
  }

  /** The package's own handler for the 2025 revision answers with an event stream, so this one is used. */
  async function legacy(request: Request, message: unknown, visit: Visit): Promise<Response> {
    const server = await serverFor(visit, false);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const { promise: gone, resolve } = Promise.withResolvers<Response>();
    const leave = () => resolve(new Response(null, { status: GONE }));
    request.signal.addEventListener("abort", leave, { once: true });
    try {
      // A closed transport never answers, so its end must be awaited too.
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
