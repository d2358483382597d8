// Other tests use PostgreSQL's socket; operators mostly use a network address.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { openStream } from "../support/event-stream.ts";
import { nodeBeside } from "../support/nodes.ts";
import { databaseFor } from "../support/postgres/database.ts";

test("a node that reaches the database over TCP and one that uses its socket post, read and notify each other", async () => {
  await using one = await TestBoard.start();
  const url = new URL(await databaseFor(one.data));
  const socket = join(url.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const network = createServer((client) => {
    const server = connect(socket);
    client.pipe(server).pipe(client);
    for (const end of [client, server]) end.on("error", () => end.destroy());
  }).listen(0, "127.0.0.1");
  await once(network, "listening");
  const { port } = network.address() as AddressInfo;
  const other = await nodeBeside(one, [], `postgres://board@127.0.0.1:${port}${url.pathname}`);
  try {
    await using far = await openStream({ url: other.address }, "/api/stream");
    await far.upTo("live");
    await using near = await openStream(one, "/api/stream");
    await near.upTo("live");
    const first = await one.put(one.agent(), { kind: "note", title: "by the socket" });
    expect((await far.next("message")).data).toMatchObject({ id: first.id });
    await near.next("message");
    const body = JSON.stringify(one.agent().envelope({ kind: "note", title: "over TCP" }));
    const answer = await fetch(`${other.address}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect(answer.status).toBe(201);
    const { id } = (await answer.json()) as { id: string };
    expect((await near.next("message")).data).toMatchObject({ id });
  } finally {
    await other.close();
    network.close();
  }
});
