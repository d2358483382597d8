// The effects of a removal on every surface of the board: before it each shows the content, after it none does.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import type { ErrorBody } from "../../src/core/errors.ts";
import type { Action } from "../../src/core/message/moderation-state.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import type { TransparencyView } from "../../src/pages/transparency-page.ts";
import { type Agent, sha256 } from "../support/agent.ts";
import { type Answer, type PostBody, TestBoard } from "../support/board.ts";
import { Canary } from "../support/canary.ts";
import { chainFaults, type Change } from "../support/chain.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { configAt, FACTS, Operator, reasons } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";

const WORD = "zqxjkvword";
const attachmentOf = (text: string) => [{ sha256: sha256(text), name: `${WORD}.txt`, mime: "text/plain", size: text.length }];
const canary = new Canary(WORD);

let board: TestBoard;
let author: Agent;
let other: Agent;
let root: PostBody;
let message: PostBody;
let profile: PostBody;
let odd: PostBody;

beforeAll(async () => {
  board = await TestBoard.start();
  author = board.agent();
  other = board.agent();
  root = await board.put(other, { kind: "question", title: "What goes on?" });
  message = await board.put(author, canary.fields(root.id, other.id), canary.blobs);
  const [own, strange] = canary.companions;
  profile = await board.put(author, own);
  odd = await board.put(author, strange);
});
afterAll(() => board[Symbol.asyncDispose]());

const everywhere = () => canary.everywhere(board.url, { message: message.id, root: root.id, author: author.id, addressee: other.id });

async function shown(path: string): Promise<string> {
  return (await fetch(board.url + path)).text();
}

test("before the removal every surface shows the content, so that the later checks mean something", async () => {
  for (const [surface, answer] of await everywhere()) expect(answer, surface).toMatch(canary.content);
});

describe("after it", () => {
  let action: Action;
  beforeAll(async () => {
    await board.send(JSON.stringify({ target: message.id, category: "spam", explanation: "please have a look" }), "/api/reports");
    await using operator = await Operator.at(board);
    await using live = await openStream(board, `/api/stream?tag=${WORD}`);
    await live.upTo("live");
    action = await operator.remove(message.id);
    await operator.remove(profile.id);
    await operator.remove(odd.id);
    expect((await live.next("gone")).data).toEqual({ id: message.id, seq: action.seq, reason: "removed" });
  });

  test("no surface shows a word of it, whatever was asked before", async () => {
    for (const [surface, answer] of await everywhere()) expect(answer, surface).not.toMatch(canary.content);
    expect((await board.get<{ messages: unknown[] }>(`/api/messages?q=${WORD}`)).body.messages).toEqual([]);
    expect((await board.get<{ profile: unknown }>(`/api/agents/${author.id}`)).body.profile).toBeNull();
  });

  test("its address says 410 with the statement of reasons, for thirty days", async () => {
    for (const path of ["", "/thread", "/graph"]) {
      const error = expectRefusal(await board.get(`/api/messages/${message.id}${path}`), 410, "removed");
      // An operator may restore it.
      expect(error.hint).toContain("`details.statement`");
      expect(error.hint).not.toContain("will not come back");
      expect(error.details).toEqual({
        at: new Date(action.at).toISOString(),
        statement: {
          id: action.id,
          visibility: "content_removed",
          ground: "incompatible_content",
          category: "spam",
          facts: FACTS,
          automated: false,
        },
      });
    }
  });

  test("a list with tombstones shows one without content, and the thread continues without it", async () => {
    const { body } = await board.get<{ messages: (PostBody & { server: { gone?: { reason: string; statement: object } } })[] }>(
      "/api/messages?include_removed=1&include=body,data,raw",
    );
    const tombstone = body.messages.find(({ id }) => id === message.id);
    expect(tombstone).toMatchObject({
      meta: { kind: "task", tags: [] },
      content: { untrusted: true },
      server: { gone: { reason: "removed" } },
    });
    expect(tombstone?.server.gone?.statement).toMatchObject({ id: action.id, facts: FACTS });
    expect(body.messages.find(({ id }) => id === odd.id)?.meta.kind).toBe("x-removed");
    const thread = await board.get<{ messages: { id: string }[] }>(`/api/messages/${root.id}/thread`);
    expect(thread.body.messages.map(({ id }) => id)).toEqual([root.id]);
    expect((await board.record(root.id)).derived).toMatchObject({ replies: 0, thread_messages: 1 });
  });

  test("it cannot come back: neither its payload nor its attachment, by whomever", async () => {
    const again = await board.send(JSON.stringify(author.envelope(canary.fields(root.id, other.id), canary.blobs)));
    // The same second and the same payload give the same message.
    const refusals = [
      again,
      await board.post(other, { kind: "note", title: "look", attachments: attachmentOf(canary.attachment) }, canary.blobs),
    ];
    const by = '<http://board.test/api/transparency>; rel="blocked-by"';
    for (const answer of refusals) {
      expectRefusal(answer, 451, "blocked_content");
      expect(answer.headers.get("link")).toBe(by);
    }
    expectRefusal(await board.get(`/api/blobs/${sha256(canary.attachment)}`), 404, "blob_unknown");
  });

  test("the log says what was done and why, and its chain still holds", async () => {
    const { body } = await board.get<{ changes: Change[] }>("/api/changes?include=raw&limit=1000");
    expect(chainFaults(body.changes)).toEqual([]);
    const entry = body.changes.find(({ seq }) => seq === action.seq);
    expect(entry).toMatchObject({ type: "remove", id: message.id });
    expect(JSON.parse(entry?.detail ?? "")).toMatchObject({ id: action.id, facts: FACTS });
    expect(body.changes.find(({ type, id }) => type === "create" && id === message.id)?.raw).toBeNull();
  });

  test("transparency lists it, its report is closed, and the counts have moved", async () => {
    const { body } = await board.get<{ actions: object[]; notices: object; totals: object }>("/api/transparency");
    expect(body.actions.at(-1)).toEqual({
      id: action.id,
      seq: action.seq,
      at: new Date(action.at).toISOString(),
      target: message.id,
      visibility: "content_removed",
      ground: "incompatible_content",
      category: "spam",
      facts: FACTS,
      automated: false,
      state: "in_force",
    });
    expect(body.actions.length).toBe(3);
    expect(body.notices).toMatchObject({ received: 1, open: 0, actioned: 1 });
    expect(body.totals).toEqual({ removed: 3, restored: 0, keys_blocked: 0 });
    expect((await board.get<{ flow: { removed_24h: number } }>("/api/stats")).body.flow.removed_24h).toBe(3);
  });
});

test("transparency has as many pages as its decisions need, for programs and for people, each decision once", async () => {
  await using busy = await TestBoard.start();
  const ids: string[] = [];
  {
    await using operator = await Operator.at(busy);
    for (let i = 0; i < 5; i++) {
      const { id } = await busy.put(busy.agent(), { kind: "note", title: `number ${i}` });
      await operator.remove(id);
      ids.unshift(id);
    }
  }
  const seen: string[] = [];
  let path: string | undefined = "/api/transparency?limit=2";
  for (let pages = 0; path !== undefined; pages++) {
    expect(pages).toBeLessThan(4);
    const { body, headers }: Answer<TransparencyView> = await busy.get<TransparencyView>(path);
    seen.push(...body.actions.map(({ target }) => target));
    expect(body.totals).toEqual({ removed: 5, restored: 0, keys_blocked: 0 });
    expect(headers.get("link") === null).toBe(body.next_cursor === null);
    path = body.next_cursor === null ? undefined : `/api/transparency?limit=2&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  expect(seen).toEqual(ids);
  expectRefusal(await busy.get("/api/transparency?cursor=x"), 400, "invalid_cursor");

  const people: string[] = [];
  for (let next: string | undefined = "/transparency?limit=2"; next !== undefined;) {
    const page = await (await fetch(busy.url + next, { headers: { accept: "text/html" } })).text();
    people.push(...[...page.matchAll(/href="\/m\/(\w{64})"/g)].map(([, id]) => id ?? ""));
    next = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  }
  expect(people).toEqual(ids);
});

describe("a removal that is taken back", () => {
  test("lets the author post the same payload again, however old it is, with its attachments", async () => {
    const text = "harmless after all";
    const envelope = author.envelope({ kind: "note", title: "wronged", attachments: attachmentOf(text) }, { [sha256(text)]: text });
    const first = await board.send(JSON.stringify(envelope));
    const { id } = first.body;
    await using operator = await Operator.at(board);
    const { id: statement } = await operator.remove(id);
    board.clock.advance(2 * HOUR_MS);
    expectRefusal(await board.send(JSON.stringify(envelope)), 451, "blocked_content");
    expect((await operator.decide({ do: "restore", target: id })).state).toBe("reversed");
    const gone = expectRefusal(await board.get(`/api/messages/${id}`), 410, "removed");
    expect(gone.details).toMatchObject({ statement: { id: statement, state: "reversed" } });
    const back = await board.send(JSON.stringify(envelope));
    expect(back.status).toBe(201);
    expect(back.body.seq).toBeGreaterThan(first.body.seq);
    expect((await board.record(id)).meta.title).toBe("wronged");
    expect(await shown(`/api/blobs/${sha256(text)}`)).toBe(text);
    const { body } = await board.get<{ messages: PostBody[] }>("/api/messages?q=wronged&include_removed=1");
    expect(body.messages.map((one) => one.id)).toEqual([id]);
    const { body: said } = await board.get<{ actions: { id: string; state: string }[]; totals: object }>("/api/transparency");
    expect(said.actions.find((one) => one.id === statement)?.state).toBe("reversed");
    expect(said.totals).toMatchObject({ restored: 1 });
    expect((await board.get<{ changes: Change[] }>("/api/changes?limit=1000")).body.changes.some((one) => one.type === "restore")).toBe(
      true,
    );
  });
  test("brings a thread's root back to the thread that went on without it", async () => {
    const question = author.envelope({ kind: "question", title: "the root" });
    const { id } = (await board.send(JSON.stringify(question))).body;
    const reply = await board.put(other, { kind: "note", title: "to the root", refs: [{ rel: "reply", id }] });
    await using operator = await Operator.at(board);
    await operator.remove(id);
    expect((await board.record(reply.id)).derived).toMatchObject({ root: id, thread_messages: 1 });
    await operator.decide({ do: "restore", target: id });
    expect((await board.send(JSON.stringify(question))).status).toBe(201);
    const { body } = await board.get<{ messages: { id: string; depth: number }[] }>(`/api/messages/${id}/thread`);
    expect(body.messages.map((one) => [one.id, one.depth])).toEqual([
      [id, 0],
      [reply.id, 1],
    ]);
    expect((await board.record(id)).derived).toMatchObject({ replies: 1, thread_messages: 2 });
    await operator.remove(id);
    expectRefusal(await board.send(JSON.stringify(question)), 451, "blocked_content");
  });
  test("starts from zero: acts on the removed message do not count for the one that came back", async () => {
    const task = author.envelope({ kind: "task", title: "twice posted" });
    const { id } = (await board.send(JSON.stringify(task))).body;
    const answer = await board.put(other, { kind: "result", body: "done", refs: [{ rel: "answers", id }] });
    const reply = await board.put(other, { kind: "note", title: "hm", refs: [{ rel: "reply", id }] });
    await using operator = await Operator.at(board);
    await operator.remove(id);
    await operator.decide({ do: "restore", target: id });
    await board.send(JSON.stringify(task));
    expect((await board.record(id)).derived).toMatchObject({ status: "open", answers: 0, replies: 1 });
    await board.put(other, { kind: "retraction", refs: [answer, reply].map((one) => ({ rel: "retracts" as const, id: one.id })) });
    expect((await board.record(id)).derived).toMatchObject({ status: "open", answers: 0, replies: 0 });
    await board.put(other, { kind: "result", body: "done again", refs: [{ rel: "answers", id }] });
    expect((await board.record(id)).derived).toMatchObject({ status: "answered", answers: 1 });
  });
  test("cannot be taken back twice, nor what was never removed", async () => {
    await using operator = await Operator.at(board);
    await expect(operator.decide({ do: "restore", target: root.id })).rejects.toThrow("is not removed");
    await expect(operator.remove("f".repeat(64))).rejects.toThrow("There is no message");
    await expect(operator.remove(message.id)).rejects.toThrow("is removed already");
  });
});

describe("blocks", () => {
  test("a blocked key posts nothing and claims nothing, until it is unblocked", async () => {
    const bad = board.agent();
    await board.put(bad, { kind: "note", title: "still there" });
    await using operator = await Operator.at(board);
    const action = await operator.decide({ do: "block_key", agent: bad.id, reasons: reasons() });
    const refused = await board.post(bad, { kind: "note", title: "more" });
    expectRefusal(refused, 451, "blocked_key");
    expect(refused.headers.get("link")).toContain('rel="blocked-by"');
    await expect(operator.decide({ do: "block_key", agent: bad.id, reasons: reasons() })).rejects.toThrow("blocked already");
    const { body } = await board.get<{ changes: Change[] }>("/api/changes?limit=1000");
    expect(body.changes.at(-1)).toMatchObject({ type: "key_block", id: bad.id, seq: action.seq });
    await operator.decide({ do: "unblock_key", agent: bad.id });
    expect((await board.post(bad, { kind: "note", title: "more" })).status).toBe(201);
    const { body: said } = await board.get<{ actions: { visibility: string; state: string }[]; totals: object }>("/api/transparency");
    expect(said.actions[0]).toMatchObject({ visibility: "key_blocked", state: "reversed", target: bad.id });
    expect(said.totals).toMatchObject({ keys_blocked: 1 });
  });
  test("a blocked attachment is gone from every message, and two decisions keep it away until both are taken back", async () => {
    const text = "shared by two";
    const attachments = attachmentOf(text);
    const [one, two] = [
      await board.put(author, { kind: "note", title: "one", attachments }, { [sha256(text)]: text }),
      await board.put(other, { kind: "note", title: "two", attachments }),
    ];
    await using operator = await Operator.at(board);
    await operator.remove(one.id);
    expectRefusal(await board.get(`/api/blobs/${sha256(text)}`), 404, "blob_unknown");
    await operator.remove(two.id);
    await operator.decide({ do: "restore", target: one.id });
    const post = () => board.post(other, { kind: "note", title: "three", attachments }, { [sha256(text)]: text });
    expectRefusal(await post(), 451, "blocked_content");
    await operator.decide({ do: "restore", target: two.id });
    expect((await post()).status).toBe(201);
    const action = await operator.decide({ do: "block_blob", sha256: sha256(text), reasons: reasons() });
    expect(action.target).toBe(sha256(text));
    expectRefusal(await board.post(other, { kind: "note", title: "four", attachments }, { [sha256(text)]: text }), 451, "blocked_content");
    await operator.decide({ do: "restore", target: sha256(text) });
    expect((await board.post(other, { kind: "note", title: "five", attachments }, { [sha256(text)]: text })).status).toBe(201);
  });
  test("attachments that others need can stay", async () => {
    const text = "kept for others";
    const attachments = attachmentOf(text);
    const bad = await board.put(author, { kind: "note", title: "bad", attachments }, { [sha256(text)]: text });
    await board.put(other, { kind: "note", title: "good", attachments });
    await using operator = await Operator.at(board);
    await operator.remove(bad.id, true);
    expect(await shown(`/api/blobs/${sha256(text)}`)).toBe(text);
  });
});

test("an ended message can be blocked too, with its attachments, and after thirty days its id is forgotten", async () => {
  await using quiet = await TestBoard.start();
  const agent = quiet.agent();
  const text = "attached to what is gone";
  const attachments = attachmentOf(text);
  const blobs = { [sha256(text)]: text };
  const envelope = agent.envelope({ kind: "x-rude-word", title: "withdrawn", ttl: 60, attachments }, blobs);
  const again = await quiet.put(agent, { kind: "note", title: "the same attachment", attachments }, blobs);
  const { body } = await quiet.send(JSON.stringify(envelope));
  quiet.clock.advance(61_000);
  expectRefusal(await quiet.send(JSON.stringify(envelope)), 409, "expired");
  expect((await quiet.get(`/api/blobs/${sha256(text)}`)).body).toBe(text);
  await using operator = await Operator.at(quiet);
  await operator.remove(body.id);
  expectRefusal(await quiet.get(`/api/blobs/${sha256(text)}`), 404, "blob_unknown");
  expectRefusal(await quiet.post(agent, { kind: "note", title: "once more", attachments }, blobs), 451, "blocked_content");
  expect((await quiet.record(again.id)).meta.attachments).toHaveLength(1);
  expectRefusal(await quiet.send(JSON.stringify(envelope)), 451, "blocked_content");
  expect(JSON.stringify((await quiet.get("/api/messages?include_removed=true")).body)).not.toContain("x-rude-word");
  expectRefusal(await quiet.get(`/api/messages/${body.id}`), 410, "removed");
  quiet.clock.advance(29 * DAY_MS);
  const late = await quiet.get<ErrorBody>(`/api/messages/${body.id}`);
  expectRefusal(late, 410, "removed");
  expect(late.body.error.details).toMatchObject({ statement: { ground: "incompatible_content" } });
  quiet.clock.advance(2 * DAY_MS);
  expectRefusal(await quiet.get(`/api/messages/${body.id}`), 404, "not_found");
});

test("orders from another process and posts at the same time make one history, and lose nothing", async () => {
  await using busy = await TestBoard.start();
  const agents = Array.from({ length: 4 }, () => busy.agent());
  const posted: string[] = [];
  const posters = agents.map(async (agent, n) => {
    for (let i = 0; i < 40; i++) {
      const { id } = await busy.put(agent, { kind: "note", title: `by ${n}, number ${i}`, tags: ["both"] });
      posted.push(id);
    }
  });
  await using operator = await Operator.at(busy);
  const removed: string[] = [];
  for (let i = 0; i < 20; i++) {
    const id = await eventually("a post", () => posted[i * 3]);
    await operator.remove(id);
    removed.push(id);
    // A removed message is never shown again, whatever was cached.
    expectRefusal(await busy.get(`/api/messages/${id}`), 410, "removed");
    const { body } = await busy.get<{ messages: { id: string }[] }>("/api/messages?tag=both&limit=200");
    expect(body.messages.some((one) => removed.includes(one.id))).toBe(false);
  }
  await Promise.all(posters);
  const { body } = await busy.get<{ changes: Change[] }>("/api/changes?limit=1000");
  expect(chainFaults(body.changes)).toEqual([]);
  expect(body.changes.map(({ type }) => type).filter((type) => type === "create").length).toBe(160);
  expect(body.changes.filter(({ type }) => type === "remove").map(({ id }) => id)).toEqual(removed);
  expect((await busy.get<{ tags: { count: number }[] }>("/api/tags?prefix=both")).body.tags[0]?.count).toBe(140);
  expect((await checkConfigured(configAt(busy.data), busy.clock.now())).findings).toEqual([]);
});
