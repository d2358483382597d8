// A replica must be a copy of this very board. Another board is never used, and a lost replica is reported once, not at each read.
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { readConfig } from "../../src/config.ts";
import type { ReplicaLimits } from "../../src/ports/replica-status.ts";
import { start } from "../../src/start.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { postTo } from "../support/nodes.ts";
import { type PostgresServer, postgresServer } from "../support/postgres/server.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

/** The address of a replica, which can lead to one server, then to another, or nowhere. */
class Way implements Disposable {
  readonly #open = new Set<Socket>();
  readonly #server = createServer((client) => {
    // A reset: when a connection only ends, the driver tries again by itself.
    if (this.#to === undefined) return client.resetAndDestroy();
    const server = connect(join(this.#to.home, ".s.PGSQL.5432"));
    client.pipe(server).pipe(client);
    for (const end of [client, server]) {
      this.#open.add(end);
      end.on("error", () => end.destroy()).on("close", () => this.#open.delete(end));
    }
  });
  #to: PostgresServer | undefined;

  static async open(to?: PostgresServer): Promise<Way> {
    const way = new Way();
    way.#to = to;
    way.#server.listen(0, "127.0.0.1");
    await once(way.#server, "listening");
    return way;
  }
  get url(): string {
    return `postgres://board@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres`;
  }
  lead(to: PostgresServer | undefined): void {
    this.#to = to;
    for (const end of this.#open) end.destroy();
  }
  /** Nothing passes any more and no connection is closed, as if a machine hangs. */
  hush(): void {
    for (const end of this.#open) end.unpipe().pause();
  }
  [Symbol.dispose](): void {
    this.lead(undefined);
    this.#server.close();
  }
}

let own: PostgresServer;
let other: PostgresServer;
beforeAll(async () => {
  [own, other] = await Promise.all([postgresServer(), postgresServer()]);
  await fill(own, 1);
  await fill(other, 3);
});
afterAll(() => Promise.all([own.remove(), other.remove()]));

const FLAGS = [
  "--port",
  "0",
  "--smtp-port",
  "0",
  "--base-url",
  "http://board.test",
  "--rate-limits",
  "off",
  "--pow-bits",
  String(TEST_BITS),
];
const keys = emptyDirectory();

/** The flags of a board on a database; all boards on one server have one key, unless another is given. */
function flags(
  server: PostgresServer,
  readUrl?: string,
  { database = "postgres", key = server.home.replaceAll("/", "_") } = {},
): readonly string[] {
  const place = ["--database-url", server.databaseUrl(database), "--key-file", join(keys, key), "--data", emptyDirectory()];
  return [...FLAGS, ...place, ...(readUrl === undefined ? [] : ["--database-read-url", readUrl])];
}
const spawn = (server: PostgresServer, readUrl?: string): BoardProcess =>
  BoardProcess.spawn({ args: ["serve", ...flags(server, readUrl)] });

/** The address of the board, and its log. */
type Board = Pick<BoardProcess, "url" | "stderr">;

interface Here {
  readonly database?: string;
  readonly key?: string;
  readonly replicaLimits?: ReplicaLimits;
}
/** A replica that is only slow, on a busy machine, is not lost. */
const PATIENT: ReplicaLimits = { staleMs: 2000, lookWithinMs: HANG_MS };

/** A node in this process, for tests that need no separate one. */
async function startHere(server: PostgresServer, readUrl?: string, more: Here = {}): Promise<Board & AsyncDisposable> {
  let stderr = "";
  const logTo = { write: (line: string) => void (stderr += line) };
  const running = await start(readConfig(flags(server, readUrl, more), {}), { logTo, replicaLimits: more.replicaLimits ?? PATIENT });
  return {
    url: running.address,
    get stderr() {
      return stderr;
    },
    [Symbol.asyncDispose]: () => running.close(),
  };
}
async function fill(server: PostgresServer, messages: number, more?: Here): Promise<void> {
  await using board = await startHere(server, undefined, more);
  for (let i = 0; i < messages; i++) await postTo(board.url, new Agent().envelope({ kind: "note", body: `message ${i}` }));
}

const ready = async ({ url }: Board) => (await (await fetch(`${url}/readyz`)).json()) as Record<string, unknown>;
const figure = async ({ url }: Board, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
const untilReplica = (board: Board, replica: "ok" | "lost") =>
  eventually(`a replica that is ${replica}`, async () => ((await ready(board))["replica"] === replica ? true : undefined));
const logged = ({ stderr }: Board, word: string) =>
  stderr.split("\n").filter((line) => line.includes(`the replica (--database-read-url) is ${word}`));
const newest = async ({ url }: Board) => (await (await fetch(`${url}/api/messages?limit=5`)).json()) as { latest_seq: number };

test("another board in the place of the replica keeps the board from starting, and the sentence says so", async () => {
  await using board = spawn(own, other.databaseUrl("postgres"));
  const { code, stderr } = await board.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^--database-read-url is no replica of --database-url: it holds another board \(public key [\w-]{43}; this board's is [\w-]{43}\)\. Give .+\n$/m,
  );
  expect(logged(board, "lost"), "one mistake, one line").toEqual([]);
});

test("so does a copy that has gone its own way, though it has the same key: further, or as far with other entries", async () => {
  const admin = new Client({ url: own.databaseUrl("postgres"), connections: 1, name: "test" });
  await fill(own, 2);
  await admin.script("CREATE DATABASE gone_on");
  await admin.end();
  const key = "another.key";
  copyFileSync(join(keys, own.home.replaceAll("/", "_")), join(keys, key));
  await fill(own, 1, { database: "gone_on", key });
  await expect(startHere(own, own.databaseUrl("gone_on"))).rejects.toThrow("its entry 1 differs from that of this board's log");
  await fill(own, 9, { database: "gone_on", key });
  await expect(startHere(own, own.databaseUrl("gone_on"))).rejects.toThrow(/its log ends at entry \d+, and this board's log at \d+/);
});

test("a replica that is missing at the start, then present, then lost: one line each, and readyz and metrics show it", async () => {
  using way = await Way.open();
  await using board = await startHere(own, way.url);
  expect(await ready(board)).toEqual({ status: "ok", writing: "ok", replica: "lost" });
  expect(await figure(board, "blackboard_replica_up")).toBe(0);
  const { seq } = await postTo(board.url, new Agent().envelope({ kind: "note", body: "on the primary alone" }));
  expect((await newest(board)).latest_seq).toBe(seq);
  for (let i = 0; i < 5; i++) await newest(board);
  expect(logged(board, "lost")).toHaveLength(1);

  // The database itself serves as its own replica.
  way.lead(own);
  await untilReplica(board, "ok");
  expect(logged(board, "back")).toHaveLength(1);
  expect(await figure(board, "blackboard_replica_up")).toBe(1);
  expect(await figure(board, "blackboard_replica_behind_entries")).toBe(0);
  const admin = new Client({ url: own.databaseUrl("postgres"), connections: 1, name: "test" });
  let limit = 10;
  await eventually("a listing from it", async () => {
    // A new query each time, because the same one would be answered from the cache.
    await (await fetch(`${board.url}/api/messages?limit=${limit++}`)).json();
    const [asked] = await admin.query<{ n: number }>(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name LIKE 'blackboard replica%' AND query LIKE '%messages%'",
    );
    return (asked?.n ?? 0) > 0 ? true : undefined;
  });
  await admin.end();

  way.lead(undefined);
  await untilReplica(board, "lost");
  for (let i = 0; i < 5; i++) expect((await newest(board)).latest_seq).toBe(seq);
  expect(logged(board, "lost")).toHaveLength(2);
  way.lead(own);
  await untilReplica(board, "ok");
  expect(logged(board, "back")).toHaveLength(2);
  expect(board.stderr).not.toMatch(/"stack"|\bat .+:\d+:\d+/);
});

test("a board with a replica ends when it is told to", async () => {
  await using board = spawn(own, own.databaseUrl("postgres"));
  await board.ready();
  expect((await board.kill("SIGTERM")).code).toBe(0);
});

test("a replica that hangs holds nobody up for good: it is lost, and the primary answers", async () => {
  using way = await Way.open(own);
  await using board = await startHere(own, way.url, { replicaLimits: { ...PATIENT, lookWithinMs: 1000 } });
  await untilReplica(board, "ok");
  await newest(board);
  way.hush();
  // Some of them wait for it, until it is given up.
  const answers = await Promise.all([11, 12, 13].map((limit) => fetch(`${board.url}/api/messages?limit=${limit}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  // It may be back by new connections already.
  await eventually("words about it", () => logged(board, "lost").find((line) => line.includes("it did not answer within 1 s")));
  way.lead(own);
  await untilReplica(board, "ok");
});

test("a board that takes the replica's place later is not believed either, and nobody is shown its messages", async () => {
  using way = await Way.open(own);
  await using board = await startHere(own, way.url);
  await untilReplica(board, "ok");
  const { seq } = await postTo(board.url, new Agent().envelope({ kind: "note", body: "of this board" }));
  way.lead(other);
  await untilReplica(board, "lost");
  const [line] = await eventually("words about it", () => {
    const lines = logged(board, "lost").filter((one) => one.includes("it holds another board"));
    return lines.length > 0 ? lines : undefined;
  });
  expect(line).toContain("the primary answers listings");
  for (let i = 0; i < 5; i++) expect((await newest(board)).latest_seq).toBe(seq);
  way.lead(own);
  await untilReplica(board, "ok");
});

test("a board without a replica says nothing of one", async () => {
  await using board = await startHere(own);
  expect(await ready(board)).toEqual({ status: "ok", writing: "ok" });
  expect(await (await fetch(`${board.url}/metrics`)).text()).not.toContain("replica");
});
