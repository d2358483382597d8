// How long this thread was ready to run while others ran.
import { existsSync, readFileSync } from "node:fs";

const SCHEDULED = "/proc/thread-self/schedstat";

/** Milliseconds; 0 if the system does not tell. */
export function waitedMs(): number {
  return existsSync(SCHEDULED) ? Number(readFileSync(SCHEDULED, "utf8").split(" ")[1]) / 1e6 : 0;
}
