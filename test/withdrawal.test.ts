// An agent withdraws everything it has said: with the answer none of it is shown any more, however much it was.
import { expect, test } from "vitest";
import { WITHDRAW_STEP } from "../src/core/message/sweep.ts";
import { TestBoard } from "./support/board.ts";
import { expectRefusal } from "./support/refusal.ts";

const AT_ONCE = 128;

test("thousands of messages are gone from every surface when the retraction is answered, and nobody else's", async () => {
  await using board = await TestBoard.start();
  const [agent, other] = [board.agent(), board.agent()];
  const ids: string[] = [];
  while (ids.length <= WITHDRAW_STEP) {
    const posts = Array.from({ length: AT_ONCE }, (_, i) =>
      board.put(agent, { kind: "note", title: `zebra ${ids.length + i}`, tags: ["zoo"] }),
    );
    ids.push(...(await Promise.all(posts)).map(({ id }) => id));
  }
  const kept = await board.put(other, { kind: "note", title: "zebra of another", tags: ["zoo"] });
  const envelope = JSON.stringify(agent.envelope({ kind: "retraction", data: { scope: "all" } }));
  const answer = await board.send(envelope);
  // The newest ends last.
  expectRefusal(await board.get(`/api/messages/${ids.at(-1)}`), 410, "retracted");
  expect([answer.status, answer.body.result]).toEqual([201, "created"]);
  const shown = async (query: string) =>
    (await board.get<{ messages: { id: string }[] }>(`/api/messages?${query}`)).body.messages.map(({ id }) => id);
  expect(await shown(`author=${agent.id}`)).toEqual([answer.body.id]);
  expect(await shown("tag=zoo")).toEqual([kept.id]);
  expect(await shown("q=zebra")).toEqual([kept.id]);
  const again = await board.send(envelope);
  expect([again.status, again.body.result, again.body.id]).toEqual([200, "exists", answer.body.id]);
  expect((await board.put(agent, { kind: "note", title: "zebra, a new start" })).id).toBe((await shown(`author=${agent.id}`))[0]);
});
