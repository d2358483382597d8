// One request to /mcp, with headers and bodies that no client would send.
import { request } from "node:http";
import type { ErrorBody } from "../../src/core/errors.ts";
import { STRUCTURED } from "../../src/transports/mcp/server.ts";

export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: ErrorBody["error"] };
}
export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly rpc: RpcAnswer;
}

/** One request with headers that `fetch` would not send. */
export function send(url: string, body: string | Uint8Array, headers: Record<string, string> = {}, method = "POST"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    const asked = request(`${url}/mcp`, { method, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const json = response.headers["content-type"]?.startsWith("application/json") === true && text !== "";
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, rpc: (json ? JSON.parse(text) : {}) as RpcAnswer });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
export const rpc = (method: string, params?: object, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
export const call = (name: string, given: unknown) =>
  rpc("tools/call", { name, arguments: given as object, _meta: { [STRUCTURED]: true } });
export const LIST = rpc("tools/list");
