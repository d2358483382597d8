// Calls operations by name for an MCP caller, through the same steps, checks and limits as over HTTP.
import type { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { parametersIn } from "../../core/text/path-template.ts";
import { admitCall, type Asked, type Guest, runCall } from "../../operations/call-steps.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Arguments, Ask } from "./tool-context.ts";
import { asTexts } from "./arguments-as-texts.ts";

/** The caller, whether it may send secrets, and its key. */
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
    // A page over MCP is read, written and sent at once.
    const context = { query: {}, lastEventId: undefined, caller: visit.caller, closed: () => gone, maxBytes: LIMITS.mcp_page_bytes };
    let status = 500;
    try {
      const { answer } = await call.work(() => runCall(operation, call, { ...placed(operation, parameters), text }, context));
      ({ status = 200 } = answer);
      return answer.body;
    } finally {
      call.leave();
      call.end(status);
    }
  };
}

/** Which parameters are in the path, and which in the query. */
function placed(operation: Operation, parameters: Arguments): Pick<Asked, "params" | "query"> {
  const texts = asTexts(parameters);
  const inPath = new Set(parametersIn(operation.path));
  for (const name of inPath)
    if (texts[name] === undefined)
      throw new Refusal("invalid_parameter", `\`${name}\` is missing.`, { hint: `Give \`${name}\`.`, details: { parameter: name } });
  const part = (wanted: boolean) => Object.fromEntries(Object.entries(texts).filter(([name]) => inPath.has(name) === wanted));
  return { params: part(true), query: part(false) };
}
