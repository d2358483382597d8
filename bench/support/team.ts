// A team of worker processes on one board: begun, one killed every few seconds and replaced, and ended.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { undoAtExit } from "../../test/support/leftovers.ts";
import { CLIENT_DIRECTORY, PYTHON } from "../../test/support/python.ts";

export const CLIENTS = ["typescript", "python"] as const;
export type Client = (typeof CLIENTS)[number];

const COMMANDS: Readonly<Record<Client, readonly string[]>> = {
  typescript: [process.execPath, fileURLToPath(new URL("./team-worker.ts", import.meta.url))],
  python: [PYTHON, "-B", fileURLToPath(new URL("./team-worker.py", import.meta.url))],
};

interface Word {
  readonly lost: number;
  /** For the second time in a row, or more. */
  readonly again: boolean;
}

export class Team {
  readonly #client: Client;
  readonly #url: string;
  readonly #workers: ChildProcess[];
  #next = 0;
  killed = 0;
  /** Claims that another worker was faster with, and those of them that came right after another. */
  lost = 0;
  lostAgain = 0;

  constructor(client: Client, workers: number, url: string) {
    this.#client = client;
    this.#url = url;
    this.#workers = [];
    for (let slot = 0; slot < workers; slot++) this.#workers.push(this.#start(slot, workers));
  }

  get pids(): readonly (number | undefined)[] {
    return this.#workers.map(({ pid }) => pid);
  }

  /** The next in turn ends in the middle of whatever it does; another takes its place. */
  async killOne(): Promise<void> {
    const slot = this.#next++ % this.#workers.length;
    await end(this.#workers[slot]!);
    this.killed++;
    this.#workers[slot] = this.#start(slot, this.#workers.length);
  }

  #start(slot: number, slots: number): ChildProcess {
    const [command = "", ...args] = COMMANDS[this.#client];
    const child = spawn(command, [...args, this.#url, String(slot), String(slots)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PYTHONPATH: CLIENT_DIRECTORY },
    });
    child.once(
      "exit",
      undoAtExit(() => child.kill("SIGKILL")),
    );
    createInterface(child.stdout).on("line", (line) => {
      const { lost, again } = JSON.parse(line) as Word;
      this.lost += lost;
      this.lostAgain += again ? 1 : 0;
    });
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
