// Operations by name, for a caller who came through MCP: the same door, and so the same checks, limits and work as over HTTP.
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { admitCall, type Asked, type Guest } from "../../operations/call.ts";
import type { Operation, Reply } from "../../operations/operation.ts";
import type { Arguments, Ask } from "./tool-context.ts";
import { asTexts } from "./parameters.ts";

/** The caller, with whether it may send secrets, and its key. */
export interface Visit extends Guest {
  /** Whether the request may carry a secret. */
  readonly secure: boolean;
  /** The secret key of the request's header. */
  readonly key: string | undefined;
}

export function operationCalls(operations: readonly Operation[], rates: RateLimiter): (visit: Visit, gone: AbortSignal) => Ask {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  return (visit, gone) => async (name, parameters, body) => {
    const operation = byName.get(name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const call = admitCall(operation, visit, rates);
    const text = body === undefined ? "" : JSON.stringify(body);
    let status = 500;
    try {
      const reply = await call.work(async () => {
        const read = call.read({ ...placed(operation, parameters), text });
        const leave = call.hold(read.input);
        try {
          return await smallEnough(read.input, (input) =>
            operation.run({ ...read, input, query: {}, lastEventId: undefined, caller: visit.caller, closed: () => gone }),
          );
        } finally {
          leave?.();
        }
      });
      call.settle(reply);
      ({ status = 200 } = reply);
      return reply.body;
    } finally {
      call.end(status);
    }
  };
}

/** Fewer messages where they would be more than a page may hold here: what comes of it is read, written and sent in one go. */
async function smallEnough(
  input: Readonly<Record<string, unknown>>,
  run: (input: Record<string, unknown>) => Promise<Reply>,
): Promise<Reply> {
  let limit = Number(input["limit"] ?? 1);
  let reply = await run(input);
  for (let bytes = bytesOf(reply); bytes > LIMITS.mcp_page_bytes && limit > 1; bytes = bytesOf(reply)) {
    limit = Math.max(1, Math.floor((limit * LIMITS.mcp_page_bytes) / bytes));
    reply = await run({ ...input, limit });
  }
  return reply;
}

const bytesOf = ({ json = "" }: Reply): number => (typeof json === "string" ? Buffer.byteLength(json) : json.length);

/** Which parameters stand in the path, and which in the query. */
function placed(operation: Operation, parameters: Arguments): Pick<Asked, "params" | "query"> {
  const texts = asTexts(parameters);
  const inPath = new Set(Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name));
  for (const name of inPath)
    if (texts[name] === undefined)
      throw new Refusal("invalid_parameter", `\`${name}\` is missing.`, { hint: `Give \`${name}\`.`, details: { parameter: name } });
  const part = (wanted: boolean) => Object.fromEntries(Object.entries(texts).filter(([name]) => inPath.has(name) === wanted));
  return { params: part(true), query: part(false) };
}
