// Limits that apply across nodes: a caller that has used up its allowance on one node has none left on another.
import { expect, test } from "vitest";
import { Listener } from "../../src/adapters/postgres/listener.ts";
import { NODE_CHANNEL } from "../../src/adapters/postgres/write-function.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { openStream } from "../support/event-stream.ts";
import { nodeBeside, postTo } from "../support/nodes.ts";
import { databaseFor } from "../support/postgres/database.ts";

const LIMITED = ["--rate-limits", "on"];

test("an agent that has used up its writes on one node is slowed down on the other as well", async () => {
  await using one = await TestBoard.start({ flags: LIMITED });
  const other = await nodeBeside(one, LIMITED);
  const listening = Promise.withResolvers<void>();
  const heard: string[] = [];
  const listener = new Listener({
    url: await databaseFor(one.data),
    channels: { [NODE_CHANNEL]: (text) => heard.push(text) },
    begun: listening.resolve,
  });
  try {
    await listening.promise;
    const [agent, stranger] = [one.agent(), one.agent()];
    await using stream = await openStream({ url: other.address }, `/api/stream?author=${stranger.id}`);
    await stream.upTo("live");
    for (let i = 0; i < 20; i++) await one.put(agent, { kind: "note", body: `one after the other ${i}` });
    one.clock.advance(1000);
    await eventually("the word that one node tells the others", () => heard.find((text) => text.includes('"agent_writes"')));
    // Notifications between processes may end up in the database's log, so they contain no agents and no addresses.
    for (const secret of [agent.id, "127.0.0.1"]) expect(heard.join()).not.toContain(secret);
    // Notifications arrive in order: a node that has received this post has received that one before.
    const { id } = await one.put(stranger, { kind: "note", body: "said afterwards" });
    expect((await stream.next("message")).data).toMatchObject({ id });

    const body = JSON.stringify(agent.envelope({ kind: "note", body: "elsewhere" }));
    const post = () => fetch(`${other.address}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
    const refused = await post();
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { details: { scope: "agent_writes", retry_after_s: 3 } } },
    ]);
    one.clock.advance(3000);
    expect((await post()).status).toBe(201);
    await postTo(other.address, stranger.envelope({ kind: "note", body: "others are not slowed down" }));
  } finally {
    await listener.end();
    await other.close();
  }
});
