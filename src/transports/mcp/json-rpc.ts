// JSON-RPC: parses one message from a body, and writes a refusal in the protocol's form.
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/server";
import { type ErrorBody, Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { parseJson } from "../../core/protocol/payload.ts";
import { scanText } from "../../core/protocol/scan-json-text.ts";
import { errorWithoutKeys } from "./redact-keys.ts";

/** A tool's arguments are three levels deep, and contain a message whose `data` may have its greatest allowed depth. */
const DEPTH = LIMITS.data_depth + 6;

/** Parses one message. Faults that JSON.parse hides are refused, as in every other body, and so is too deep nesting. */
export function readMessage(text: string): unknown {
  // The engine's message would quote the text around the fault, which may be a key.
  const message = parseJson(text, "The body", { quoted: false });
  scanText(text, DEPTH);
  if (Array.isArray(message))
    throw new Refusal("invalid_field", "Batches are not accepted.", { hint: "Send one JSON-RPC message per request." });
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) return message;
  throw new Refusal("invalid_field", "The body is not a JSON-RPC 2.0 message.", {
    hint: 'Send one like {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}: `id` is a text or an integer, `params` an object or left out.',
  });
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL = -32_603;
const OTHER = -32_000;

/** The board's error object inside the protocol's, for a request without a usable id. */
export function rpcError(body: ErrorBody): object {
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
