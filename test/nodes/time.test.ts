// Effects of time happen once, however many nodes look at the clock.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import type { Change } from "../support/chain.ts";
import { eventually } from "../support/eventually.ts";
import { nodeBeside } from "../support/nodes.ts";

test("a lease and a lifetime that end while two nodes run are written to the log once, and both nodes say so", async () => {
  await using one = await TestBoard.start();
  const other = await nodeBeside(one);
  try {
    const task = await one.put(one.agent(), { kind: "task", title: "held for a minute", ttl: 300 });
    await one.put(one.agent(), { kind: "claim", lease: 60, refs: [{ rel: "claims", id: task.id }] });
    for (let second = 0; second < 400; second += 20) {
      one.clock.advance(20_000);
      await Promise.all([one.url, other.address].map((url) => fetch(`${url}/api/messages`)));
    }
    for (const url of [one.url, other.address]) {
      expect((await fetch(`${url}/api/messages/${task.id}`)).status).toBe(410);
      const changes = await eventually("the end in the log", async () => {
        const body = (await (await fetch(`${url}/api/changes`)).json()) as { changes: Change[] };
        return body.changes.some(({ type, id }) => type === "expire" && id === task.id) ? body.changes : undefined;
      });
      const ends = changes.filter(({ id }) => id === task.id).map(({ type, detail }) => (type === "status" ? `${type} ${detail}` : type));
      expect(ends).toEqual(["create", 'status {"from":"open","to":"claimed"}', 'status {"from":"claimed","to":"open"}', "expire"]);
    }
  } finally {
    await other.close();
  }
});
