// Pages of large messages: a page ends when its messages have as many bytes as the largest answer, and paging still finds each of them once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { page, type Parameters } from "../support/listing.ts";

const EMOJI = "\u{1f600}";
/** Twelve bytes for each character of the text. */
const escaped = (text: string): string => text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);

let board: TestBoard;
/** The bytes of each message, in the order in which they were posted; none for a withdrawn one. */
const sizes = new Map<string, number>();

async function post(agent: Agent, fields: object, text = (json: string): string => json): Promise<string> {
  const payload = text(JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), ...fields }));
  const { status, body } = await board.send(JSON.stringify(agent.seal(payload)));
  expect([status, body.error?.message]).toEqual([201, undefined]);
  const id = messageId(payload);
  sizes.set(id, Buffer.byteLength(payload));
  return id;
}

beforeAll(async () => {
  board = await TestBoard.start();
  const agent = board.agent();
  for (let i = 0; i < 100; i++) {
    const body = `${i} ${EMOJI.repeat(LIMITS.body_chars - 4)}`;
    // Large in bytes and in characters, large in bytes only, and small.
    await post(agent, { kind: "note", body: i % 10 === 5 ? `${i}` : body }, i % 4 === 0 ? escaped : undefined);
    if (i % 7 !== 3) continue;
    const gone = await post(agent, { kind: "note", body: `gone ${i}` });
    await post(agent, { kind: "retraction", refs: [{ rel: "retracts", id: gone }] });
    sizes.set(gone, 0);
  }
});
afterAll(() => board[Symbol.asyncDispose]());

/** As many bytes as one step of a scan reads at most. */
const STEP_BYTES = 3 * 1024 * 1024;

/** All pages, each with no more bytes of messages than an answer may have, and a step. */
async function pagesOf(parameters: Parameters): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { messages, next_cursor } = await page(board, "/api/messages", { limit: "200", ...parameters, ...(cursor ? { cursor } : {}) });
    const ids = messages.map(({ id }) => id);
    expect(ids.reduce((sum, id) => sum + (sizes.get(id) ?? NaN), 0)).toBeLessThan(LIMITS.page_bytes + STEP_BYTES);
    pages.push(ids);
    cursor = next_cursor;
  }
  return pages;
}

const live = (): string[] => [...sizes].flatMap(([id, bytes]) => (bytes > 0 ? [id] : []));
const ORDERS = [
  { name: "new", of: (ids: string[]) => ids.toReversed() },
  { name: "old", of: (ids: string[]) => ids },
  { name: "expiring", of: (ids: string[]) => ids },
];

test.each([{}, { include: "body" }, { include: "raw" }, { fields: "id" }, { view: "skeleton" }] as Parameters[])(
  "a page of large messages with %o ends early, and each message comes once, in order",
  async (parameters) => {
    for (const { name, of } of ORDERS) {
      const pages = await pagesOf({ ...parameters, sort: name });
      expect(pages.flat(), name).toEqual(of(live()));
      expect(pages.length, name).toBeGreaterThan(1);
    }
  },
);

test("with what was withdrawn, each message and each tombstone comes once, in order", async () => {
  for (const { name, of } of ORDERS.slice(0, 2)) {
    const pages = await pagesOf({ include_removed: "1", sort: name });
    expect(pages.flat(), name).toEqual(of([...sizes.keys()]));
    expect(pages.length, name).toBeGreaterThan(1);
  }
});

test("a short page of previews has as many messages as were asked for, however large they are", async () => {
  expect((await page(board, "/api/messages", { limit: "50" })).messages).toHaveLength(50);
});
