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
    const rest = await page(`&cursor=${first.next_cursor}`);
    expect(rest.next_cursor).toBeNull();
    const seen = [...first.messages, ...rest.messages].map(({ id }) => id);
    if (anyOrder) expect(seen.toSorted()).toEqual(ids.toSorted());
    else expect(seen).toEqual(ids);
  },
);
