// JSON-RPC around the board: one message from the text of a body, and a refusal in the protocol's own form.
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/server";
import { type ErrorBody, Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { parseJson } from "../../core/protocol/payload.ts";
import { scanText } from "../../core/protocol/text-scan.ts";
import { errorWithoutKeys } from "./not-repeated.ts";

/** A tool's arguments stand three levels deep, and hold a message whose `data` may be as deep as a payload allows. */
const DEPTH = LIMITS.data_depth + 6;

/** One message: what parsing hides is refused as in every other body, and nothing is nested deeper than anything here can be. */
export function readMessage(text: string): unknown {
  // The engine would quote what stands around the fault, and that may be a key.
  const message = parseJson(text, "The body", { quoted: false });
  scanText(text, DEPTH);
  if (Array.isArray(message))
    throw new Refusal("invalid_field", "Batches are not taken.", { hint: "Send one JSON-RPC message a request." });
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) return message;
  throw new Refusal("invalid_field", "The body is not a JSON-RPC 2.0 message.", {
    hint: 'Send one like {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}: `id` is a text or an integer, `params` an object or left out.',
  });
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL = -32_603;
const OTHER = -32_000;

/** The board's error object inside the protocol's, for a request that named nobody to answer to. */
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
