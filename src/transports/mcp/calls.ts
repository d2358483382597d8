// Operations by name, for a caller who came through MCP: the same checks, the same limits and the same work as over HTTP.
import type { RateLimiter } from "../../board/rate.ts";
import { shareOf } from "../../board/share.ts";
import { Refusal } from "../../core/errors.ts";
import type { Operation } from "../../operations/operation.ts";
import { atTheCostOf } from "../../ports/share.ts";
import { readInput } from "../http/input.ts";
import type { Arguments, Ask } from "./desk.ts";
import { asTexts } from "./parameters.ts";

/** Who came, and how. */
export interface Visit {
  /** As the rate limits count callers. */
  readonly caller: string;
  /** Whether the request may carry a secret. */
  readonly secure: boolean;
  /** The secret key of the request's header. */
  readonly key: string | undefined;
  /** Whether the door has taken a read from the caller's bucket that no operation has used yet. */
  paid: boolean;
  /** It only waits from now on. */
  readonly waits?: () => void;
  /** It was worked on for so long. */
  readonly used?: (ms: number) => void;
}

export function operationCalls(operations: readonly Operation[], rates: RateLimiter): (visit: Visit, gone: AbortSignal) => Ask {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  return (visit, gone) => async (name, parameters, body) => {
    const operation = byName.get(name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    if (operation.secret === true && !visit.secure) throw new Refusal("https_required");
    operation.requireOpen?.();
    pay(operation, visit, rates);
    const input = inputOf(operation, parameters);
    const extra = operation.extraRate?.(input);
    if (extra !== undefined) rates.take(extra, visit.caller);
    const text = body === undefined ? "" : JSON.stringify(body);
    const giveBack = operation.keeps === true ? rates.takeBytes("bytes", visit.caller, Buffer.byteLength(text)) : undefined;
    const leave = operation.holds?.(input) === true ? rates.enter(visit.caller) : undefined;
    if (leave !== undefined) visit.waits?.();
    try {
      const reply = await atTheCostOf(shareOf(rates, operation.rate, visit.caller, visit.used), () =>
        operation.run({ input, body: text, query: {}, lastEventId: undefined, caller: visit.caller, closed: () => gone }),
      );
      if (reply.status !== 201) giveBack?.();
      return reply.body;
    } catch (error) {
      giveBack?.();
      if (operation.refunds === true) rates.giveBack(operation.rate, visit.caller);
      throw error;
    } finally {
      leave?.();
    }
  };
}

function pay(operation: Operation, visit: Visit, rates: RateLimiter): void {
  if (operation.rate === "reads" && visit.paid) visit.paid = false;
  else rates.take(operation.rate, visit.caller);
}

function inputOf(operation: Operation, parameters: Arguments): Record<string, unknown> {
  const texts = asTexts(parameters);
  const inPath = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const [params, query] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => inPath.has(name) === wanted)),
  );
  for (const name of inPath)
    if (name !== undefined && params?.[name] === undefined)
      throw new Refusal("invalid_parameter", `\`${name}\` is missing.`, { hint: `Give \`${name}\`.`, details: { parameter: name } });
  return readInput(operation, params ?? {}, query ?? {});
}
