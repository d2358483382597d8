// Listings of the largest messages the board takes.
import { expect, test } from "vitest";
import { LIMITS } from "../src/core/protocol/limits.ts";
import type { MessageRecord } from "../src/core/view/record.ts";
import { TestBoard } from "./support/board.ts";

interface Page {
  readonly messages: readonly MessageRecord[];
  readonly next_cursor: string | null;
}

// Each holds `padded` once, in a title that every listing finds.
test.for([
  ["listed", "/api/messages?limit=200&include=raw&sort=old", false],
  ["searched", "/api/messages?limit=200&include=raw&q=padded", true],
  ["searched in an order of their own", "/api/messages?limit=200&include=raw&q=padded&sort=old", false],
] as const)(
  "%s, they come in pages that the board can make without holding up others, and none is left out",
  async ([, path, anyOrder]) => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const payload = agent
        .envelope({ kind: "note", title: `padded ${n}` })
        .payload.replace("{", `{${" ".repeat(LIMITS.payload_bytes - 1000)}`);
      const { body, status } = await board.send(JSON.stringify(agent.seal(payload)));
      expect(status).toBe(201);
      ids.push(body.id);
    }
    const page = async (cursor: string) => (await board.get<Page>(`${path}${cursor}`)).body;
    const first = await page("");
    const chars = first.messages.reduce((sum, { raw }) => sum + (raw?.payload.length ?? 0), 0);
    expect(chars).toBeGreaterThan(LIMITS.page_chars / 2);
    expect(chars).toBeLessThanOrEqual(LIMITS.page_chars);
    const seen = first.messages.map(({ id }) => id);
    for (let cursor = first.next_cursor; cursor !== null;) {
      const next = await page(`&cursor=${cursor}`);
      seen.push(...next.messages.map(({ id }) => id));
      cursor = next.next_cursor;
    }
    if (anyOrder) expect(seen.toSorted()).toEqual(ids.toSorted());
    else expect(seen).toEqual(ids);
  },
);

test("as a thread they come in pages as well, and none is left out", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const root = await board.put(agent, { kind: "task", title: "root" });
  const ids = [root.id];
  for (let n = 0; n < 12; n++) {
    const reply = agent.envelope({ kind: "note", title: `reply ${n}`, refs: [{ rel: "reply", id: root.id }] });
    const payload = reply.payload.replace("{", `{${" ".repeat(LIMITS.payload_bytes / 4)}`);
    ids.push((await board.send(JSON.stringify(agent.seal(payload)))).body.id);
  }
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const { body }: { body: Page } = await board.get<Page>(`/api/messages/${root.id}/thread?include=raw${cursor && `&cursor=${cursor}`}`);
    expect(body.messages.reduce((sum, { raw }) => sum + (raw?.payload.length ?? 0), 0)).toBeLessThanOrEqual(LIMITS.page_chars);
    seen.push(...body.messages.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  expect(pages).toBeGreaterThan(1);
  expect(seen).toEqual(ids);
});
