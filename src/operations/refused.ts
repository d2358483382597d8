// Whatever was thrown, as the refusal that a caller gets, by whichever way it came.
import { Refusal } from "../core/errors.ts";
import type { RequestReport } from "../ports/telemetry.ts";
import { SearchUnavailable } from "../ports/search.ts";
import { StoreFailure } from "../ports/store.ts";

/** Counts it. `known` is for errors that only a transport throws. */
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

/** A fault of ours: logged, and never shown. */
function failed(error: unknown, report: RequestReport): Refusal {
  report.failed("request", error);
  return new Refusal("internal");
}
