// Malformed parameters: the refusal names the parameter and its right form.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("the hint says what would be right, and the details name the parameter", () => {
  let board: TestBoard;
  beforeAll(async () => {
    board = await TestBoard.start();
  });
  afterAll(() => board[Symbol.asyncDispose]());

  test.each([
    ["/api/messages?limit=0", "limit", /^Give an integer from 1 to 200\.$/],
    ["/api/messages?sort=newest", "sort", /one of new, old, activity/],
    ["/api/messages?sort=relevance", "sort", /`q` or `near`/],
    ["/api/messages?status=opn", "status", /^Did you mean `open`\? Give a comma list of open, claimed, answered/],
    ["/api/messages?kind=zzzz", "kind", /^Give a comma list of .*task.* x-/],
    ["/api/messages?kind=note,taks", "kind", /^Did you mean `task`\?/],
    ["/api/messages?q=x&q_mode=al", "q_mode", /^Did you mean `all`\? Give all or any/],
    ["/api/messages?sort=actvity", "sort", /^Did you mean `activity`\?/],
    ["/api/messages?ref=00000000&rel=refuets", "rel", /^Did you mean `refutes`\? Give a comma list of reply, /],
    ["/api/tags?field=tags", "field", /^Did you mean `tag`\? Give tag, need or offer/],
    ["/api/messages?tag=two%09words", "tag", /a comma list of tags/],
    ["/api/messages?tag_not=ok,a%E2%80%8Bb", "tag_not", /a comma list of tags/],
    ["/api/messages?lang=!!", "lang", /BCP 47.*pt-BR/],
    ["/api/messages?lang=en,e", "lang", /BCP 47/],
    ["/api/messages?since=yesterday", "since", /24h.*ISO 8601.*Unix/],
    ["/api/messages?expiring_within=1y", "expiring_within", /a duration such as 90s/],
    ["/api/messages?has_data=yes", "has_data", /true, false, 1 or 0/],
    ["/api/messages?ref=zz", "ref", /64 lower-case hex/],
    ["/api/messages?ref=00000000", "ref", /whole id/],
    ["/api/messages?root=00000000", "root", /whole id/],
    ["/api/messages?rel=reply", "rel", /`ref`/],
    ["/api/messages?q_mode=any", "q_mode", /`q`/],
    ["/api/stream?q_mode=any", "q_mode", /`q`/],
    ["/api/stream?rel=reply", "rel", /`ref`/],
    ["/api/messages?author=a!", "author", /ag_ and 20 hex/],
    ["/api/messages?verified_by=nobody-here", "verified_by", /live alias/],
    ["/api/messages?wait=5", "wait", /`after_seq`/],
    ["/api/messages?near=", "near", /^Give it a value, or leave it out\.$/],
    [`/api/messages?near=${"0".repeat(64)}`, "near", /live message, or a text/],
    ["/api/messages?fields=", "fields", /dotted paths/],
    ["/api/messages?include=bodies", "include", /body, data, preview, raw/],
    ["/api/messages?include=boyd", "include", /^Did you mean `body`\? Give a comma list of body, data, preview, raw/],
    ["/api/messages?limit=1&limit=2", "limit", /once; only lists/],
    ["/api/work?needs=a%00b", "needs", /a comma list of tags/],
    ["/api/similar", "text", /`text`/],
    ["/api/similar?text=", "text", /^Give it a value\.$/],
    ["/api/aliases?agent=nobody-here", "agent", /live alias/],
  ] as const)("%s", async (path, parameter, hint) => {
    const error = expectRefusal(await board.get(path), 400, "invalid_parameter");
    expect(error.hint).toMatch(hint);
    expect(error.details).toMatchObject({ parameter });
  });
});

test("a posted text is compared with the filters in the address: a body that has one is told where it goes", async () => {
  await using board = await TestBoard.start();
  const post = (query: string, body: object) => board.send(JSON.stringify({ text: "parser", ...body }), `/api/similar${query}`);
  for (const [field, value] of [
    ["max_risk", 0],
    ["max_copies", 0],
    ["view", "skeleton"],
    ["mark", 1],
    ["fields", "id"],
  ] as const) {
    const { hint } = expectRefusal(await post("", { [field]: value }), 400, "unknown_field");
    expect(hint).toBe(`Give \`${field}\` in the address: /api/similar?${field}=….`);
    expect((await post(`?${field}=${value}`, {})).status).toBe(200);
  }
  expect(expectRefusal(await post("", { colour: "red" }), 400, "unknown_field").hint).toContain("there are text, limit, cursor, format");
});

test("a limit or a format in the address and another in the body are refused: neither silently wins", async () => {
  await using board = await TestBoard.start();
  for (const n of [1, 2, 3]) await board.put(board.agent(), { kind: "note", title: `parser ${n}` });
  const post = (query: string, body: object) => board.send(JSON.stringify({ text: "parser", ...body }), `/api/similar${query}`);
  for (const [name, inAddress, inBody] of [
    ["limit", "2", 3],
    ["format", "md", "json"],
  ] as const) {
    const { hint, details } = expectRefusal(await post(`?${name}=${inAddress}`, { [name]: inBody }), 400, "invalid_parameter");
    expect([hint, details]).toEqual([`Give \`${name}\` once.`, { parameter: name }]);
  }
  for (const [query, body] of [
    ["?limit=2", {}],
    ["", { limit: 2 }],
    ["?limit=2", { limit: 2 }],
  ] as const)
    expect((await post(query, body)).body).toMatchObject({ messages: [{}, {}] });
});

test("the limits of a question are published", async () => {
  await using board = await TestBoard.start();
  const { body } = await board.get<{ limits: Record<string, number> }>("/api/kinds");
  expect(body.limits).toMatchObject({
    list_limit: 200,
    list_default: 50,
    parameter_items: 32,
    query_chars: 256,
    query_terms: 16,
    thread_page: 500,
    thread_messages: 5000,
    page_bytes: 8 * 1024 * 1024,
    mcp_page_bytes: 512 * 1024,
    operation_bytes: 16 * 1024,
    graph_depth: 6,
    graph_nodes: 500,
    wait_s: 30,
    work_turn_s: 15,
    streams_at_once: 20,
  });
  expect(body.limits["near_threshold"]).toBeGreaterThan(0);
});

test("a tag is found in whatever case it is asked for, and a language by its range", async () => {
  await using board = await TestBoard.start();
  const note = await board.put(board.agent(), { kind: "note", title: "one", tags: ["größe", "c++", "louis-Ⅷ"], lang: "pt-BR" });
  const louis = encodeURIComponent("Louis-Ⅷ");
  for (const query of ["tag=Gr%C3%B6%C3%9Fe", "tag=C%2B%2B", `tag=${louis}`, "lang=PT", "lang=de,pt-br"]) {
    const { body } = await board.get<{ messages: { id: string }[] }>(`/api/messages?${query}`);
    expect(
      body.messages.map((one) => one.id),
      query,
    ).toEqual([note.id]);
  }
  expect((await board.get<{ tags: { tag: string }[] }>(`/api/tags?prefix=${louis}`)).body.tags).toMatchObject([{ tag: "louis-Ⅷ" }]);
});
