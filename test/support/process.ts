// A board as an operator runs it: a separate process, observed through its output and its exit.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programPath } from "./built.ts";
import { killAtExit, undoAtExit } from "./leftovers.ts";
import { databaseFor, onPostgres } from "./postgres/database.ts";
import type { ProcessClock } from "./process-clock.ts";

/** Types are stripped once and not by each process, which would take three quarters of the time of a command. */
export const COMPILED = process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "blackboard-compiled");

export interface ProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory, where it looks for `.env`; an empty directory unless given. */
  readonly cwd?: string;
  /** The program; that of this checkout unless given. */
  readonly bin?: string;
  /** A command that runs the program, such as a tracer. */
  readonly under?: readonly string[];
  /** Its standard input; empty unless given. */
  readonly input?: string;
  /** The clock that it uses; the machine's unless given. */
  readonly clock?: ProcessClock | undefined;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class BoardProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    killAtExit(child);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = once(child, "close").then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Starts the program with these arguments and nothing else in its environment. */
  static spawn({
    args = ["serve"],
    env = {},
    cwd = emptyDirectory(),
    bin = programPath(),
    under = [],
    input,
    clock,
  }: ProcessOptions): BoardProcess {
    const [command = process.execPath, ...rest] = [...under, process.execPath, ...(clock?.flags ?? []), bin, ...args];
    const child = spawn(command, rest, {
      cwd,
      env: { NODE_COMPILE_CACHE: COMPILED, ...clock?.env, ...env, ...(under.length > 0 ? { PATH: process.env["PATH"] } : {}) },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", ...(clock === undefined ? [] : ["ipc" as const])],
    });
    clock?.lead(child);
    child.stdin?.end(input);
    return new BoardProcess(child);
  }

  /** A board on a free port that is ready for requests. */
  static async serve(
    data: string,
    flags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    under: readonly string[] = [],
    clock?: ProcessClock,
  ): Promise<BoardProcess> {
    const database = onPostgres() ? ["--database-url", await databaseFor(data)] : [];
    const smtp = flags.includes("--smtp-port") ? [] : ["--smtp-port", "0"];
    const board = BoardProcess.spawn({
      args: ["serve", "--port", "0", ...smtp, "--data", data, ...database, ...flags],
      env,
      under,
      clock,
    });
    await board.ready();
    return board;
  }

  /** Resolves with the first line of standard output; throws if the process ends before. */
  async ready(): Promise<string> {
    while (!this.stdout.includes("\n")) {
      const next = await Promise.race([once(this.#child.stdout!, "data").then(() => undefined), this.ended]);
      if (next !== undefined) throw new Error(`The board ended with ${next.code ?? next.signal}: ${next.stderr}`);
    }
    return this.stdout.slice(0, this.stdout.indexOf("\n"));
  }

  /** The address in the ready line. */
  get url(): string {
    const [url] = /https?:\/\/\S+/.exec(this.stdout) ?? [];
    if (url === undefined) throw new Error(`There is no address in ${JSON.stringify(this.stdout)}.`);
    return url;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal);
    return this.ended;
  }

  /** The process never outlives its test. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill("SIGKILL");
  }
}

/** Deleting is retried, because a process that was just killed may still write there. */
const RETRIES = 5;

/** A new empty directory, deleted when this process ends. */
export function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "board-"));
  undoAtExit(() => rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES }));
  return directory;
}
