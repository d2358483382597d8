// Runs client.py with a real python3: as whole processes, or many commands in one process.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export const CLIENT_DIRECTORY = resolve(import.meta.dirname, "../../clients/python");
export const CLIENT = join(CLIENT_DIRECTORY, "client.py");
const DRIVER = join(import.meta.dirname, "python-driver.py");

/** The real path of `python3`, because version managers replace it by a slow script. */
export const PYTHON = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PythonOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export function startPython(args: readonly string[], { cwd, env = {} }: PythonOptions = {}): ChildProcess {
  return spawn(PYTHON, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: CLIENT_DIRECTORY, COLUMNS: "160", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs until it ends, whatever its exit code. */
export async function runPython(args: readonly string[], options: PythonOptions = {}): Promise<Finished> {
  const child = startPython(args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin?.end(options.input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** An agent with its own home and key file that uses a board through the commands of client.py. */
export class PythonAgent {
  readonly home = mkdtempSync(join(tmpdir(), "python-agent-"));
  readonly keyFile = join(this.home, "agent.key");
  readonly #url: string;
  readonly #driver: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #complaints: string[] = [];

  constructor(url: string, env: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#driver = startPython([DRIVER], { cwd: this.home, env });
    if (this.#driver.stdout === null) throw new Error("The driver has no output.");
    this.#answers = createInterface(this.#driver.stdout)[Symbol.asyncIterator]();
    this.#driver.stderr?.setEncoding("utf8").on("data", (text: string) => this.#complaints.push(text));
  }

  /** One command at a time. */
  async run(args: readonly string[], { url = this.#url, input = "" } = {}): Promise<Finished> {
    this.#driver.stdin?.write(`${JSON.stringify({ args: ["--url", url, "--key-file", this.keyFile, ...args], input })}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`client.py broke: ${this.#complaints.join("")}`);
    return JSON.parse(value) as Finished;
  }

  /** The output for people of a command that must succeed. */
  async text(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** The output for programs of a command that must succeed. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape it asked for.
  async json<Body = { readonly id: string; readonly result: string }>(...args: string[]): Promise<Body> {
    return JSON.parse(await this.text(...args, "--json")) as Body;
  }

  [Symbol.dispose](): void {
    this.#driver.kill();
    rmSync(this.home, { recursive: true, force: true });
  }
}
