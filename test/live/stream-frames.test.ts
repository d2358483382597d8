// The stream on the wire: every frame as it is promised, and every refusal before the first byte.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { openStream, rawStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { expectRefusal } from "../support/refusal.ts";

const has = (text: string) => (reader: { readonly text: string }) => (reader.text.includes(text) ? true : undefined);

test("a client that reads the wire finds retry first, then hello, live, and each event with its seq as id", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  await board.put(agent, { kind: "note", body: "before" });
  using reader = rawStream(board.url, "/api/stream?kind=note");
  await eventually("live", () => has("event: live")(reader));
  const note = await board.put(agent, { kind: "note", body: "line one\nline two", data: { deep: { a: [1] } } });
  await eventually("message", () => has("event: message")(reader));
  const [head = "", body = ""] = reader.text.split("\r\n\r\n");
  const lines = head.split("\r\n");
  expect(lines[0]).toBe("HTTP/1.1 200 OK");
  expect(lines.slice(1)).toEqual(
    expect.arrayContaining([
      "content-type: text/event-stream; charset=utf-8",
      "cache-control: no-store, no-transform",
      "x-accel-buffering: no",
      "x-content-type-options: nosniff",
      "access-control-allow-origin: *",
      "connection: close",
    ]),
  );
  const record = (await board.get(`/api/messages/${note.id}`)).body;
  expect(body.split("\n\n")).toEqual([
    "retry: 3000",
    'id: 1\nevent: hello\ndata: {"seq":1,"resumed_from":null,"filters":{"kind":"note"}}',
    'id: 1\nevent: live\ndata: {"seq":1}',
    `id: 2\nevent: message\ndata: ${JSON.stringify(record)}`,
    "",
  ]);
});

test("a proxy that drops silent connections gets a comment every 15 seconds, and no reader gets it more often", async () => {
  await using board = await TestBoard.start();
  using reader = rawStream(board.url, "/api/stream");
  await eventually("live", () => has("event: live")(reader));
  const alive = () => reader.text.split(": ka\n\n").length - 1;
  for (let second = 1; second <= 14; second++) board.clock.advance(1000);
  expect(alive()).toBe(0);
  for (const beats of [1, 2, 3]) {
    for (let second = 1; second <= 15; second++) board.clock.advance(1000);
    await eventually("the beat", () => (alive() === beats ? true : undefined));
  }
  await board.put(board.agent(), { kind: "note", body: "still there" });
  await eventually("the message", () => has("still there")(reader));
});

test("a reader that resumes gets what it missed, in order, then live once; one that is up to date gets live at once", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  for (let i = 1; i <= 250; i++) await board.put(agent, { kind: "note", body: `note ${i}` });
  await using reader = await openStream(board, "/api/stream", { "last-event-id": "3" });
  const frames = await reader.upTo("live");
  expect(frames.map((frame) => frame.id)).toEqual(["3", ...Array.from({ length: 247 }, (_, i) => String(i + 4)), "250"]);
  expect(frames[0]?.data).toEqual({ seq: 250, resumed_from: 3, filters: {} });
  expect(frames.at(-1)).toEqual({ event: "live", id: "250", data: { seq: 250 } });
  await using upToDate = await openStream(board, "/api/stream", { "last-event-id": "250" });
  expect((await upToDate.upTo("live")).map((frame) => frame.event)).toEqual(["hello", "live"]);
  await board.put(agent, { kind: "note", body: "new" });
  expect((await reader.next("message")).id).toBe("251");
  expect((await upToDate.next("message")).id).toBe("251");
});

test("`since` replays what was received from then on, without a cursor", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  await board.put(agent, { kind: "note", body: "old" });
  board.clock.advance(HOUR_MS);
  await board.put(agent, { kind: "note", body: "young" });
  await using reader = await openStream(board, "/api/stream?since=10m");
  const frames = await reader.upTo("live");
  expect(frames.map((frame) => [frame.event, frame.id])).toEqual([
    ["hello", "1"],
    ["message", "2"],
    ["live", "2"],
  ]);
  expect(frames[0]?.data).toEqual({ seq: 2, resumed_from: null, filters: { since: "10m" } });
  await using ahead = await openStream(board, `/api/stream?since=${new Date(board.clock.now() + 60_000).toISOString()}`);
  expect((await ahead.upTo("live")).map((frame) => frame.event)).toEqual(["hello", "live"]);
});

test("a reader with a cursor older than the stored log learns which entries are missing, then continues from there", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  for (let i = 1; i <= 10; i++) await board.put(agent, { kind: "note", body: `note ${i}` });
  const db = openBeside(board.data);
  // As the log is cut: the newest of the old entries stays as the anchor of the chain.
  db.exec("DELETE FROM log WHERE seq < 6");
  db.close();
  await using reader = await openStream(board, "/api/stream", { "last-event-id": "2" });
  const frames = await reader.upTo("live");
  expect(frames.map((frame) => frame.event)).toEqual(["hello", "gap", "message", "message", "message", "message", "live"]);
  expect(frames[1]).toEqual({ event: "gap", id: "6", data: { from: 3, to: 6 } });
  expect(frames[2]?.id).toBe("7");
});

test("leases and lifetimes end on the stream by themselves, without anybody asking", async () => {
  await using board = await TestBoard.start();
  const task = await board.put(board.agent(), { kind: "task", title: "work", ttl: "2h" });
  await board.put(board.agent(), { kind: "claim", lease: "60s", refs: [{ rel: "claims", id: task.id }] });
  await using reader = await openStream(board, "/api/stream");
  await reader.upTo("live");
  board.clock.advance(MINUTE_MS);
  expect(await reader.next()).toEqual({ event: "status", id: "4", data: { id: task.id, seq: 4, from: "claimed", to: "open" } });
  board.clock.advance(7_200_000);
  expect(await reader.next()).toEqual({ event: "gone", id: "5", data: { id: task.id, seq: 5, reason: "expired" } });
});

describe("a wrong request is refused before the first byte", () => {
  let board: TestBoard;
  beforeAll(async () => void (board = await TestBoard.start()));
  afterAll(() => board[Symbol.asyncDispose]());
  const wrong = ["x", "-1", "1.5", "01", " 1 2", "9007199254740993000", "0x10", "1e3"];
  test.each(wrong)("Last-Event-ID %j is no id of an event", async (id) => {
    const error = expectRefusal(await board.get("/api/stream", { headers: { "last-event-id": id } }), 400, "invalid_parameter");
    expect(error.details).toEqual({ parameter: "Last-Event-ID" });
    expect(error.hint).toMatch(/number.*without the header/);
  });
  test("a cursor beyond the head would lose what comes until then", async () => {
    await board.put(board.agent(), { kind: "note", body: "one" });
    const error = expectRefusal(await board.get("/api/stream", { headers: { "last-event-id": "2" } }), 400, "future_cursor");
    expect(error.details).toEqual({ latest_seq: 1 });
    await using reader = await openStream(board, "/api/stream", { "last-event-id": "1" });
    expect((await reader.upTo("live")).length).toBe(2);
  });
  test("an empty Last-Event-ID, as browsers may send it, is none", async () => {
    await using reader = await openStream(board, "/api/stream", { "last-event-id": "" });
    expect((await reader.next("hello")).data).toMatchObject({ resumed_from: null });
  });
  const foreign = ["limit=5", "sort=new", "cursor=x", "fields=id", "include=body", "format=md", "after_seq=1", "wait=5", "nonsense=1"];
  test.each([...foreign, "include_superseded=true", "include_removed=true"])("%s is no parameter of the stream", async (parameter) => {
    expectRefusal(await board.get(`/api/stream?${parameter}`), 400, "unknown_parameter");
  });
  test.each(["kind=nonsense", "author=!", "min_pow=x", "rel=reply", "since=never", "tag="])("%s has no meaning", async (parameter) => {
    expectRefusal(await board.get(`/api/stream?${parameter}`), 400, "invalid_parameter");
  });
  test("a search that cannot be read is refused too", async () => {
    expectRefusal(await board.get(`/api/stream?q=${encodeURIComponent('"')}`), 400, "invalid_query");
  });
});

test("HEAD shows what a stream would be, and ends", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "on"] });
  for (let i = 0; i < 25; i++) {
    const response = await fetch(`${board.url}/api/stream`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
  }
  expect((await fetch(`${board.url}/api/stream?limit=1`, { method: "HEAD" })).status).toBe(400);
});

test("further data of a reader is not taken for a request, and does not break its stream", async () => {
  await using board = await TestBoard.start();
  using reader = rawStream(board.url, "/api/stream");
  await eventually("live", () => has("event: live")(reader));
  reader.send("GET /api/time HTTP/1.1\r\nhost: localhost\r\n\r\nrubbish\r\n\r\n");
  await board.put(board.agent(), { kind: "note", body: "after the rubbish" });
  await eventually("the message", () => has("after the rubbish")(reader));
  expect(reader.text.split("HTTP/1.1").length).toBe(2);
});

test("an operator sees on /metrics and in the pulse how many read", async () => {
  await using board = await TestBoard.start();
  const readers = async () => Number(/^blackboard_stream_readers (\d+)$/m.exec((await board.get<string>("/metrics")).body)?.[1]);
  expect(await readers()).toBe(0);
  const one = await openStream(board, "/api/stream");
  const two = await openStream(board, "/api/stream?kind=task");
  await one.upTo("live");
  await two.upTo("live");
  expect(await readers()).toBe(2);
  expect((await board.get("/api/stats")).body).toMatchObject({ streams_open: 2 });
  await one[Symbol.asyncDispose]();
  await eventually("one reader left", async () => ((await readers()) === 1 ? true : undefined));
  await two[Symbol.asyncDispose]();
  await eventually("no reader left", async () => ((await readers()) === 0 ? true : undefined));
});
