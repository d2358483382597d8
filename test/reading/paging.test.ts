// Paging through a board that changes: a message that exists from start to end comes once, in every sort, whatever happens between pages.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { type Put, putAll } from "../support/crowd.ts";
import { openBeside, plantRemoved } from "../support/database.ts";
import { allPages, type ListBody, page, type Parameters } from "../support/listing.ts";
import { Motion } from "../support/motion.ts";
import { inOrder } from "../support/naive-filter.ts";
import { Random, SEED } from "../support/random.ts";
import { expectRefusal } from "../support/refusal.ts";

let moving: TestBoard;
beforeAll(async () => {
  moving = await TestBoard.start();
});
afterAll(() => moving[Symbol.asyncDispose]());

async function inMotion(parameters: Parameters): Promise<void> {
  const tag = new URLSearchParams(parameters).toString().replaceAll(/\W/g, "-").slice(0, 32);
  const motion = new Motion(moving, new Random(SEED), tag);
  await motion.plant();
  let turns = 0;
  const asked = { tag, ...parameters };
  const first = new Set((await page(moving, "/api/messages", { ...asked, limit: "200" })).messages.map((one) => one.id));
  const seen = await allPages(moving, "/api/messages", { ...asked, limit: "5" }, async () => {
    if (turns++ < 6) await motion.turn();
    if (turns === 3) motion.expireSome();
  });
  expect(turns).toBeGreaterThanOrEqual(3);
  const count = new Map<string, number>();
  for (const { id } of seen) count.set(id, (count.get(id) ?? 0) + 1);
  const still = motion.still.filter((id) => first.has(id));
  expect(still.length).toBeGreaterThan(2);
  expect(still.filter((id) => count.get(id) !== 1)).toEqual([]);
  // Sort keys of other messages may cross the reader's position, in either direction, only if the sort uses such a key.
  if (!["activity", "verified"].includes(parameters["sort"] ?? "")) expect([...count].filter(([, times]) => times > 1)).toEqual([]);
}

describe(`paging never misses or repeats a message that did not change (SEED=${SEED})`, () => {
  test.each(["new", "old", "expiring", "pow"])("sort=%s: nothing at all is repeated", (sort) => inMotion({ sort }));
  // A smaller promise: a message whose own activity or verifications change during paging may come twice or not at all.
  test.each(["activity", "verified"])("sort=%s: of those whose key did not change", (sort) => inMotion({ sort }));
  test("sort=relevance by words, however the board's word counts change", () => inMotion({ q: "shared words" }));
  test("sort=relevance by any of several words", () => inMotion({ q: "alpha beta shared", q_mode: "any" }));
  test("sort=relevance by similarity", () => inMotion({ near: "shared words alpha beta gamma delta epsilon" }));
  test("by words and by similarity at once", () => inMotion({ q: "shared", near: "shared words alpha beta gamma delta epsilon" }));
  test.each(["new", "old", "expiring"])("words, in the order %s", (sort) => inMotion({ q: "shared", sort }));
  test("similar messages, in the order new: they stay similar during paging", () =>
    inMotion({ near: "shared words alpha beta gamma delta epsilon", sort: "new" }));
});

describe("pages of widened listings", () => {
  let board: TestBoard;
  afterAll(() => board[Symbol.asyncDispose]());
  beforeAll(async () => {
    board = await TestBoard.start();
    const agent = board.agent();
    const notes = await putAll(
      board,
      Array.from({ length: 12 }, (_, i) => ({ kind: "note", title: `note ${i}` })),
      [agent],
    );
    const [first, second, third] = notes;
    for (const gone of [first, third]) await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: gone?.id ?? "" }] });
    await board.put(agent, { kind: "note", title: "new", refs: [{ rel: "supersedes", id: second?.id ?? "" }] });
    const db = openBeside(board.data);
    plantRemoved(db, "a".repeat(64), board.clock.now());
    db.close();
  });

  test.each(["new", "old", "activity", "expiring", "verified", "pow"])(
    "sort=%s goes through tombstones and superseded ones too",
    async (sort) => {
      const wide = { include_removed: "true", include_superseded: "true", sort };
      const paged = await allPages(board, "/api/messages", { ...wide, limit: "2" });
      const whole = await page(board, "/api/messages", { ...wide, limit: "200" });
      expect(paged.map((one) => one.id)).toEqual(whole.messages.map((one) => one.id));
      expect(new Set(paged.map((one) => one.id)).size).toBe(12 + 2 + 1 + 1);
    },
  );
});

test("open work pages through what the caller can do first, then the rest, while work comes and goes", async () => {
  await using board = await TestBoard.start();
  const [asker, worker] = [board.agent(), board.agent()];
  const able = (i: number) => i % 3 === 0;
  const tasks = await putAll(
    board,
    Array.from({ length: 24 }, (_, i) => ({ kind: "task", title: `task ${i}`, needs: able(i) ? ["gpu", "time"] : [], tags: ["t"] })),
    [asker],
  );
  const meets = (one: Put) => able(tasks.indexOf(one));
  const taken = [tasks[1], tasks[6], tasks[23]];
  let turn = 0;
  const seen = await allPages(board, "/api/work", { offers: "GPU,german", tags: "t", limit: "5" }, async () => {
    await board.put(asker, { kind: "task", title: `late ${turn}`, needs: turn % 2 ? ["gpu"] : [], tags: ["t"] });
    const one = taken[turn++];
    if (one !== undefined) await board.put(worker, { kind: "claim", refs: [{ rel: "claims", id: one.id }] });
  });
  const ids = seen.map((one) => one.id);
  expect(new Set(ids).size).toBe(ids.length);
  const still = tasks.filter((one) => !taken.includes(one));
  const expected = [...still.filter(meets), ...still.filter((one) => !meets(one))].map((one) => one.id);
  expect(ids.filter((id) => expected.includes(id))).toEqual(expected);
  for (const { match, meta } of seen)
    expect(match).toEqual({ needs: meta.needs?.includes("gpu") ? ["gpu"] : [], of: meta.needs?.length ?? 0 });
  const matching = await allPages(board, "/api/work", { needs: "time", tags: "t", limit: "5" });
  expect(matching.map(({ id }) => id)).toEqual(still.filter(meets).map(({ id }) => id));
});

describe("a cursor", () => {
  let board: TestBoard;
  let agent: Agent;
  const list = async (query: string) => board.get<ListBody>(`/api/messages?${query}`);
  const cursorOf = async (query: string, path = "/api/messages") => {
    const { body } = await board.get<ListBody>(`${path}?${query}`);
    if (body.next_cursor === null || body.next_cursor === undefined) throw new Error(`No next page: ${JSON.stringify(body)}`);
    return body.next_cursor;
  };

  beforeAll(async () => {
    board = await TestBoard.start({ flags: ["--base-url", "https://board.example"] });
    agent = board.agent();
    const task = (i: number) => ({
      kind: "task",
      title: `task ${i} of many words`,
      tags: ["t", i % 2 ? "odd" : "even"],
      needs: ["hands"],
      to: agent.id,
      ttl: "12h",
    });
    await putAll(
      board,
      Array.from({ length: 12 }, (_, i) => task(i)),
      [agent],
    );
  });
  afterAll(() => board[Symbol.asyncDispose]());

  test.each([
    ["limit=2", "limit=2&tag=t"],
    ["limit=2&tag=t", "limit=2"],
    ["limit=2&tag=t", "limit=2&tag=odd"],
    ["limit=2", "limit=2&sort=old"],
    ["limit=2&sort=pow", "limit=2&sort=expiring"],
    ["limit=2", "limit=2&include_superseded=1"],
    ["limit=2", "limit=2&include_removed=1"],
    ["limit=2&q=words", "limit=2&q=task"],
    ["limit=2&q=words", "limit=2"],
    ["limit=2", "limit=2&q=words"],
    ["limit=2&q=words", "limit=2&q=words&q_mode=any"],
    ["limit=2&q=words", "limit=2&q=words&sort=new"],
    ["limit=2&q=words&sort=new", "limit=2&q=words"],
    ["limit=2&near=task%20of%20many%20words", "limit=2&near=many%20words%20of"],
    ["limit=2", "limit=2&after_seq=1"],
  ])("of %s is refused with %s", async (asked, other) => {
    const cursor = await cursorOf(asked);
    expect((await list(`${asked}&cursor=${cursor}`)).status).toBe(200);
    expectRefusal(await list(`${other}&cursor=${cursor}`), 400, "cursor_mismatch");
  });

  test("of one listing is refused by another", async () => {
    const near = "text=task%20of%20many%20words";
    const paths = ["/api/messages", "/api/work", "/api/expiring", `/api/inbox/${agent.id}`];
    for (const from of paths) {
      const cursor = await cursorOf("limit=2", from);
      expect((await board.get(`${from}?limit=2&cursor=${cursor}`)).status).toBe(200);
      for (const to of paths) {
        if (to !== from) expectRefusal(await board.get(`${to}?limit=2&cursor=${cursor}`), 400, "cursor_mismatch");
      }
      expectRefusal(await board.get(`/api/similar?limit=2&${near}&cursor=${cursor}`), 400, "cursor_mismatch");
    }
    const similar = await cursorOf(`limit=2&${near}`, "/api/similar");
    expect((await board.get(`/api/similar?limit=2&${near}&cursor=${similar}`)).status).toBe(200);
    expectRefusal(await board.get(`/api/messages?limit=2&near=task%20of%20many%20words&cursor=${similar}`), 400, "cursor_mismatch");
    expectRefusal(await board.get(`/api/work?needs=hands&cursor=${await cursorOf("limit=2", "/api/work")}`), 400, "cursor_mismatch");
  });

  test("may be used with another limit, other fields and another format", async () => {
    const cursor = await cursorOf("limit=2");
    for (const more of ["limit=5", "limit=2&fields=meta.title", "limit=2&include=body,raw", "limit=2&format=md"])
      expect((await list(`${more}&cursor=${cursor}`)).status, more).toBe(200);
  });

  test("that was tampered with, or is none, is refused", async () => {
    const cursor = await cursorOf("limit=2");
    const [text = "", seal = ""] = cursor.split(".");
    const forged = Buffer.from(Buffer.from(text, "base64url").toString().replace(/\d/g, "1")).toString("base64url");
    const bad = ["", ".", "x", "a.b", "%00", text, `.${seal}`, `${text}.`, `${forged}.${seal}`, `${cursor}.x`, `${cursor}.`, `${cursor}x`];
    const bits = [0, 5, text.length + 3].map((i) => cursor.slice(0, i) + (cursor[i] === "A" ? "B" : "A") + cursor.slice(i + 1));
    for (const one of [...bad, ...bits, "null", "eyJ9", "🌍".repeat(50), "A".repeat(5000)])
      for (const path of ["/api/messages", "/api/work", "/api/expiring", `/api/inbox/${agent.id}`])
        expectRefusal(await board.get(`${path}?limit=2&cursor=${one === "%00" ? one : encodeURIComponent(one)}`), 400, "invalid_cursor");
    expectRefusal(await board.get(`/api/similar?text=words&cursor=x`), 400, "invalid_cursor");
  });

  test("of another board is refused", async () => {
    await using other = await TestBoard.start();
    await putAll(
      other,
      [1, 2, 3].map((i) => ({ kind: "note", title: `n${i}` })),
    );
    const { next_cursor: cursor } = await page(other, "/api/messages", { limit: "2" });
    expectRefusal(await list(`limit=2&cursor=${cursor}`), 400, "invalid_cursor");
  });

  test("outlives a restart of the board", async () => {
    const first = await TestBoard.start();
    await putAll(
      first,
      [1, 2, 3].map((i) => ({ kind: "note", title: `n${i}` })),
    );
    const before = await page(first, "/api/messages", { limit: "2" });
    await first.stop();
    await using second = await TestBoard.start({ data: first.data, clock: first.clock });
    const after = await page(second, "/api/messages", { limit: "2", cursor: before.next_cursor ?? "" });
    expect(after.messages.map((one) => one.meta.title)).toEqual(["n1"]);
  });

  test("also comes as a Link header that can be followed to the end", async () => {
    const seen: string[] = [];
    let path: string | undefined = "/api/messages?limit=5&tag=t&q=many%20words";
    while (path !== undefined) {
      const { body, headers }: Awaited<ReturnType<typeof list>> = await board.get<ListBody>(path);
      seen.push(...body.messages.map((one) => one.id));
      const link = headers.get("link");
      const next: string | undefined = link === null ? undefined : /^<(https:\/\/board\.example\/[^>]+)>; rel="next"$/.exec(link)?.[1];
      expect(next === undefined).toBe(body.next_cursor === null);
      path = next?.replace("https://board.example", "");
    }
    expect(new Set(seen).size).toBe(12);
    expect(seen).toHaveLength(12);
  });

  test("is null exactly on the last page, also when that page is full", async () => {
    for (const limit of [1, 5, 6, 11, 12, 13]) {
      const parameters = { limit: String(limit), tag: "t" };
      const got = await page(board, "/api/messages", parameters);
      expect(got.next_cursor === null, `limit ${limit}`).toBe(limit >= 12);
      expect(await allPages(board, "/api/messages", parameters)).toHaveLength(12);
    }
  });
});

describe("how much a page holds", () => {
  let board: TestBoard;
  beforeAll(async () => {
    board = await TestBoard.start();
    await putAll(
      board,
      Array.from({ length: 210 }, (_, i) => ({ kind: "note", title: `note ${i}` })),
    );
  });
  afterAll(() => board[Symbol.asyncDispose]());

  test("50 unless asked otherwise, 1 to 200 when asked", async () => {
    expect((await page(board, "/api/messages")).messages).toHaveLength(50);
    expect((await page(board, "/api/messages", { limit: "1" })).messages).toHaveLength(1);
    expect((await page(board, "/api/messages", { limit: "200" })).messages).toHaveLength(200);
  });
  test.each(["0", "201", "-1", "1.5", "1e1", "", "x", "999999999999999999", "%2B5", "0x10", "05"])("limit=%s is refused", async (limit) => {
    for (const path of ["/api/messages?", "/api/work?", "/api/expiring?", `/api/inbox/ag_${"0".repeat(20)}?`, "/api/similar?text=note&"])
      expectRefusal(await board.get(`${path}limit=${limit}`), 400, "invalid_parameter");
  });
  test("after_seq gives what came later and nothing else, and pages like any other listing", async () => {
    const all = await allPages(board, "/api/messages", { sort: "old", limit: "200" });
    const middle = all[100]?.seq ?? 0;
    const later = await allPages(board, "/api/messages", { sort: "old", limit: "30", after_seq: String(middle) });
    expect(later.map((one) => one.id)).toEqual(all.slice(101).map((one) => one.id));
    const { latest_seq: head } = await page(board, "/api/messages", { limit: "1" });
    expect((await page(board, "/api/messages", { after_seq: String(head) })).messages).toEqual([]);
    expect(await page(board, "/api/messages", { after_seq: String(head + 1000) })).toMatchObject({ messages: [], latest_seq: head });
    expect((await page(board, "/api/messages", { after_seq: "0", limit: "200" })).messages).toHaveLength(200);
    for (const bad of ["-1", "1.5", "", "x"]) expectRefusal(await board.get(`/api/messages?after_seq=${bad}`), 400, "invalid_parameter");
  });
  test("ties are broken by seq, so that every order is a total one", async () => {
    for (const sort of ["activity", "expiring", "verified", "pow"]) {
      const seen = await allPages(board, "/api/messages", { sort, limit: "33" });
      const plain = inOrder(
        seen.map((record) => ({ record, seq: record.seq })),
        sort,
      );
      expect(
        seen.map((one) => one.seq),
        sort,
      ).toEqual(plain.map((one) => one.seq));
    }
  });
});
