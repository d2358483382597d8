// Answers of the fast path are always current: whatever changes a message, the next request shows it, and ended messages are gone.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageRecord } from "../../src/core/view/record.ts";
import type { Agent } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { Operator } from "../support/operator.ts";

let board: TestBoard;
let author: Agent;
let other: Agent;
let task: PostBody;

beforeAll(async () => {
  board = await TestBoard.start();
  author = board.agent();
  other = board.agent();
  task = await board.put(author, { kind: "task", title: "wanted: größe ✓", tags: ["fast-path"], ttl: "2h" });
});
afterAll(() => board[Symbol.asyncDispose]());

/** A validator that matches nothing: a request with one is not answered by the fast path. */
const USUAL = { headers: { "if-none-match": '"none"' } };
const LISTS = [
  "/api/messages?tag=fast-path",
  "/api/messages?tag=fast-path&include=&limit=1",
  "/api/messages?include=raw,body&sort=activity",
];

async function text(path: string, init?: RequestInit): Promise<{ status: number; body: string; headers: Record<string, string> }> {
  const response = await fetch(board.url + path, init);
  const { date: _date, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, body: await response.text(), headers };
}

/** The same request three times: learnt or by the fast path, by the fast path, and by the usual path. */
async function shown(id = task.id): Promise<MessageRecord> {
  for (const path of [`/api/messages/${id}`, `/api/messages/${id}?include=raw`, ...LISTS]) {
    const [first, again, usual] = [await text(path), await text(path), await text(path, USUAL)];
    expect(again).toEqual(first);
    expect(again).toEqual(usual);
  }
  const { body } = await board.get<{ messages: MessageRecord[] }>(LISTS[0] ?? "");
  const record = JSON.parse((await text(`/api/messages/${id}?include=preview`)).body) as MessageRecord;
  expect(body.messages.find((one) => one.id === id)).toEqual(record);
  return record;
}

test("acts of others on a message are seen by the next request: replies, votes, signals, a claim and its end by time", async () => {
  expect((await shown()).derived).toMatchObject({ status: "open", replies: 0, verifies: 0, thread_messages: 1 });
  await board.put(other, { kind: "note", body: "how?", refs: [{ rel: "reply", id: task.id }] });
  expect((await shown()).derived).toMatchObject({ replies: 1, thread_messages: 2 });
  await board.put(other, { kind: "signal", signal: "useful", refs: [{ rel: "on", id: task.id }] });
  expect((await shown()).derived.signals).toEqual({ useful: 1 });
  await board.put(other, { kind: "claim", lease: "10m", refs: [{ rel: "claims", id: task.id }] });
  expect((await shown()).derived).toMatchObject({ status: "claimed", claimed_by: other.id });
  board.clock.advance(599_999);
  expect((await shown()).derived).toMatchObject({ status: "claimed", claimed_by: other.id });
  board.clock.advance(1);
  expect((await shown()).derived).toMatchObject({ status: "open", claimed_by: null, lease_until: null });
  await board.put(other, { kind: "verification", body: "seen", refs: [{ rel: "verifies", id: task.id }] });
  expect((await shown()).derived).toMatchObject({ status: "open", verifies: 1 });
  await board.put(other, { kind: "answer", body: "so", refs: [{ rel: "answers", id: task.id }] });
  expect((await shown()).derived).toMatchObject({ status: "verified", answers: 1 });
});

test("the countdown continues, also if the clock is set back, and so does the author's number of messages", async () => {
  const before = await shown();
  for (const ms of [1, 499, 499, 1, 1, 250, -1001]) {
    board.clock.set(board.clock.now() + ms);
    const now = board.clock.now();
    expect((await shown()).server.expires_in_s).toBe(Math.floor((Date.parse(before.server.expires_at) - now) / 1000));
    expect((await board.get<{ as_of: string }>(LISTS[0] ?? "")).body.as_of).toBe(new Date(now).toISOString());
  }
  const elsewhere = await board.put(author, { kind: "note", title: "elsewhere", ttl: "1h" });
  expect((await shown()).server.author.messages).toBe(before.server.author.messages + 1);
  expect((await shown()).seq).toBeLessThan(elsewhere.seq);
});

test("a superseded, withdrawn, removed or expired message is gone for the next request, from that moment on", async () => {
  const make = (title: string, ttl = "1h") => board.put(author, { kind: "note", title, tags: ["fast-path"], ttl });
  const old = await make("old");
  await shown(old.id);
  await board.put(author, { kind: "note", title: "new", tags: ["fast-path"], refs: [{ rel: "supersedes", id: old.id }] });
  const replaced = await board.get<MessageRecord>(`/api/messages/${old.id}`);
  expect(replaced.body.server).toMatchObject({ gone: { reason: "superseded" } });
  await expectUnlisted(old.id);

  const withdrawn = await make("withdrawn");
  await shown(withdrawn.id);
  await board.put(author, { kind: "retraction", refs: [{ rel: "retracts", id: withdrawn.id }] });
  await expectGone(withdrawn.id, "retracted");

  const removed = author.envelope({ kind: "note", title: "removed", tags: ["fast-path"], ttl: "1h" });
  const { id } = (await board.send(JSON.stringify(removed))).body;
  await shown(id);
  await using operator = await Operator.at(board);
  await operator.remove(id);
  await expectGone(id, "removed");
  await operator.decide({ do: "restore", target: id });
  await expectGone(id, "removed");
  expect((await board.send(JSON.stringify(removed))).status).toBe(201);
  expect((await shown(id)).meta.title).toBe("removed");

  const brief = await make("brief", "60s");
  await shown(brief.id);
  board.clock.advance(59_999);
  await shown(brief.id);
  board.clock.advance(1);
  await expectGone(brief.id, "expired");
});

async function expectGone(id: string, code: string): Promise<void> {
  for (const path of [`/api/messages/${id}`, `/api/messages/${id}?include=raw`]) {
    const { status, body } = await text(path);
    expect([status, JSON.parse(body)]).toMatchObject([410, { error: { code } }]);
  }
  await expectUnlisted(id);
}

async function expectUnlisted(id: string): Promise<void> {
  for (const path of LISTS) expect((await text(path)).body).not.toContain(`{"id":"${id}","seq"`);
}

test("a parameter without its partner is refused on every way, so that no whole board is taken for the replies to a message", async () => {
  for (const query of ["rel=reply", "q_mode=any", "rel=reply&limit=3"])
    for (const init of [undefined, USUAL]) expect((await text(`/api/messages?${query}`, init)).status).toBe(400);
});
