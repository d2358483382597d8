// A team of worker processes on one board: starts them, kills and replaces one every few seconds, and ends them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { killAtExit } from "../../test/support/leftovers.ts";
import { CLIENT_DIRECTORY, PYTHON } from "../../test/support/python.ts";

export const CLIENTS = ["typescript", "python", "mcp"] as const;
export type Client = (typeof CLIENTS)[number];

const COMMANDS: Readonly<Record<Client, readonly string[]>> = {
  typescript: [process.execPath, fileURLToPath(new URL("./team-worker.ts", import.meta.url))],
  python: [PYTHON, "-B", fileURLToPath(new URL("./team-worker.py", import.meta.url))],
  mcp: [process.execPath, fileURLToPath(new URL("./team-worker-mcp.ts", import.meta.url))],
};

/** What a worker reports: tools that a model would have called, and characters that it would have read. */
interface Word {
  readonly calls: number;
  readonly chars: number;
}

export class Team {
  readonly #client: Client;
  readonly #url: string;
  readonly #directory: string;
  readonly #workers: ChildProcess[];
  /**
   * Workers that have started. Only these are killed: on a busy machine, starting two programs takes so long that workers would never get
   * to work.
   */
  readonly #begun = new WeakSet<ChildProcess>();
  #next = 0;
  killed = 0;
  /** Counted for workers that have only MCP. */
  calls = 0;
  chars = 0;

  /** `directory` is for files of the workers. */
  constructor(client: Client, workers: number, url: string, directory: string) {
    this.#client = client;
    this.#url = url;
    this.#directory = directory;
    this.#workers = [];
    for (let slot = 0; slot < workers; slot++) this.#workers.push(this.#start(slot, workers));
  }

  get pids(): readonly (number | undefined)[] {
    return this.#workers.map(({ pid }) => pid);
  }

  /** Kills the next worker that has started, in the middle of whatever it does, and starts another in its place. */
  async killOne(): Promise<void> {
    const slot = this.#next++ % this.#workers.length;
    if (!this.#begun.has(this.#workers[slot]!)) return;
    await end(this.#workers[slot]!);
    this.killed++;
    this.#workers[slot] = this.#start(slot, this.#workers.length);
  }

  #start(slot: number, slots: number): ChildProcess {
    const [command = "", ...args] = COMMANDS[this.#client];
    const child = spawn(command, [...args, this.#url, String(slot), String(slots), this.#directory], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PYTHONPATH: CLIENT_DIRECTORY },
    });
    killAtExit(child);
    createInterface(child.stdout).on("line", (line) => {
      this.#begun.add(child);
      const { calls, chars } = JSON.parse(line) as Word;
      this.calls += calls;
      this.chars += chars;
    });
    if (this.#client !== "mcp") this.#begun.add(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) await end(worker);
  }
}

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, "exit");
  worker.kill("SIGKILL");
  await exited;
}
