// Reports from people: what can be reported, what the receipt says, and that nobody else ever sees a report.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { DAY_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { ALIAS_BITS, sha256 } from "../support/agent.ts";
import { type Answer, type PostBody, TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, send as sendMcp } from "../support/mcp-request.ts";
import { Operator } from "../support/operator.ts";
import { rawRequest } from "../support/raw-request.ts";
import { expectRefusal } from "../support/refusal.ts";

interface Reported {
  readonly report: { readonly id: string; readonly state: string; readonly received_at: string; category: string; target: string };
}
interface Transparency {
  readonly notices: { received: number; open: number; actioned: number; dismissed: number; by_category: Record<string, number> };
  readonly actions: readonly unknown[];
}

const WHY = "This is why it should go.";
const body = (target: string, more: object = {}) => JSON.stringify({ target, category: "spam", explanation: WHY, ...more });
const send = (board: TestBoard, text: string) => board.send(text, "/api/reports") as unknown as Promise<Answer<Reported>>;

describe("a report", () => {
  let board: TestBoard;
  let message: PostBody;
  const text = "an attachment";
  beforeAll(async () => {
    board = await TestBoard.start();
    const agent = board.agent();
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length }];
    message = await board.put(agent, { kind: "note", title: "reported", attachments }, { [sha256(text)]: text });
    const claim = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "bad-name" });
    await board.send(JSON.stringify(agent.seal(claim, undefined, ALIAS_BITS)), "/api/aliases");
  });
  afterAll(() => board[Symbol.asyncDispose]());

  test("gets a receipt that names what the board took the target for", async () => {
    const author = message.server.author.id;
    const targets = [
      [message.id, message.id],
      [message.id.slice(0, 12), message.id],
      [`http://board.test/m/${message.id}`, message.id],
      [`http://board.test/api/messages/${message.id}?format=md`, message.id],
      [author, author],
      ["bad-name", "bad-name"],
      ["Bad-Name@localhost", "bad-name"],
      [sha256(text), sha256(text)],
    ] as const;
    for (const [given, meant] of targets) {
      const { status, body: said } = await send(board, body(given));
      expect({ status, target: said.report?.target }, given).toEqual({ status: 201, target: meant });
      expect(said.report).toEqual({
        id: expect.stringMatching(/^rp_[0-9a-f]{16}$/) as string,
        state: "received",
        received_at: new Date(board.clock.now()).toISOString(),
        category: "spam",
        target: meant,
      });
    }
  });

  test.for([
    ["an unknown id", "f".repeat(64), "invalid_target"],
    ["an unknown prefix", "ffffffffffff", "invalid_target"],
    ["an unknown agent", "ag_ffffffffffffffffffff", "invalid_target"],
    ["an unknown alias", "nobody-here", "invalid_target"],
    ["another site", "https://example.org/m/x", "invalid_target"],
    ["a page of this board that is no message", "http://board.test/api/stats", "invalid_target"],
    ["an address inside an address", "http://board.test/m/http://board.test/m/", "invalid_target"],
    ["anything else", "everything", "invalid_target"],
    ["nothing", "", "invalid_target"],
    ["more than any name is long", "x".repeat(401), "invalid_target"],
  ] as const)("about %s is refused", async ([, target, code]) => {
    expectRefusal(await send(board, body(target)), 400, code);
  });

  test("with a field that breaks its rule is refused, and the rule is named", async () => {
    const { id } = message;
    const cases: readonly (readonly [string, string])[] = [
      [body(id, { explanation: "" }), "invalid_field"],
      [body(id, { explanation: "x".repeat(LIMITS.report_explanation_chars + 1) }), "invalid_field"],
      [body(id, { explanation: undefined }), "invalid_field"],
      [body(id, { category: "boring" }), "invalid_field"],
      [body(id, { contact: 1 }), "invalid_field"],
      [body(id, { name: "me" }), "unknown_field"],
      // Checking a megabyte of keys one by one would delay everybody.
      [JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, 0]))), "invalid_field"],
      [body(id, { explanation: "ten chars\u0000" }), "invalid_unicode"],
      [`{"target":"${id}","target":"${id}","category":"spam","explanation":"${WHY}"}`, "duplicate_key"],
      ["[]", "invalid_field"],
      ["{", "invalid_json"],
    ];
    for (const [text, code] of cases) expectRefusal(await send(board, text), 400, code as "invalid_field");
    const { hint } = expectRefusal(await send(board, body(id, { colour: "red" })), 400, "unknown_field");
    expect(hint).toBe("Leave the field out: there are target, category, explanation, contact.");
    expect((await send(board, body(id, { explanation: "x" }))).status).toBe(201);
    // Code points, not units: an emoji is one character.
    expect((await send(board, body(id, { explanation: "😀".repeat(LIMITS.report_explanation_chars) }))).status).toBe(201);
    expect((await send(board, body(id, { explanation: "😀".repeat(LIMITS.report_explanation_chars) }))).status).toBe(201);
  });

  test("hides nothing, moves nothing in the log, and is seen by nobody but as a count", async () => {
    const before = await board.get<{ log: { seq: number } }>("/api/stats");
    const secret = "the reporter's own secret words";
    const { body: said } = await send(board, body(message.id, { explanation: secret, contact: "me@example.org", category: "hate" }));
    expect((await board.record(message.id)).meta.title).toBe("reported");
    expect((await board.get<{ log: { seq: number } }>("/api/stats")).body.log.seq).toBe(before.body.log.seq);
    const { body: transparency } = await board.get<Transparency>("/api/transparency");
    expect(transparency.notices.by_category["hate"]).toBe(1);
    expect(transparency.notices.open).toBe(transparency.notices.received);
    expect(transparency.actions).toEqual([]);
    for (const path of [
      "/api/transparency",
      "/api/changes?include=raw&limit=1000",
      "/api/dump.jsonl",
      "/api/stats",
      "/api/messages?q=secret",
    ]) {
      const shown = JSON.stringify((await board.get(path)).body);
      for (const word of [secret, "me@example.org", said.report.id]) expect(shown, path).not.toContain(word);
    }
  });

  test("waits for the operator in the database, whole", () => {
    const db = openBeside(board.data);
    const row = db.prepare("SELECT * FROM notices WHERE category = 'hate'").get();
    expect(row).toMatchObject({ target: message.id, contact: "me@example.org", state: "received", closed_at: null });
    db.close();
  });
});

test("the text of a report is erased thirty days after its case was closed, even without posts, and the count stays", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { kind: "note", title: "reported" });
  const another = await board.put(board.agent(), { kind: "note", title: "reported too" });
  const explanation = "the reporter's own words";
  const sent = await send(board, body(id, { explanation, contact: "me@example.org" }));
  await send(board, body(another.id, { explanation: "nobody has looked at this one yet" }));
  {
    await using operator = await Operator.at(board);
    await operator.session.order({ do: "dismiss", notice: sent.body.report.id });
  }
  const db = openBeside(board.data);
  const texts = () => db.prepare("SELECT explanation, contact, state FROM notices ORDER BY state").all();
  const waiting = { explanation: "nobody has looked at this one yet", contact: null, state: "received" };
  // The time of closing is that of the operator's clock.
  const closedAt = db.prepare("SELECT closed_at FROM notices WHERE state = 'dismissed'").get()?.["closed_at"] as number;
  board.clock.advance(closedAt + 30 * DAY_MS - 1000 - board.clock.now());
  await board.get("/api/messages");
  expect(texts()).toEqual([{ explanation, contact: "me@example.org", state: "dismissed" }, waiting]);
  board.clock.advance(1000);
  await eventually("the texts go", () => (JSON.stringify(texts()).includes(explanation) ? undefined : true));
  expect(texts()).toEqual([{ explanation: "", contact: null, state: "dismissed" }, waiting]);
  db.close();
  const { body: transparency } = await board.get<Transparency>("/api/transparency");
  expect(transparency.notices).toMatchObject({ received: 2, open: 1, dismissed: 1, by_category: { spam: 2 } });
});

test("nor does the text of a closed report stay on a board on which nothing happens any more", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { kind: "note", title: "reported", ttl: "1m" });
  const sent = await send(board, body(id, { explanation: WHY, contact: "me@example.org" }));
  board.clock.advance(MINUTE_MS);
  await board.get("/api/messages");
  {
    await using operator = await Operator.at(board);
    await operator.session.order({ do: "dismiss", notice: sent.body.report.id });
  }
  using db = openBeside(board.data);
  board.clock.advance(31 * DAY_MS);
  const text = () => db.prepare("SELECT explanation, contact FROM notices").get();
  await eventually("the text goes", () => (text()?.["explanation"] === "" ? true : undefined));
  expect(text()).toEqual({ explanation: "", contact: null });
});

test("a board that may not write takes no reports, and says so", async () => {
  const first = await TestBoard.start();
  const { id } = await first.put(first.agent(), { kind: "note", title: "kept" });
  await first.stop();
  await using board = await TestBoard.start({ data: first.data, flags: ["--read-only", "on"] });
  expectRefusal(await send(board, body(id)), 503, "read_only");
});

test("one address has five reports, then one every twelve minutes", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "on"] });
  const { id } = await board.put(board.agent(), { kind: "note", title: "often reported" });
  for (let i = 0; i < 5; i++) expect((await send(board, body(id))).status).toBe(201);
  expect(expectRefusal(await send(board, body(id)), 429, "rate_limited").details).toMatchObject({ scope: "reports", retry_after_s: 720 });
  board.clock.advance(720_000);
  expect((await send(board, body(id))).status).toBe(201);
});

test("a malformed report does not count against the five, over HTTP, by form and through MCP; but it is not free either", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "on"] });
  const { id } = await board.put(board.agent(), { kind: "note", title: "reported with care" });
  for (let i = 0; i < 5; i++) {
    expectRefusal(await send(board, "{"), 400, "invalid_json");
    expectRefusal(await send(board, body(id, { category: "spma" })), 400, "invalid_field");
    expectRefusal(await send(board, body("nothing-here")), 400, "invalid_target");
    const form = new URLSearchParams({ target: id, category: "spam", explanation: "" });
    expect((await fetch(`${board.url}/report`, { method: "POST", body: form })).status).toBe(400);
    const tool = await sendMcp(board.url, call("report_message", { target: id }));
    expect(tool.text).toContain("invalid_field");
  }
  for (let i = 0; i < 5; i++) expect((await send(board, body(id))).status).toBe(201);
  expectRefusal(await send(board, body(id)), 429, "rate_limited");
  // A refusal by the rate limit gives nothing back; otherwise repeated requests would be a way around the limit.
  expectRefusal(await send(board, "{"), 429, "rate_limited");
  expectRefusal(await send(board, body(id)), 429, "rate_limited");
  // Nor does a refusal before anything was counted.
  const foreign = { method: "POST", body: new URLSearchParams({ target: id }), headers: { origin: "https://evil.example" } };
  expect((await fetch(`${board.url}/report`, foreign)).status).toBe(403);
  expect((await rawRequest(board.url, "POST /api/reports HTTP/1.1\r\nconnection: close\r\n\r\n")).status).toBe(400);
  expectRefusal(await send(board, body(id)), 429, "rate_limited");
  board.clock.advance(720_000);
  const statuses = [];
  for (let i = 0; i < 320; i++) statuses.push((await send(board, "{")).status);
  expect(statuses.at(-1)).toBe(429);
  expect(expectRefusal(await send(board, "{"), 429, "rate_limited").details).toMatchObject({ scope: "reads" });
});

test("a flood of reports ends before it fills the disk", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { kind: "note", title: "flooded" });
  const db = openBeside(board.data);
  db.exec(`WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${LIMITS.open_reports})
    INSERT INTO notices SELECT 'rp_' || value, 0, 'spam', '${id}', 'x', NULL, 'received', NULL FROM n`);
  expectRefusal(await send(board, body(id)), 503, "overloaded");
  db.exec("DELETE FROM notices WHERE id = 'rp_1'");
  expect((await send(board, body(id))).status).toBe(201);
  db.close();
});

test("one network cannot close the way to the operator for the others", async () => {
  await using board = await TestBoard.start({ flags: ["--trusted-proxies", "127.0.0.1"] });
  const { id } = await board.put(board.agent(), { kind: "note", title: "flooded" });
  const from = (address: string) => board.send(body(id), "/api/reports", { "x-forwarded-for": address });
  const share = LIMITS.open_reports_per_network;
  const sent = await Promise.all(Array.from({ length: share }, (_, n) => from(`2001:db8:5:${n.toString(16)}::1`)));
  expect(sent.filter(({ status }) => status === 201)).toHaveLength(share);
  expect(expectRefusal(await from("2001:db8:5:ffff::1"), 503, "overloaded").message).toContain("from your network");
  expect((await from("2001:db8:6::1")).status).toBe(201);
  expect((await from("203.0.113.7")).status).toBe(201);
});
