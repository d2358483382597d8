// Lists of the largest messages that the board accepts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { Agent } from "../support/agent.ts";
import { postAct } from "../support/bare-board.ts";
import { TestBoard } from "../support/board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { call, rpc, send } from "../support/mcp-request.ts";
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
    // Each has `padded` once, in a title that every list finds.
    const fields = { kind: "note", title: `padded ${n}`, refs: [{ rel: "reply" as const, id: root }] };
    const { body, status } = await board.send(JSON.stringify(agent.seal(withLongestBody(agent.envelope(fields).payload))));
    expect(status).toBe(201);
    ids.push(body.id);
  }
});
afterAll(() => board[Symbol.asyncDispose]());

const toModel = async (body: string): Promise<Record<string, unknown>> => (await send(board.url, body)).rpc.result ?? {};
const shownToModel = async (asked: object): Promise<Page> => (await toModel(call("search_messages", asked)))["structuredContent"] as Page;

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
  const pageAt = (from: object): Promise<Page> => shownToModel({ ...asked, ...from });
  const first = await pageAt({});
  const second = await pageAt({ cursor: first.next_cursor });
  expect([first, second].map(({ messages }) => messages.map(({ id }) => id))).toEqual([[ids[0]], [ids[1]]]);
  const { messages } = await pageAt({ include: "", cursor: second.next_cursor });
  expect(
    messages.map(({ id }) => id),
    "all the others, which are short so",
  ).toEqual(ids.slice(2));
});

test("a model gets every message that fits, however long those after it are", async () => {
  const agent = board.agent();
  const tags = ["unlike"];
  const posted = [await board.put(agent, { kind: "note", title: "short", tags }), await board.put(agent, { kind: "note", tags })];
  for (let n = 0; n < 4; n++) {
    const { payload } = agent.envelope({ kind: "note", tags, title: `long ${n}` });
    posted.push((await board.send(JSON.stringify(agent.seal(withLongestBody(payload))))).body);
  }
  const { messages } = await shownToModel({ tag: tags[0], limit: 6, include: "raw", sort: "old" });
  // One of the long ones has room beside the short ones, and two have not.
  expect(messages.map(({ id }) => id)).toEqual(posted.slice(0, 3).map(({ id }) => id));
});

test("the page that was cut for a model is whole for a program, and the other way round", async () => {
  const agent = board.agent();
  /** Few characters, and many bytes: kept as a text, and more than a model's page. */
  const body = "\u{6f22}".repeat(LIMITS.body_chars);
  const wide = Math.ceil(LIMITS.mcp_page_bytes / Buffer.byteLength(body));
  for (const tag of ["wide-model", "wide-program"])
    for (let n = 0; n < wide; n++) await board.put(agent, { kind: "note", title: `${n}`, tags: [tag], body });
  const seenBy = {
    model: (tag: string) => shownToModel({ tag, include: "body", limit: 50 }),
    program: async (tag: string) => (await board.get<Page>(`/api/messages?tag=${tag}&include=body&limit=50`)).body,
  };
  for (const [tag, ...order] of [
    ["wide-model", "model", "program", "model"],
    ["wide-program", "program", "model", "program"],
  ] as const)
    for (const reader of order) {
      const { messages, next_cursor: next } = await seenBy[reader](tag);
      expect([messages.length, next === null], `${tag}, ${reader}`).toEqual(reader === "model" ? [wide - 1, false] : [wide, true]);
    }
});

test("a model that opens a long thread gets as much as it can read, and the cursor to the rest", async () => {
  const { id } = await board.put(board.agent(), { kind: "task", title: "long thread" });
  const opened = async () => {
    const { contents } = (await toModel(rpc("resources/read", { uri: `blackboard://threads/${id}` }))) as { contents: { text: string }[] };
    return contents[0]?.text ?? "";
  };
  const [title, body] = [LIMITS.title_chars, 1000].map((chars) => "\u{6f22}".repeat(chars));
  const reply = () => board.put(board.agent(), { kind: "note", title, body, refs: [{ rel: "reply", id }] });
  await reply();
  expect(await opened()).toContain("All of 2 messages");
  await Promise.all(Array.from({ length: 240 }, reply));
  const text = await opened();
  expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.mcp_page_bytes);
  expect(text).toContain("next_cursor: ");
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

test("one that is larger than a whole page fills a page alone, and paging continues after it", async () => {
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
  // Limits may change, and a board may have messages from before: no request with such a size would be accepted today.
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
    // Twice, because the fast path reads it in another way.
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
