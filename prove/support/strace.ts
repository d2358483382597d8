// Traces system calls: of a board from its start, or of processes that are already running.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { emptyDirectory } from "../../test/support/process.ts";
import { NotHere } from "../part.ts";
import { childrenOf } from "./pause-process.ts";

const STRACE = ["-f", "-ttt", "-T", "-y", "-e", "signal=none"];

export interface Tracing {
  /** The file with the trace, for readTrace. */
  readonly file: string;
  /** The command that runs a board under strace. The board stays the child that is waited for and killed. */
  readonly under: readonly string[];
}

export function tracing(calls: string, more: readonly string[] = []): Tracing {
  requireStrace();
  const file = join(emptyDirectory(), "trace");
  return { file, under: ["strace", "-D", ...STRACE, "-e", `trace=${calls}`, "-o", file, ...more] };
}

/** Attaches to a process and all its present and future children, until it is disposed of. */
export async function attached(pid: number, calls: string, more: readonly string[] = []): Promise<AsyncDisposable & { file: string }> {
  requireStrace();
  const file = join(emptyDirectory(), "trace");
  const pids = [pid, ...childrenOf(pid)].flatMap((one) => ["-p", String(one)]);
  const child = spawn("strace", [...STRACE, "-e", `trace=${calls}`, "-o", file, ...more, ...pids], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  // strace prints "attached" once for each process.
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  while (said.split("attached").length <= pids.length / 2) {
    const gone = await Promise.race([once(child.stderr, "data").then(() => false), ended.then(() => true)]);
    if (gone) throw new NotHere(`strace may not attach to PostgreSQL: ${said.trim()}`);
  }
  return {
    file,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function requireStrace(): void {
  if (spawnSync("strace", ["-V"]).status !== 0) throw new NotHere("strace is not installed");
}
