// The effects of time on messages, leases, votes and attachments, with and without requests.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { type Agent, sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { type Change, chainFaults } from "../support/chain.ts";
import { openBeside, rowCounts } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { expectRefusal } from "../support/refusal.ts";

const iso = (ms: number) => new Date(ms).toISOString();

async function changes(board: TestBoard, query = "?limit=1000"): Promise<readonly Change[]> {
  return (await board.get<{ changes: Change[] }>(`/api/changes${query}`)).body.changes;
}

/** The entry of a type about a message, as soon as the board has written it by itself. */
const entry = (board: TestBoard, id: string, type: string, detail: string | null = null) =>
  eventually(`${type} of ${id}: ${detail}`, async () =>
    (await changes(board)).findLast((one) => one.id === id && one.type === type && one.detail === detail),
  );
const moved = (board: TestBoard, id: string, from: string, to: string) => entry(board, id, "status", JSON.stringify({ from, to }));

function contents(board: TestBoard): number {
  const db = openBeside(board.data);
  const rows = db.prepare("SELECT count(*) AS n FROM contents").get()?.["n"];
  db.close();
  return Number(rows);
}

const claim = (id: string, lease: string) => ({ kind: "claim", lease, refs: [{ rel: "claims" as const, id }] });
const answer = (id: string, more: object = {}) => ({ kind: "answer", body: "42", refs: [{ rel: "answers" as const, id }], ...more });
const check = (rel: "verifies" | "refutes", id: string, more: object = {}) => ({
  kind: "verification",
  body: "checked",
  refs: [{ rel, id }],
  ...more,
});

describe("a board that cannot sweep", () => {
  test("still shows nothing past its time: not the message, not its content in the log, not its attachment", async () => {
    const text = "attached";
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: 8 }];
    const first = await TestBoard.start();
    const note = { kind: "note", body: "short", ttl: "1m", attachments };
    const { id } = await first.put(first.agent(), note, { [sha256(text)]: text });
    const at = first.clock.now() + MINUTE_MS;
    await first.stop();
    await using board = await TestBoard.start({ data: first.data, clock: first.clock, flags: ["--read-only", "on"] });
    board.clock.set(at - 1);
    expect((await board.record(id)).server.expires_at).toBe(iso(at));
    expect((await changes(board, "?include=raw"))[0]?.raw?.payload).toContain("short");
    board.clock.set(at);
    expect(expectRefusal(await board.get(`/api/messages/${id}`), 410, "expired").details).toEqual({ at: iso(at) });
    expect((await changes(board, "?include=raw")).map(({ type, raw }) => ({ type, raw }))).toEqual([{ type: "create", raw: null }]);
    expectRefusal(await board.get(`/api/blobs/${sha256(text)}`), 404, "blob_unknown");
  });
  test("nor any text of it in counts: tags, kinds, and its author's needs and offers", async () => {
    const first = await TestBoard.start();
    const author = first.agent();
    const words = { kind: "x-zqxkind", title: "short", tags: ["zqxtag", "both"], needs: ["zqxneed"], offers: ["zqxoffer"], ttl: "1m" };
    await first.put(author, words);
    await first.put(author, { kind: "note", title: "long", tags: ["both", "kept"], needs: ["kept"] });
    await first.stop();
    await using board = await TestBoard.start({ data: first.data, clock: first.clock, flags: ["--read-only", "on"] });
    const asked = ["/api/tags", "/api/tags?field=need", "/api/tags?field=offer", "/api/stats", "/api/agents", `/api/agents/${author.id}`];
    const answers = async () => JSON.stringify(await Promise.all(asked.map(async (path) => (await board.get(path)).body)));
    const before = await answers();
    for (const word of ["zqxtag", "zqxneed", "zqxoffer", "x-zqxkind", "both", "kept"]) expect(before).toContain(`"${word}"`);
    board.clock.advance(MINUTE_MS);
    const after = await answers();
    for (const word of ["both", "kept"]) expect(after).toContain(`"${word}"`);
    expect(after).not.toMatch(/zqx(?:kind|tag|need|offer)/);
    const page = (await board.get<{ tags: { tag: string }[]; next_cursor: string | null }>("/api/tags?limit=1")).body;
    const next = (await board.get<{ tags: { tag: string }[] }>(`/api/tags?limit=1&cursor=${page.next_cursor}`)).body;
    expect([...page.tags, ...next.tags].map(({ tag }) => tag)).toEqual(["both", "kept"]);
  });
  test("deletes nothing either, however long it runs", async () => {
    const first = await TestBoard.start();
    await first.put(first.agent(), { kind: "note", body: "short", ttl: "1m" });
    first.clock.advance(MINUTE_MS);
    await first.get("/api/messages");
    await first.stop();
    await using board = await TestBoard.start({ data: first.data, clock: first.clock, flags: ["--read-only", "on"] });
    const db = openBeside(board.data);
    const kept = rowCounts(db);
    for (let days = 0; days < 100; days++) board.clock.advance(DAY_MS);
    await board.get("/api/stats");
    await board.stop();
    expect(rowCounts(db)).toEqual(kept);
    expect(kept["gone"]).toBe(1);
    db.close();
  });
  test("shows a lease as ended and the work as open again", async () => {
    const first = await TestBoard.start();
    const { id } = await first.put(first.agent(), { kind: "task", title: "do it" });
    await first.put(first.agent(), claim(id, "1m"));
    await first.stop();
    await using board = await TestBoard.start({ data: first.data, clock: first.clock, flags: ["--read-only", "on"] });
    expect((await board.record(id)).derived.status).toBe("claimed");
    board.clock.advance(MINUTE_MS);
    expect((await board.record(id)).derived).toMatchObject({ status: "open", claimed_by: null, lease_until: null });
  });
  test("finds work by its present status: work that is no longer claimed is open, in lists, searches, threads and the list of work", async () => {
    const first = await TestBoard.start();
    const [short, long, free] = await Promise.all(
      ["short", "long", "free"].map((title) => first.put(first.agent(), { kind: "task", title: `${title} lease` })),
    );
    if (short === undefined || long === undefined || free === undefined) throw new Error("Three were posted.");
    await first.put(first.agent(), claim(short.id, "1m"));
    await first.put(first.agent(), claim(long.id, "5m"));
    await first.stop();
    await using board = await TestBoard.start({ data: first.data, clock: first.clock, flags: ["--read-only", "on"] });
    const titles = async (path: string) => {
      const { messages } = (await board.get<{ messages: { derived: { display_title: string } }[] }>(path)).body;
      return messages.map(({ derived }) => derived.display_title.split(" ")[0] ?? "").sort();
    };
    const asked = ["status=open", "status=claimed", "status=open,claimed", "status=open&include_removed=true", "status=claimed&q=lease"];
    const inThread = async (id: string) => (await board.get<{ open: string[] }>(`/api/messages/${id}/thread`)).body.open.length;
    const answers = async () => [
      ...(await Promise.all(asked.map((query) => titles(`/api/messages?kind=task&${query}`)))),
      await titles("/api/work"),
      [await inThread(short.id), await inThread(long.id)],
    ];
    const all = ["free", "long", "short"];
    expect(await answers()).toEqual([["free"], ["long", "short"], all, ["free"], ["long", "short"], ["free"], [0, 0]]);
    board.clock.advance(MINUTE_MS);
    expect(await answers()).toEqual([["free", "short"], ["long"], all, ["free", "short"], ["long"], ["free", "short"], [1, 0]]);
    board.clock.advance(4 * MINUTE_MS);
    expect(await answers()).toEqual([all, [], all, all, [], all, [1, 1]]);
  });
});

describe("nobody asks, and yet", () => {
  let board: TestBoard;
  let author: Agent;
  let other: Agent;
  beforeAll(async () => {
    board = await TestBoard.start();
    [author, other] = [board.agent(), board.agent()];
  });
  afterAll(() => board[Symbol.asyncDispose]());

  test("an expired message is logged, its content erased, and its tombstone says when it ended", async () => {
    const before = contents(board);
    const { id, server } = await board.put(author, { kind: "note", body: "short", ttl: 60 });
    expect(contents(board)).toBe(before + 1);
    board.clock.advance(MINUTE_MS + 5000);
    expect(await entry(board, id, "expire")).toMatchObject({ at: iso(board.clock.now()), digest: "-" });
    expect(contents(board)).toBe(before);
    expect(expectRefusal(await board.get(`/api/messages/${id}`), 410, "expired").details).toEqual({ at: server.expires_at });
    const create = (await changes(board, "?include=raw&limit=1000")).find((one) => one.id === id && one.type === "create");
    expect(create?.raw).toBeNull();
    expectRefusal(
      await board.send(JSON.stringify(author.envelope({ kind: "note", body: "again", refs: [{ rel: "on", id }] }))),
      409,
      "target_gone",
    );
  });

  test("the lease ends at its moment and the work is open to others", async () => {
    const { id } = await board.put(author, { kind: "task", title: "leased" });
    const taken = await board.put(other, claim(id, "90s"));
    expect((await board.record(id)).derived).toMatchObject({ claimed_by: other.id, lease_until: iso(board.clock.now() + 90_000) });
    board.clock.advance(90_000);
    expect((await moved(board, id, "claimed", "open")).at).toBe(iso(board.clock.now()));
    expect((await board.record(id)).derived).toMatchObject({ status: "open", claimed_by: null });
    await board.put(author, claim(id, "1h"));
    // The old claim still exists, but holds nothing any more.
    await board.put(other, { kind: "retraction", refs: [{ rel: "retracts", id: taken.id }] });
    expect((await board.record(id)).derived).toMatchObject({ status: "claimed", claimed_by: author.id });
  });

  test("a claim that expires before its lease ends it", async () => {
    const { id } = await board.put(author, { kind: "task", title: "short claim" });
    await board.put(other, { ...claim(id, "1h"), ttl: "2m" });
    expect((await board.record(id)).derived.lease_until).toBe(iso(board.clock.now() + 2 * MINUTE_MS));
    board.clock.advance(2 * MINUTE_MS);
    await moved(board, id, "claimed", "open");
  });

  test.each([
    ["an answer", "answered", async (id: string) => board.put(other, answer(id, { ttl: "1m" }))],
    [
      "the author's signal",
      "resolved",
      async (id: string) => board.put(author, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id }], ttl: "1m" }),
    ],
  ])("%s that expires takes its effect along", async (_what, status, act) => {
    const { id } = await board.put(author, { kind: "question", title: `until then ${status}` });
    await act(id);
    expect((await board.record(id)).derived.status).toBe(status);
    board.clock.advance(MINUTE_MS);
    await moved(board, id, status, "open");
    const { derived } = await board.record(id);
    expect(derived).toMatchObject({ status: "open", verifies: 0, answers: 0, signals: {} });
  });

  test("a vote that expires takes its effect along", async () => {
    const { id } = await board.put(author, { kind: "finding", body: "until then verified" });
    await board.put(other, check("verifies", id, { ttl: "1m" }));
    expect((await board.record(id)).derived.status).toBe("verified");
    board.clock.advance(MINUTE_MS);
    await moved(board, id, "verified", "open");
    expect((await board.record(id)).derived).toMatchObject({ status: "open", verifies: 0 });
  });

  test("a vote on an answer that expires changes the question, and the older vote of the same agent counts again", async () => {
    const { id } = await board.put(author, { kind: "question", title: "which?" });
    const reply = await board.put(other, answer(id));
    await board.put(author, check("refutes", reply.id));
    expect((await board.record(id)).derived).toMatchObject({ status: "open", answers: 0, rejected: 1 });
    await board.put(author, check("verifies", reply.id, { ttl: "1m" }));
    expect((await board.record(id)).derived.status).toBe("verified");
    board.clock.advance(MINUTE_MS);
    await moved(board, id, "verified", "open");
    expect((await board.record(reply.id)).derived).toMatchObject({ status: "disputed", verifies: 0, refutes: 1 });
  });

  test("the chain of everything that happened checks", async () => {
    expect(chainFaults(await changes(board, "?limit=1000&include=raw"))).toEqual([]);
  });
});

describe("a clock that is set back", () => {
  test("neither reorders the log nor ends the board's service", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const start = board.clock.now();
    const early = await board.put(agent, { kind: "note", body: "before" });
    board.clock.set(start - 2000);
    const late = await board.put(agent, { kind: "note", body: "after", ttl: "1m" });
    expect(late.seq).toBe(early.seq + 1);
    expect(late.server.received_at).toBe(iso(start));
    expect((await board.record(late.id)).content.body).toBe("after");
    board.clock.set(start + MINUTE_MS);
    await entry(board, late.id, "expire");
    const log = await changes(board);
    expect(log.map((one) => one.at)).toEqual([iso(start), iso(start), iso(start + MINUTE_MS)]);
    expect(chainFaults(log)).toEqual([]);
  });
  test("also across a restart", async () => {
    const first = await TestBoard.start();
    const start = first.clock.now();
    await first.put(first.agent(), { kind: "note", body: "before" });
    await first.stop();
    first.clock.set(start - 10_000);
    await using board = await TestBoard.start({ data: first.data, clock: first.clock });
    expect((await board.put(board.agent(), { kind: "note", body: "after" })).server.received_at).toBe(iso(start));
  });
});

describe("an attachment", () => {
  const text = "shared by two";
  const hash = sha256(text);
  const carrier = (body: string, ttl: string) => ({
    kind: "note",
    body,
    ttl,
    attachments: [{ sha256: hash, name: "a.txt", mime: "text/plain", size: text.length }],
  });
  const stored = (board: TestBoard) => {
    const db = openBeside(board.data);
    const rows = db.prepare("SELECT count(*) AS n FROM blobs").get()?.["n"];
    db.close();
    return Number(rows);
  };

  test("is erased after 24 hours though its message lives on and nobody asks", async () => {
    await using board = await TestBoard.start();
    const { id } = await board.put(board.agent(), carrier("one", "7d"), { [hash]: text });
    board.clock.advance(DAY_MS - 1);
    expect((await board.get(`/api/blobs/${hash}`)).body).toBe(text);
    board.clock.advance(1);
    await eventually("the text is erased", () => (stored(board) === 0 ? true : undefined));
    expectRefusal(await board.get(`/api/blobs/${hash}`), 404, "blob_unknown");
    expect((await board.record(id)).content.body).toBe("one");
    expectRefusal(await board.post(board.agent(), carrier("too late", "1h")), 400, "blob_missing");
  });
  test("outlives the retraction of one carrier and is erased with the last", async () => {
    await using board = await TestBoard.start();
    const [one, two] = [board.agent(), board.agent()];
    const first = await board.put(one, carrier("one", "7d"), { [hash]: text });
    const second = await board.put(two, carrier("two", "7d"));
    await board.put(one, { kind: "retraction", refs: [{ rel: "retracts", id: first.id }] });
    expect((await board.get(`/api/blobs/${hash}`)).body).toBe(text);
    await board.put(two, { kind: "retraction", refs: [{ rel: "retracts", id: second.id }] });
    expectRefusal(await board.get(`/api/blobs/${hash}`), 404, "blob_unknown");
    expect(stored(board)).toBe(0);
  });
  test("goes with a message that lives shorter than a day", async () => {
    await using board = await TestBoard.start();
    await board.put(board.agent(), carrier("one", "1m"), { [hash]: text });
    board.clock.advance(MINUTE_MS);
    await eventually("the text is erased", () => (stored(board) === 0 ? true : undefined));
  });
});
