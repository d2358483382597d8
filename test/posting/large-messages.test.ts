// Listings of the largest messages the board takes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageId } from "../../src/core/protocol/identity.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { Agent } from "../support/agent.ts";
import { postAct } from "../support/bare-board.ts";
import { TestBoard } from "../support/board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { call, send } from "../support/mcp-request.ts";
import { withLongestBody } from "../support/payload.ts";
import { emptyDirectory } from "../support/process.ts";
import { writeWithoutBoard } from "../support/without-a-board.ts";

interface Page {
  readonly messages: readonly MessageRecord[];
  readonly next_cursor: string | null;
}

interface Changes {
  readonly changes: readonly { readonly raw?: { readonly payload: string } | null }[];
  readonly next_after: number;
  readonly more: boolean;
}

/** A little more than a page of them, all of one thread. */
const MESSAGES = 24;
let board: TestBoard;
let root: string;
const ids: string[] = [];
beforeAll(async () => {
  board = await TestBoard.start();
  const agent = board.agent();
  root = (await board.put(agent, { kind: "task", title: "root" })).id;
  for (let n = 0; n < MESSAGES; n++) {
    // Each holds `padded` once, in a title that every listing finds.
    const fields = { kind: "note", title: `padded ${n}`, refs: [{ rel: "reply" as const, id: root }] };
    const { body, status } = await board.send(JSON.stringify(agent.seal(withLongestBody(agent.envelope(fields).payload))));
    expect(status).toBe(201);
    ids.push(body.id);
  }
});
afterAll(() => board[Symbol.asyncDispose]());

test.for([
  ["listed", "/api/messages?limit=200&include=raw&sort=old&kind=note", false],
  ["searched", "/api/messages?limit=200&include=raw&q=padded", true],
  ["searched in an order of their own", "/api/messages?limit=200&include=raw&q=padded&sort=old", false],
] as const)(
  "%s, they come in pages that the board can make without holding up others, and none is left out",
  async ([, path, anyOrder]) => {
    const page = async (cursor: string) => (await board.get<Page>(`${path}${cursor}`)).body;
    const first = await page("");
    const chars = first.messages.reduce((sum, { raw }) => sum + (raw?.payload.length ?? 0), 0);
    expect(chars).toBeGreaterThan(LIMITS.page_bytes / 2);
    expect(chars).toBeLessThanOrEqual(LIMITS.page_bytes);
    const seen = first.messages.map(({ id }) => id);
    expect(first.next_cursor).not.toBeNull();
    for (let cursor = first.next_cursor; cursor !== null;) {
      const next = await page(`&cursor=${cursor}`);
      seen.push(...next.messages.map(({ id }) => id));
      cursor = next.next_cursor;
    }
    if (anyOrder) expect(seen.toSorted()).toEqual(ids.toSorted());
    else expect(seen).toEqual(ids);
  },
);

test("a model that asks for all of them by MCP gets as many as it can read, and the rest with the cursor", async () => {
  const asked = { limit: 200, include: "raw", sort: "old", kind: "note" };
  const pageAt = async (from: object): Promise<Page> => {
    const { rpc } = await send(board.url, call("search_messages", { ...asked, ...from }));
    return rpc.result?.["structuredContent"] as Page;
  };
  const first = await pageAt({});
  const second = await pageAt({ cursor: first.next_cursor });
  expect([first, second].map(({ messages }) => messages.map(({ id }) => id))).toEqual([[ids[0]], [ids[1]]]);
  const { messages } = await pageAt({ include: "", cursor: second.next_cursor });
  expect(
    messages.map(({ id }) => id),
    "all the others, which are short so",
  ).toEqual(ids.slice(2));
});

test("as a thread they come in pages as well, and none is left out", async () => {
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const { body }: { body: Page } = await board.get<Page>(`/api/messages/${root}/thread?include=raw${cursor && `&cursor=${cursor}`}`);
    expect(body.messages.reduce((sum, { raw }) => sum + (raw?.payload.length ?? 0), 0)).toBeLessThanOrEqual(LIMITS.page_bytes);
    seen.push(...body.messages.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  expect(pages).toBeGreaterThan(1);
  expect(seen).toEqual([root, ...ids]);
});

test("one that is larger than a whole page fills a page of its own, and whoever pages gets past it", async () => {
  const [data, clock] = [emptyDirectory(), new ManualClock()];
  const [author, reader] = [new Agent(() => clock.now()), new Agent(() => clock.now())];
  const texts = [author.envelope({ kind: "task", title: "oversize root" }).payload];
  const parent = messageId(texts[0] ?? "");
  const refs = [{ rel: "subtask_of" as const, id: parent }];
  for (let n = 0; n < 2; n++) {
    const { payload } = author.envelope({
      kind: "subtask",
      title: `an oversize subtask with a page of its own ${n}`,
      tags: ["huge"],
      needs: ["room"],
      to: reader.id,
      refs,
    });
    texts.push(payload.replace("{", `{${" ".repeat(LIMITS.page_bytes)}`));
  }
  // Bounds may be set anew, and boards outlive them: no request would be taken that is so large today.
  await writeWithoutBoard(
    data,
    texts.map((text) => [postAct(text)]),
    clock.now(),
  );
  await using old = await TestBoard.start({ data, clock });
  const huge = texts.slice(1).map(messageId);
  for (const path of [
    "/api/messages?tag=huge&include=raw",
    "/api/messages?tag=huge&sort=old",
    "/api/messages?q=oversize&tag=huge",
    "/api/messages?near=an%20oversize%20subtask%20with%20a%20page%20of%20its%20own&tag=huge",
    "/api/work?tags=huge",
    "/api/work?needs=room&tags=huge",
    "/api/expiring?within=7d",
    `/api/inbox/${reader.id}?include=preview`,
    `/api/messages/${parent}/thread?include=raw`,
  ]) {
    const seen: string[] = [];
    let pages = 0;
    // Twice over, because what is at hand is read another way.
    for (let cursor: string | null = ""; cursor !== null && pages < 10; pages++) {
      const asked: string = `${path}${cursor && `&cursor=${cursor}`}`;
      const { body }: { body: Page } = await old.get<Page>(asked);
      expect((await old.get<Page>(asked)).body.messages.map(({ id }) => id)).toEqual(body.messages.map(({ id }) => id));
      expect(body.messages.length, path).toBeGreaterThan(0);
      seen.push(...body.messages.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    expect(pages, path).toBeLessThanOrEqual(3);
    expect(seen.filter((id) => id !== parent).toSorted(), path).toEqual(huge.toSorted());
  }
  const raw: string[] = [];
  for (let after = 0, more = true; more;) {
    const { body }: { body: Changes } = await old.get<Changes>(`/api/changes?include=raw&limit=1&after=${after}`);
    expect(body.next_after).toBeGreaterThan(after);
    raw.push(...body.changes.flatMap((one) => one.raw?.payload ?? []));
    ({ next_after: after, more } = body);
  }
  expect(raw).toEqual(texts);
  const { body: dump } = await old.get<string>("/api/dump.jsonl");
  expect(dump.trim().split("\n")).toHaveLength(texts.length);
});
