// A real PostgreSQL for one run, with its own files and a socket instead of a port. Nothing of it stays.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "../../../src/adapters/postgres/client.ts";
import { eventually } from "../eventually.ts";
import { undoAtExit } from "../leftovers.ts";
import { type Programs, programs, runAs, type User } from "./programs.ts";

const LOOKS = 3000;
const PAUSE_MS = 20;

export interface PostgresServer {
  /** The directory of its socket. */
  readonly home: string;
  /** The address of one of its databases. */
  databaseUrl(name: string): string;
  /** The directory of its files. */
  readonly dir: string;
  /** The process id of its main process, while it runs. */
  readonly pid: number;
  start(): Promise<void>;
  /** Stops it as an operator would: open transactions are rolled back. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

interface ServerOptions {
  /** Syncs to disk, as in production. Otherwise nothing survives a crash of the machine, and tests are faster. */
  readonly durable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly parent?: string;
  /** Existing files. */
  readonly dir?: string;
}

export const databaseUrl = (home: string, name: string): string => `postgres://board@localhost/${name}?host=${encodeURIComponent(home)}`;

export async function postgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const server = await LocalServer.prepare(options);
  await server.initialise();
  await server.start();
  return server;
}

/** A server on the files of another server that has ended, or on a copy; the files stay when it is stopped. */
export async function serverOn(dir: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const server = await LocalServer.prepare({ durable: true, settings, dir });
  await server.start();
  return server;
}

/** A streaming replica, made from a copy of the primary's files. The primary is stopped for the copy. */
export async function standbyOf(primary: PostgresServer): Promise<PostgresServer> {
  const settings = { primary_conninfo: `host='${primary.home}' user=board` };
  const server = await LocalServer.prepare({ settings });
  await primary.stop();
  // `cp -a` keeps the owner and the mode, which the server requires.
  execFileSync("cp", ["-a", primary.dir, server.dir]);
  await primary.start();
  writeFileSync(join(server.dir, "standby.signal"), "");
  await server.start();
  return server;
}

class LocalServer implements PostgresServer {
  readonly dir: string;
  readonly home: string;
  readonly #programs: Programs;
  readonly #user: User;
  readonly #flags: readonly string[];
  readonly #forget: () => void;
  #process: ChildProcess | undefined;

  private constructor(home: string, dir: string, used: Programs, user: User, settings: Readonly<Record<string, string>>) {
    this.home = home;
    this.dir = dir;
    this.#programs = used;
    this.#user = user;
    this.#flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#forget = undoAtExit(() => {
      this.#process?.kill("SIGINT");
      waitUntilGone(join(dir, "postmaster.pid"));
      rmSync(home, { recursive: true, force: true });
    });
  }

  static async prepare({ durable = false, settings = {}, parent = tmpdir(), dir }: ServerOptions): Promise<LocalServer> {
    const user = runAs();
    const home = mkdtempSync(join(parent, "pg-"));
    // Access to the directory is access to the server, so only its user and root have it.
    if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
    const all = {
      listen_addresses: "",
      unix_socket_directories: home,
      max_connections: "500",
      // Tests are short, and a database cannot be copied while autovacuum works in it.
      ...(durable ? {} : { autovacuum: "off" }),
      ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
      ...settings,
    };
    return new LocalServer(home, dir ?? join(home, "data"), await programs(), user, all);
  }

  databaseUrl(name: string): string {
    return databaseUrl(this.home, name);
  }

  get pid(): number {
    return Number.parseInt(readFileSync(join(this.dir, "postmaster.pid"), "utf8"), 10);
  }

  async initialise(): Promise<void> {
    const flags = ["--auth=trust", "--username=board", "--no-sync", "--encoding=UTF8", "--locale=C"];
    const child = this.#spawn(this.#programs.initdb, [`--pgdata=${this.dir}`, ...flags]);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${said}`);
  }

  async start(): Promise<void> {
    const child = this.#spawn(this.#programs.postgres, ["-D", this.dir, ...this.#flags]);
    this.#process = child;
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4000)));
    const client = new Client({ url: this.databaseUrl("postgres"), connections: 1, name: "test" });
    try {
      await eventually("a PostgreSQL that answers", () => {
        const end = child.exitCode ?? child.signalCode;
        if (end !== null) throw new Error(`PostgreSQL ended with ${end}: ${said}`);
        return client.query("SELECT 1").catch(() => undefined);
      });
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.home, { recursive: true, force: true });
    this.#forget();
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    return spawn(program, args, { ...this.#user, cwd: this.home, stdio: ["ignore", "pipe", "pipe"] });
  }
}

/** For the end of this process, when nothing can be awaited. */
function waitUntilGone(path: string): void {
  const still = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; existsSync(path) && i < LOOKS; i++) Atomics.wait(still, 0, 0, PAUSE_MS);
}
