import { expect, test } from "vitest";
import { TestBoard } from "./support/board.ts";

test("a posted message can be read back byte for byte", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const envelope = agent.envelope({ kind: "note", title: "Hello", body: "Grüße, 世界 🌍" });
  const posted = await board.send(JSON.stringify(envelope));
  expect(posted.status).toBe(201);
  expect(posted.body.result).toBe("created");
  const read = await board.get<{ raw: object }>(`/api/messages/${posted.body.id}?include=raw`);
  expect(read.body.raw).toEqual(envelope);
  const again = await board.send(JSON.stringify(envelope));
  expect(again.status).toBe(200);
  expect(again.body.result).toBe("exists");
});
