// An operator's machine as a directory: absolute paths of the guides are under it, and programs that a test machine lacks have substitutes.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { undoAtExit } from "./leftovers.ts";
import { programPath } from "./built.ts";
import { COMPILED } from "./process.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Substitutes for programs; each file says what it does instead. */
const STAND_INS: Readonly<Record<string, string>> = {
  sudo: "sudo",
  runuser: "sudo",
  useradd: "nothing",
  chown: "nothing",
  sudoedit: "nothing",
  install: "install",
  npm: "npm",
  scp: "scp",
  systemctl: "systemctl",
};
const DIRECTORIES = [
  "etc/systemd/system",
  "etc/cron.daily",
  "etc/letsencrypt/renewal-hooks/deploy",
  "run",
  "root",
  "home",
  "var/backups",
  "backups",
];
/** Absolute paths of the guides, at the beginning of a word. */
const PATHS = /(?<=^|[\s'"=(])\/(?=(?:etc|var|root|backups)\/)/gm;

/** Answers yes to every question; a command may read more answers than it needs. */
const ANSWERS = "answers";
const MANY = 1024 * 1024;

export interface MachineOptions {
  /** Its name in the guides, and the name of its directory. */
  readonly name: string;
  /** The directory of all machines of a test. */
  readonly parent: string;
  readonly port: number;
  /** Other replacements for values that a test cannot have. */
  readonly replaced?: readonly (readonly [string, string])[];
}

export class Machine implements AsyncDisposable {
  readonly root: string;
  readonly url: string;
  readonly #replaced: readonly (readonly [string, string])[];
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown>;
  readonly #forget: () => void;
  #said = "";
  #blocks = 0;

  constructor({ name, parent, port, replaced = [] }: MachineOptions) {
    this.root = join(parent, name);
    this.url = `http://127.0.0.1:${port}`;
    this.#replaced = [...replaced, ["https://board.example", this.url], ["http://127.0.0.1:8787", this.url]];
    for (const directory of DIRECTORIES) mkdirSync(join(this.root, directory), { recursive: true });
    writeFileSync(join(this.root, ANSWERS), "y\n".repeat(MANY));
    this.#installPackage();
    this.#shell = spawn("bash", [], {
      cwd: join(this.root, "home"),
      env: {
        PATH: [join(this.root, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
        HOME: join(this.root, "home"),
        MACHINE: this.root,
        NODE_COMPILE_CACHE: COMPILED,
        LANG: "C.UTF-8",
        PORT: String(port),
        // The board of the guides is a public one. The low proof of work is only for the test.
        BOARD_PROFILE: "public",
        BOARD_POW_BITS: "8",
      },
    });
    this.#closed = once(this.#shell, "close");
    this.#forget = undoAtExit(() => this.#kill());
    this.#shell.stdout.setEncoding("utf8").on("data", (text: string) => (this.#said += text));
    // Both outputs in one, in the order in which a reader would see them.
    this.#shell.stdin.write("exec 2>&1\n");
  }

  /** A text of the guides with the paths of this machine. */
  here(text: string): string {
    let given = text;
    for (const [from, to] of this.#replaced) given = given.replaceAll(from, to);
    return given.replaceAll(PATHS, `${this.root}/`);
  }

  /** Runs commands in the one shell of this machine, which keeps its variables and its directory; returns what they printed. */
  async run(commands: string): Promise<string> {
    const file = join(this.root, `block-${++this.#blocks}.sh`);
    const end = `=== the end of block ${this.#blocks} ===`;
    writeFileSync(file, this.here(commands));
    this.#said = "";
    this.#shell.stdin.write(`set -euo pipefail\n. ${file} < ${join(this.root, ANSWERS)}\nset +eu\necho '${end}'\n`);
    while (!this.#said.includes(end)) {
      await Promise.race([once(this.#shell.stdout, "data"), this.#closed]);
      if (this.#shell.exitCode !== null && !this.#said.includes(end))
        throw new Error(`This ended with ${this.#shell.exitCode}:\n${this.here(commands)}\n\n${this.#said}`);
    }
    return this.#said.slice(0, this.#said.indexOf(end));
  }

  #installPackage(): void {
    const bin = join(this.root, "bin");
    mkdirSync(bin);
    for (const [name, file] of Object.entries(STAND_INS)) symlinkSync(join(import.meta.dirname, "machine", `${file}.sh`), join(bin, name));
    writeFileSync(join(bin, "blackboard"), `#!/bin/sh\nexec "${process.execPath}" "${programPath()}" "$@"\n`);
    chmodSync(join(bin, "blackboard"), 0o755);
    const deploy = join(this.root, "packages/agent-blackboard/deploy");
    mkdirSync(deploy, { recursive: true });
    for (const name of readdirSync(join(ROOT, "deploy"))) {
      const from = join(ROOT, "deploy", name);
      writeFileSync(join(deploy, name), this.here(readFileSync(from, "utf8")), { mode: statSync(from).mode });
    }
  }

  #kill(): void {
    this.#shell.kill("SIGKILL");
    try {
      process.kill(Number(readFileSync(join(this.root, "run/blackboard.pid"), "utf8")), "SIGKILL");
    } catch {
      // No service is running there.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    await this.#closed;
    this.#forget();
  }
}
