import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import { Client } from "./client.ts";

/** As long as a connection may take. */
const TOO_LATE_MS = 5000;

/** A way to the server of this run on which the first connections get no answer. */
async function way(unanswered: number) {
  const sockets: Socket[] = [];
  let connections = 0;
  const server = createServer((client) => {
    sockets.push(client);
    if (++connections <= unanswered) return;
    const postgres = connect(join(process.env["BOARD_TEST_POSTGRES"] ?? "", ".s.PGSQL.5432"));
    sockets.push(postgres);
    client.pipe(postgres).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://board@127.0.0.1:${port}/postgres`,
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

afterEach(() => void vi.useRealTimers());

/** The outcome of a statement if this many connections get no answer in time. */
async function asked(unanswered: number): Promise<unknown> {
  const { url, connections, close } = await way(unanswered);
  const client = new Client({ url, connections: 1, name: "test" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answer = client.query("SELECT 1 AS one").catch((error: unknown) => error);
  for (let n = 1; n <= unanswered; n++) {
    await eventually("a connection", () => {
      // The driver connects by a timer of its own, so time has to go on a little.
      vi.advanceTimersByTime(1);
      return connections() >= n ? true : undefined;
    });
    vi.advanceTimersByTime(TOO_LATE_MS);
  }
  vi.useRealTimers();
  try {
    return await answer;
  } finally {
    await client.end();
    close();
  }
}

test("a statement whose connection did not come about in time is sent over another one", async () => {
  expect(await asked(1)).toEqual([{ one: 1 }]);
});

test("but once only: a server that does not answer is reported as such", async () => {
  expect(await asked(2)).toMatchObject({ code: "storage_unavailable" });
});

/** What the caller of a long statement owes in the end. */
async function owedFor(url: string, sql: string): Promise<number> {
  await using client = new Client({ url, connections: 1, each: 1, long: true, name: "test", session: { statement_timeout: 20 } });
  let owed = 0;
  const share = { lane: "reader", spend() {}, owe: (ms: number) => void (owed += ms) };
  await expect(atTheCostOf(share, () => client.query(sql))).rejects.toMatchObject({ code: "storage_unavailable" });
  return owed;
}

test("a long statement that took too long is at its caller's cost, a lost connection is not", async () => {
  const { url, close } = await way(0);
  expect(await owedFor(url, "SELECT pg_sleep(3600)")).toBeGreaterThan(0);
  close();
  expect(await owedFor(url, "SELECT pg_sleep(3600)")).toBe(0);
});
