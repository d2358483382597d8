// Limits that hold across nodes: who has used up a bucket on one has none left on another.
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { Agent } from "../support/agent.ts";
import { Nodes, postTo } from "../support/nodes.ts";

test("an agent that has used up its writes on one node is slowed down on the other as well", async () => {
  await using nodes = await Nodes.start(2, []);
  const [one = "", other = ""] = nodes.urls;
  const agent = new Agent();
  for (let i = 0; i < 20; i++) await postTo(one, agent.envelope({ kind: "note", body: `one after the other ${i}` }));
  // Far fewer than the other node would give by itself.
  const answers: string[] = [];
  for (let i = 0; i < 6 && answers.at(-1) !== "429 agent_writes"; i++) {
    await setTimeout(500);
    const body = JSON.stringify(agent.envelope({ kind: "note", body: `elsewhere ${i}` }));
    const response = await fetch(`${other}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { error } = (await response.json()) as { error?: { details?: { scope?: string } } };
    answers.push(`${response.status} ${error?.details?.scope ?? ""}`.trim());
  }
  expect(answers.at(-1)).toBe("429 agent_writes");
});
