// Listings of the largest messages the board takes.
import { expect, test } from "vitest";
import { LIMITS } from "../src/core/protocol/limits.ts";
import type { MessageRecord } from "../src/core/view/record.ts";
import { TestBoard } from "./support/board.ts";

interface Page {
  readonly messages: readonly MessageRecord[];
  readonly next_cursor: string | null;
}

test("come in pages that the board can make without holding up others, and the cursor leaves none out", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) {
    const payload = agent.envelope({ kind: "note", title: String(n) }).payload.replace("{", `{${" ".repeat(LIMITS.payload_bytes - 1000)}`);
    const { body, status } = await board.send(JSON.stringify(agent.seal(payload)));
    expect(status).toBe(201);
    ids.push(body.id);
  }
  const page = async (cursor: string) => (await board.get<Page>(`/api/messages?limit=200&include=raw&sort=old${cursor}`)).body;
  const first = await page("");
  const chars = first.messages.reduce((sum, { raw }) => sum + (raw?.payload.length ?? 0), 0);
  expect(chars).toBeGreaterThan(LIMITS.list_chars / 2);
  expect(chars).toBeLessThanOrEqual(LIMITS.list_chars);
  const rest = await page(`&cursor=${first.next_cursor}`);
  expect(rest.next_cursor).toBeNull();
  expect([...first.messages, ...rest.messages].map(({ id }) => id)).toEqual(ids);
});
