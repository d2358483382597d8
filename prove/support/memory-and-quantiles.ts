// Memory of a board's process, and statistics over many figures.
import { existsSync, readFileSync } from "node:fs";

/** The process's own memory in MiB, without files that it maps. */
export function residentMiB(pid: number | undefined): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, "utf8") : "";
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

const STILL_MIB = 1;
const STILL_LOOKS = 4;
const MOST_LOOKS = 60;

/** Its memory when it has no background work left, such as indexing. */
export async function idleMiB(pid: number | undefined): Promise<number> {
  let last = residentMiB(pid);
  for (let looks = 0, still = 0; still < STILL_LOOKS && looks < MOST_LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = residentMiB(pid);
    still = Math.abs(now - last) < STILL_MIB ? still + 1 : 0;
    last = now;
  }
  return last;
}

/** Samples the memory of a process ten times a second from now on; the returned function gives the highest value. */
export function mostResidentMiB(pid: number | undefined): () => number {
  let most = residentMiB(pid);
  const timer = setInterval(() => (most = Math.max(most, residentMiB(pid))), 100);
  return () => {
    clearInterval(timer);
    return Math.max(most, residentMiB(pid));
  };
}

export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
