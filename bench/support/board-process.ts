// The real board in a separate process, watched from outside: its batches through /metrics, the CPU time of its threads through /proc.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { killAtExit } from "../../test/support/leftovers.ts";
import { threadMs } from "./cpu-time.ts";
import { BENCH_BITS } from "./posts.ts";

export interface Commits {
  readonly transactions: number;
  readonly acts: number;
}

/** Flags for the board's process, such as BENCH_NODE_FLAGS=--cpu-prof. */
const NODE_FLAGS = (process.env["BENCH_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
/** The bench measures the speed of the board, not its limits. */
const UNLIMITED: readonly string[] = ["--rate-limits", "off", "--pow-bits", String(BENCH_BITS), "--pow-max-bits", String(BENCH_BITS)];
const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

export class BoardProcess {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** `bin` and `nodeFlags` allow another build or a profiler; `limits` and `more` are flags of `serve`. */
  static async start(
    data: string,
    { bin = BIN, nodeFlags = NODE_FLAGS, limits = UNLIMITED, more = [] as readonly string[] } = {},
  ): Promise<BoardProcess> {
    const usual = ["--port", "0", "--data", data, "--smtp-port", "0", "--profile", "public", "--cors", "any", "--log-level", "warn"];
    const flags = [...usual, ...limits, ...more];
    const child = spawn(process.execPath, [...nodeFlags, bin, "serve", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    killAtExit(child);
    for await (const chunk of child.stdout) {
      const address = /ready at http:\/\/\S+:(\d+)/.exec(String(chunk));
      if (address !== null) return new BoardProcess(child, Number(address[1]));
    }
    throw new Error("The board did not start.");
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async commits(): Promise<Commits> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    const figure = (name: string): number => Number(new RegExp(`^blackboard_batch_acts_${name} (\\d+)$`, "m").exec(text)?.[1]);
    return { transactions: figure("count"), acts: figure("sum") };
  }

  /** Milliseconds of CPU per thread name since the start; empty if there is no /proc. */
  threadMs(): ReadonlyMap<string, number> {
    return threadMs(this.pid);
  }

  /** The process's own memory, and pages of files that it maps; 0 if there is no /proc. */
  residentBytes(): { readonly own: number; readonly files: number } {
    const path = `/proc/${this.pid}/status`;
    const status = existsSync(path) ? readFileSync(path, "utf8") : "";
    const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
    return { own: bytes("RssAnon"), files: bytes("RssFile") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await exited;
  }
}
