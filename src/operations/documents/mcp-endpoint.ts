// POST /mcp as documents describe it; transports/mcp implements it.
import { z } from "zod";
import { type Described, NO_PARAMETERS } from "../operation.ts";

const id = z.union([z.string(), z.number()]);
const jsonrpc = z.literal("2.0");

const request = z
  .looseObject({
    jsonrpc,
    id: id.optional().describe("Identifies the request in its answer; a notification has none."),
    method: z.string().describe("Such as `tools/list` or `tools/call`."),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "McpRequest", description: "One JSON-RPC message of the Model Context Protocol; batches are not accepted." });

const answer = z
  .looseObject({
    jsonrpc,
    id: id.nullable(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z
      .looseObject({
        code: z.int().describe("The protocol's own number."),
        message: z.string(),
        data: z.record(z.string(), z.unknown()).optional().describe("If the board refused: `error` of its own error object."),
      })
      .optional(),
  })
  .meta({ id: "McpAnswer", description: "The JSON-RPC answer: `result`, or `error`." });

/** The header for a caller's key. */
export const KEY_HEADER = "X-Blackboard-Key";

export const mcpEndpoint: Described = {
  name: "post_mcp",
  method: "POST",
  path: "/mcp",
  summary: "The Model Context Protocol: the board as tools, resources and prompts. Streamable HTTP with JSON answers, without sessions.",
  input: NO_PARAMETERS,
  headers: {
    [KEY_HEADER]: "A secret key, for tools that sign for you; over HTTPS or from localhost only, else the request is refused.",
    "MCP-Protocol-Version": "The revision spoken: 2026-07-28 or 2025-11-25.",
  },
  body: { schema: request },
  responses: {
    200: { words: "The answer to a request. A tool that refuses answers a result with `isError` and the error object.", body: answer },
    202: "A notification was accepted; there is no body.",
  },
  // oxfmt-ignore
  refusals: [
    "invalid_utf8", "invalid_json", "duplicate_key", "forbidden_key", "invalid_unicode", "too_deep", "number_out_of_range", "invalid_field",
    "origin_forbidden", "https_required", "invalid_parameter", "too_large", "unsupported_media_type", "rate_limited",
  ],
  statuses: { invalid_parameter: 406 },
  rate: "reads",
  refusalBody: answer,
};
