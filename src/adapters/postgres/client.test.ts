import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Client } from "./client.ts";

/** As long as a connection may take. */
const TOO_LATE_MS = 5000;

/** A way to the server of this run on which the first connections get no answer. */
async function way(unanswered: number) {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    sockets.push(client);
    if (sockets.length <= unanswered) return;
    const postgres = connect(join(process.env["BOARD_TEST_POSTGRES"] ?? "", ".s.PGSQL.5432"));
    sockets.push(postgres);
    client.pipe(postgres).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://board@127.0.0.1:${port}/postgres`,
    came: (): Promise<unknown> => new Promise((resolve) => void server.once("connection", resolve)),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

afterEach(() => void vi.useRealTimers());

/** The driver connects by a timer of its own, so time has to go on a little. */
async function arrival(coming: Promise<unknown>): Promise<void> {
  let there = false;
  void coming.then(() => (there = true));
  while (!there) {
    vi.advanceTimersByTime(1);
    await new Promise((turn) => setImmediate(turn));
  }
}

/** What becomes of a statement where so many connections get no answer in time. */
async function asked(unanswered: number): Promise<unknown> {
  const { url, came, close } = await way(unanswered);
  const client = new Client({ url, connections: 1, name: "test" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const first = came();
  const answer = client.query("SELECT 1 AS one").catch((error: unknown) => error);
  for (let n = 0, next = first; n < unanswered; n++, next = came()) {
    await arrival(next);
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

test("but once only: a server that does not answer is told as such", async () => {
  expect(await asked(2)).toMatchObject({ code: "storage_unavailable" });
});
