// The board's own MCP server: its tools call the operations of this process, and it signs for callers that send a key.
import type { RateLimiter } from "../../board/limits/rate.ts";
import { errorBody } from "../../core/errors.ts";
import { fence, TOKEN_BYTES } from "../../core/view/fence.ts";
import { openApi } from "../../operations/documents/openapi.ts";
import type { Operation } from "../../operations/operation.ts";
import { toRefusal } from "../../operations/error-to-refusal.ts";
import { atNobodysCost, nextSlice } from "../../ports/cpu-slices.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { operationCalls, type Visit } from "./calls.ts";
import type { Ask, Body, ToolKey } from "./tool-context.ts";
import { INTRODUCTION } from "./introduction.ts";
import { protocolError } from "./explaining-server.ts";
import { requireKeyForm } from "./key-header-check.ts";
import { errorWithoutKeys } from "./redact-keys.ts";
import { protocolOver, type ProtocolServer } from "./multi-version-handler.ts";
import { type ServerFor, surfaceServer, toolSet } from "./server.ts";
import { type OpenApiDocument, schemasOf } from "./openapi-schemas.ts";
import { followed } from "./subscriptions.ts";
import { tools } from "./tools/list.ts";
import { requireToolKey } from "./tools/writing.ts";

export interface BoardMcpParts {
  readonly operations: readonly Operation[];
  readonly rates: RateLimiter;
  readonly report: RequestReport;
  readonly entropy: Entropy;
  readonly baseUrl: string;
  readonly version: string;
  /** The agent id of a secret key, or undefined if the text is not a key. */
  readonly agentOf: (secret: string) => string | undefined;
}

export function boardMcp(parts: BoardMcpParts): ReturnType<typeof protocolOver<Visit>> {
  const { operations, rates, report, entropy, baseUrl, version, agentOf } = parts;
  const calls = operationCalls(operations, rates);
  const surface = async (): Promise<ServerFor> => {
    // Not in the same turns as the first request, whose own work before and after this takes long enough for one turn each.
    await nextSlice();
    const document = (await openApi(operations, baseUrl, version)) as OpenApiDocument;
    await nextSlice();
    const offered = Promise.resolve(toolSet(tools({ shapes: schemasOf(document), takesKeys: true, introduction: INTRODUCTION })));
    const made = surfaceServer({
      name: "agent-blackboard",
      version,
      websiteUrl: baseUrl,
      instructions: INTRODUCTION,
      tools: () => offered,
      refusalOf: (error) => errorBody(toRefusal(error, report), baseUrl),
    });
    await nextSlice();
    return made;
  };
  /** Made at the first request, and at nobody's cost. */
  let serve: Promise<ServerFor> | undefined;
  const serverFor = async (visit: Visit, subscribable: boolean): Promise<ProtocolServer> =>
    (await (serve ??= atNobodysCost(surface)))((gone) => {
      const ask = calls(visit, gone);
      return {
        ask,
        toolKey: assistedKey(ask, visit, agentOf),
        requireUsableKey: () => void (visit.secure && keyIn(visit)),
        self: visit.secure && visit.key !== undefined ? agentOf(visit.key) : undefined,
        marks: fence(entropy.hex(TOKEN_BYTES)),
      };
    }, subscribable);
  const refused = (error: unknown) => protocolError(errorWithoutKeys(errorBody(toRefusal(error, report), baseUrl)));
  // A subscription lasts longer than the turn of its request: each further read costs a read, and each wait counts among the caller's open
  // calls.
  return protocolOver(
    serverFor,
    report,
    followed((visit, gone) => calls(visit, gone), refused),
  );
}

/** The key of the header. On an insecure connection the refusal does not explain the header, because no key should be sent there. */
function keyIn(visit: Visit): string | undefined {
  if (visit.key === undefined || visit.key === "") return undefined;
  visit.requireSafe();
  return requireKeyForm(visit.key);
}

/** The board signs: the key goes to the assisted operations and nowhere else. */
function assistedKey(ask: Ask, visit: Visit, agentOf: BoardMcpParts["agentOf"]): ToolKey {
  /** Nobody is asked for a key over a connection that may not carry one. */
  const keyFrom = (secret: unknown): string => {
    visit.requireSafe();
    return requireToolKey(secret ?? keyIn(visit));
  };
  return {
    create: async () => (await ask("assist_keygen", {})) as Body,
    require: (secret) => agentOf(keyFrom(secret)),
    async post(message, { secret, blobs, dryRun }) {
      const given = { secret_key: keyFrom(secret), message, ...(blobs === undefined ? {} : { blobs }) };
      return (await ask(dryRun ? "assist_check" : "assist_post", {}, given)) as Body;
    },
    alias: async (op, alias, secret) => (await ask("assist_alias", {}, { secret_key: keyFrom(secret), alias, op })) as Body,
    acknowledge: async (what, secret) => (await ask("assist_ack", {}, { secret_key: keyFrom(secret), ...what })) as Body,
  };
}
