// The database goes away and comes back: nothing acknowledged is lost, nothing is acknowledged that is not stored, and no node needs a
// restart.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { readConfig } from "../../src/config.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { start } from "../../src/start.ts";
import { lostBy } from "../support/acknowledged.ts";
import { Agent } from "../support/agent.ts";
import { eventually } from "../support/eventually.ts";
import { openStream } from "../support/event-stream.ts";
import { Nodes, postTo } from "../support/nodes.ts";
import { emptyDirectory } from "../support/process.ts";
import { type PostgresServer, postgresServer } from "../support/postgres/server.ts";

let server: PostgresServer;
let nodes: Nodes;
beforeAll(async () => {
  server = await postgresServer({ durable: true });
  nodes = await Nodes.start(2, ["--rate-limits", "off"], server.databaseUrl("postgres"));
});
afterAll(async () => {
  await nodes[Symbol.asyncDispose]();
  await server.remove();
});

const at = (i: number): string => nodes.urls[i % nodes.urls.length] ?? "";

interface Answered {
  readonly envelope: Envelope;
  readonly status: number;
  readonly code: string | undefined;
}

async function post(url: string, envelope: Envelope): Promise<Answered> {
  const response = await fetch(`${url}/api/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(envelope),
  });
  const body = (await response.json()) as { error?: { code: string } };
  return { envelope, status: response.status, code: body.error?.code };
}

/** Posts to both nodes without a pause until it is stopped; calls `note` for each answer at once. */
async function postAll(stopped: () => boolean, note: (one: Answered) => unknown = () => {}): Promise<Answered[]> {
  const answered: Answered[] = [];
  const lanes = Array.from({ length: 6 }, async (_, lane) => {
    const agent = new Agent();
    for (let i = 0; !stopped(); i++) {
      const one = await post(at(lane + i), agent.envelope({ kind: "note", body: `lane ${lane}, ${i}` }));
      answered.push(one);
      note(one);
    }
  });
  await Promise.all(lanes);
  return answered;
}

/** Every post was acknowledged or refused with a known code. Acknowledged ones exist, and refused ones can be posted again. */
async function requireHonest(answered: readonly Answered[]): Promise<void> {
  const acknowledged = answered.filter(({ status }) => status === 201 || status === 200);
  const refused = answered.filter(({ status }) => status === 503);
  expect(answered.length - acknowledged.length - refused.length).toBe(0);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(refused.length > 0 ? ["storage_unavailable"] : []));
  for (const { envelope } of refused.slice(0, 40)) expect([200, 201]).toContain((await post(at(1), envelope)).status);
  const again = [...acknowledged, ...refused.slice(0, 40)].map(({ envelope }) => envelope);
  expect(await lostBy(at(0), again)).toEqual([]);
}

const codeOf = async (url: string): Promise<string> => {
  const response = await fetch(url);
  const { error } = (await response.json()) as { error?: { code: string } };
  return `${response.status} ${error?.code ?? ""}`.trim();
};

const readable = (url: string): Promise<true> =>
  eventually("a listing", async () => ((await codeOf(`${url}/api/messages?limit=1`)) === "200" ? true : undefined));

test("while PostgreSQL is down, reads and posts are refused with storage_unavailable; when it is back, both nodes continue by themselves", async () => {
  const agent = new Agent();
  await using stream = await openStream({ url: at(0) }, `/api/stream?author=${agent.id}`);
  await stream.upTo("live");
  let stopped = false;
  const posting = postAll(() => stopped);
  const { id } = await postTo(at(0), agent.envelope({ kind: "note", body: "before" }));
  expect((await stream.next("message")).data).toMatchObject({ id });
  await server.stop();
  for (const url of nodes.urls) {
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await codeOf(`${url}/api/messages?limit=37`)).toBe("503 storage_unavailable");
    expect(await post(url, agent.envelope({ kind: "note", body: `while it is down ${url}` }))).toMatchObject({
      status: 503,
      code: "storage_unavailable",
    });
  }
  await server.start();
  for (const url of nodes.urls) await readable(url);
  const after = agent.envelope({ kind: "note", body: "after" });
  await eventually("a post that is taken", async () => ((await post(at(1), after)).status < 300 ? true : undefined));
  // A reader that stayed connected receives what comes after the interruption, also from the other node.
  expect((await stream.next("message")).data).toMatchObject({ content: { body: "after" } });
  stopped = true;
  await requireHonest(await posting);
});

test("connections that are cut in the middle of batches leave no post half done and none acknowledged that is not there", async () => {
  const operator = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "test" });
  let stopped = false;
  let taken = 0;
  const posting = postAll(
    () => stopped,
    ({ status }) => (taken += status === 201 ? 1 : 0),
  );
  for (let cut = 0; cut < 8; cut++) {
    // Both nodes are writing again, further each time.
    const enough = taken + 6 + 3 * cut;
    await eventually("posts that are taken again", () => (taken >= enough ? true : undefined));
    await operator.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'blackboard%' AND pid <> pg_backend_pid()",
    );
  }
  stopped = true;
  const answered = await posting;
  await operator.end();
  await readable(at(0));
  expect(answered.some(({ status }) => status === 201)).toBe(true);
  await requireHonest(answered);
});

test("a node reports once that the database is gone and once that it is back, in its log and by every probe, even without posts", async () => {
  const log: string[] = [];
  const data = emptyDirectory();
  const flags = ["--data", data, "--port", "0", "--smtp-port", "0", "--database-url", server.databaseUrl("postgres")];
  const config = readConfig([...flags, "--key-file", nodes.keyFile, "--base-url", "http://board.test"], {});
  const node = await start(config, { logTo: { write: (line: string) => void log.push(line) } });
  await using _end = { [Symbol.asyncDispose]: () => node.close() };
  const writable = async () => /^blackboard_writable (\d)$/m.exec(await (await fetch(`${node.address}/metrics`)).text())?.[1];
  const logged = () => log.map((line) => JSON.parse(line) as { msg: string; code?: string }).filter(({ msg }) => msg.includes("writing"));
  expect(await writable()).toBe("1");
  await server.stop();
  await eventually("a figure that says so", async () => ((await writable()) === "0" ? true : undefined));
  expect(await codeOf(`${node.address}/readyz/writing`)).toBe("503 storage_unavailable");
  await server.start();
  await eventually("a figure that says so", async () => ((await writable()) === "1" ? true : undefined));
  expect(await codeOf(`${node.address}/readyz/writing`)).toBe("200");
  expect(logged()).toMatchObject([
    { level: "error", code: "storage_unavailable" },
    { level: "info", msg: "writing works again" },
  ]);
  expect(log.filter((line) => line.includes('"stack"'))).toEqual([]);
});
