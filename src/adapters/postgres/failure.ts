// Converts errors of the driver and the server into failures of the store.
import { StoreFailure } from "../../ports/store.ts";

/** The connection is lost, or could not be made. */
const LOST =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|08|57P|25P03|28|3D000)/;
/** The server cannot do it now: out of some resource, in recovery, or blocked. */
const PASSING = /^(53|55P03|40|57014|58|25006|XX001|XX002)/;
const DISK_FULL = "53100";
const CANCELED = "57014";

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** No connection was made in time. */
export const isTooSlow = (error: unknown): boolean => codeOf(error) === "CONNECT_TIMEOUT";
/** The server worked on the statement until its time was over. */
export const wasStopped = (error: unknown): boolean => codeOf(error) === CANCELED;
export const isLost = (error: unknown): boolean => LOST.test(codeOf(error));

/** Errors of our own statements lose what the driver adds to them: the values of a statement do not belong in a log. */
export function storeFailure(error: unknown): unknown {
  if (error instanceof StoreFailure) return error;
  const code = codeOf(error);
  const { message } = error as Error;
  if (code === DISK_FULL) return new StoreFailure("storage_full", message);
  if (LOST.test(code) || PASSING.test(code)) return new StoreFailure("storage_unavailable", message);
  return code === "" ? error : new Error(`PostgreSQL: ${message} (${code})`);
}
