// Turns anything that was thrown into the refusal that a caller gets, on every transport.
import { Refusal } from "../core/errors.ts";
import type { RequestReport } from "../ports/telemetry.ts";
import { SearchUnavailable } from "../ports/search.ts";
import { StoreFailure } from "../ports/store.ts";

/** Also counts the refusal. `known` maps errors that only a transport throws. */
export function toRefusal(
  error: unknown,
  report: RequestReport,
  known: (error: unknown) => Refusal | undefined = () => undefined,
): Refusal {
  const refusal = refusalOf(error) ?? known(error) ?? failed(error, report);
  report.refused(refusal.code);
  return refusal;
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreFailure) return new Refusal(error.code);
  return error instanceof SearchUnavailable ? new Refusal("storage_unavailable", error.message) : undefined;
}

/** An internal error: logged, and never shown to the caller. */
function failed(error: unknown, report: RequestReport): Refusal {
  report.failed("request", error);
  return new Refusal("internal");
}
