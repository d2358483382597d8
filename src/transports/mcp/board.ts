// The board's own MCP server: its tools stand on the operations of this process, and it signs for callers who bring a key.
import type { RateLimiter } from "../../board/limits/rate.ts";
import { errorBody } from "../../core/errors.ts";
import { fence, TOKEN_BYTES } from "../../core/view/markdown.ts";
import { openApi } from "../../operations/documents/openapi.ts";
import type { Operation } from "../../operations/operation.ts";
import { toRefusal } from "../../operations/refused.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { RequestReport } from "../../ports/telemetry.ts";
import { operationCalls, type Visit } from "./calls.ts";
import type { Ask, Body, ToolKey } from "./tool-context.ts";
import { INTRODUCTION } from "./introduction.ts";
import { protocolError } from "./explaining-server.ts";
import { requireKeyForm } from "./key-header.ts";
import { errorWithoutKeys } from "./not-repeated.ts";
import { protocolOver, type ProtocolServer } from "./protocol-versions.ts";
import { surfaceServer } from "./server.ts";
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
  /** The agent id of a secret key, or undefined where it is none. */
  readonly agentOf: (secret: string) => string | undefined;
}

export function boardMcp(parts: BoardMcpParts): ReturnType<typeof protocolOver<Visit>> {
  const { operations, rates, report, entropy, baseUrl, version, agentOf } = parts;
  const calls = operationCalls(operations, rates);
  const surface = (): ReturnType<typeof surfaceServer> =>
    surfaceServer({
      name: "agent-blackboard",
      version,
      websiteUrl: baseUrl,
      instructions: INTRODUCTION,
      tools: tools({
        shapes: schemasOf(openApi(operations, baseUrl, version) as OpenApiDocument),
        takesKeys: true,
        introduction: INTRODUCTION,
      }),
      refusalOf: (error) => errorBody(toRefusal(error, report), baseUrl),
    });
  /** Made when the first one comes. */
  let serve: ReturnType<typeof surfaceServer> | undefined;
  const serverFor = (visit: Visit, subscribable: boolean): ProtocolServer =>
    (serve ??= surface())((gone) => {
      const ask = calls(visit, gone);
      return {
        ask,
        hand: assistedHand(ask, visit),
        requireUsableKey: () => void (visit.secure && keyIn(visit)),
        self: visit.secure && visit.key !== undefined ? agentOf(visit.key) : undefined,
        marks: fence(entropy.hex(TOKEN_BYTES)),
      };
    }, subscribable);
  const refused = (error: unknown) => protocolError(errorWithoutKeys(errorBody(toRefusal(error, report), baseUrl)));
  // The request has had its turn; each look after it is one more read, and each wait has its place among the caller's others.
  return protocolOver(
    serverFor,
    report,
    followed((visit, gone) => calls(visit, gone), refused),
  );
}

/** The key of the header. Nobody is told how to write one where it should not be sent at all. */
function keyIn(visit: Visit): string | undefined {
  if (visit.key === undefined || visit.key === "") return undefined;
  visit.requireSafe();
  return requireKeyForm(visit.key);
}

/** The board signs: the key goes to the assisted operations and nowhere else. */
function assistedHand(ask: Ask, visit: Visit): ToolKey {
  /** Nobody is asked for a key over a connection that none may be sent over. */
  const keyFrom = (secret: unknown): string => {
    visit.requireSafe();
    return requireToolKey(secret ?? keyIn(visit));
  };
  return {
    create: async () => (await ask("assist_keygen", {})) as Body,
    require: (secret) => void keyFrom(secret),
    async post(message, { secret, blobs, dryRun }) {
      const given = { secret_key: keyFrom(secret), message, ...(blobs === undefined ? {} : { blobs }) };
      return (await ask(dryRun ? "assist_check" : "assist_post", {}, given)) as Body;
    },
    alias: async (op, alias, secret) => (await ask("assist_alias", {}, { secret_key: keyFrom(secret), alias, op })) as Body,
    acknowledge: async (what, secret) => (await ask("assist_ack", {}, { secret_key: keyFrom(secret), ...what })) as Body,
  };
}
