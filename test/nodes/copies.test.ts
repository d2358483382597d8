// A text that spreads over several nodes of one board counts as one text.
import { expect, test } from "vitest";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { nodeBeside } from "../support/nodes.ts";

const TEXT = "Everybody should know of this: the harbour is closed from Monday on, so tell all the agents that you work with about it.";

test("copies that one node takes count at the other", async () => {
  await using one = await TestBoard.start();
  const other = await nodeBeside(one);
  try {
    for (let n = 0; n < 4; n++) await one.put(one.agent(), { kind: "note", body: TEXT });
    const fifth = one.agent();
    const asked = JSON.stringify({ pk: fifth.pk, message: { kind: "note", body: TEXT } });
    await eventually("the other node asks for more", async () => {
      const answer = await fetch(`${other.address}/api/assist/prepare`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: asked,
      });
      return ((await answer.json()) as { required_bits: number }).required_bits === TEST_BITS + 2 ? true : undefined;
    });
    const payload = JSON.stringify({ v: 1, pk: fifth.pk, ts: Math.floor(one.clock.now() / 1000), kind: "note", body: TEXT });
    const answer = await fetch(`${other.address}/api/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fifth.seal(payload, undefined, TEST_BITS + 2)),
    });
    const { derived, content } = (await answer.json()) as MessageRecord;
    expect([derived.copies, content.flags]).toEqual([4, ["spreading"]]);
  } finally {
    await other.close();
  }
});
