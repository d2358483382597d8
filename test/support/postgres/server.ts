// A real PostgreSQL for one run: its own files, a free port of this machine, nothing kept.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "../../../src/adapters/postgres/client.ts";
import { eventually } from "../eventually.ts";
import { undoAtExit } from "../leftovers.ts";
import { embeddedPostgres } from "./reachable.ts";

const LOOKS = 150;
const PAUSE_MS = 20;

export interface PostgresServer {
  readonly url: string;
  /** Of its files. */
  readonly dir: string;
  /** Of the process that all its others are children of, while it runs. */
  readonly pid: number;
  start(): Promise<void>;
  /** As an operator does: open transactions are given up. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

interface ServerOptions {
  /** It syncs to disk, as in production; otherwise nothing survives a crash of the machine, and tests are faster. */
  readonly durable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly parent?: string;
  /** Files that are there already. */
  readonly dir?: string;
}

export async function postgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const { server, running } = await prepared(options);
  await server.initialise();
  await server.start();
  return running(() => server.start());
}

/** A server on the files of another one that has ended, or of a copy; they stay when it is stopped. */
export async function serverOn(dir: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const { server, running } = await prepared({ durable: true, settings, dir });
  await server.start();
  return running(() => server.start());
}

/** A streaming replica: begun from a copy of the primary's files, which is stopped for a moment. */
export async function standbyOf(primary: PostgresServer): Promise<PostgresServer> {
  const { hostname, port: primaryPort } = new URL(primary.url);
  const settings = { primary_conninfo: `host=${hostname} port=${primaryPort} user=board password=board` };
  const { server, running, dir, url } = await prepared({ settings });
  await primary.stop();
  // With its owner and mode, which the server insists on.
  execFileSync("cp", ["-a", primary.dir, dir]);
  await primary.start();
  writeFileSync(join(dir, "standby.signal"), "");
  const start = async (): Promise<void> => {
    // It waits for words that a replica does not say.
    server.start().catch(() => {});
    const client = new Client({ url: `${url}/postgres`, connections: 1, name: "test" });
    await eventually("the replica", () => client.query("SELECT pg_is_in_recovery()").catch(() => undefined));
    await client.end();
  };
  await start();
  return running(start);
}

async function prepared({ durable = false, settings = {}, parent = tmpdir(), dir: there }: ServerOptions) {
  const home = there === undefined ? mkdtempSync(join(parent, "board-postgres-")) : dirname(there);
  // Run by root, the server runs as another user, who makes its directory here.
  chmodSync(home, 0o777);
  const port = await freePort();
  const dir = there ?? join(home, "data");
  const url = `postgres://board:board@127.0.0.1:${port}`;
  const flags = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "500",
    ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    ...settings,
  };
  const EmbeddedPostgres = await embeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: dir,
    port,
    user: "board",
    password: "board",
    authMethod: "password",
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  });
  const pidFile = join(dir, "postmaster.pid");
  const forget = undoAtExit(() => {
    void server.stop();
    waitUntilGone(pidFile);
    if (there === undefined) rmSync(home, { recursive: true, force: true });
  });
  const running = (start: () => Promise<void>): PostgresServer => ({
    url,
    dir,
    get pid() {
      return Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    },
    start,
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
      forget();
    },
  });
  return { server, running, dir, url };
}

/** For the end of this process, when nothing can be awaited any more. */
function waitUntilGone(path: string): void {
  const still = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; existsSync(path) && i < LOOKS; i++) Atomics.wait(still, 0, 0, PAUSE_MS);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
