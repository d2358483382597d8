// Readers that do not read, too many readers, and a board that stops: nobody else is harmed, and everybody learns why.
import { connect } from "node:net";
import { expect, test } from "vitest";
import { OPEN_AT_ONCE } from "../../src/board/limits/bucket-sizes.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { openStream, rawStream, type RawReader, type StreamReader } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { ProcessClock } from "../support/process-clock.ts";
import { expectRefusal } from "../support/refusal.ts";

/** About 100 KB on the wire. */
const large = (i: number) => ({ kind: "note", body: `${i} ${"\u{1f600}".repeat(25_000)}` });
const isLive = (reader: RawReader) => () => (reader.text.includes("event: live") ? true : undefined);
const readersOf = async (board: TestBoard) =>
  Number(/^blackboard_stream_readers (\d+)$/m.exec((await board.get<string>("/metrics")).body)?.[1]);

test("a reader that does not read is cut off and told why, at a bounded cost, and others do not notice", async () => {
  await using board = await TestBoard.start();
  await using other = await openStream(board, "/api/stream");
  await other.upTo("live");
  using stalled = rawStream(board.url, "/api/stream");
  await eventually("live", isLive(stalled));
  stalled.stall();
  const agent = board.agent();
  let posted = 0;
  // The buffers of the kernel come first; when they are full, at most a megabyte waits.
  while ((await readersOf(board)) === 2 && posted < 300) {
    await board.put(agent, large(posted++));
    await other.next("message");
  }
  expect(posted).toBeLessThan(300);
  stalled.resume();
  await eventually("the end", () => (stalled.closed ? true : undefined));
  const frames = stalled.text.split("\n\n").filter((frame) => frame !== "");
  expect(frames.at(-1)?.slice(0, 200)).toMatch(/^event: error\ndata: \{"error":\{"code":"consumer_too_slow"/);
  // What it received before has no gap, so that it can continue from there.
  const ids = frames.flatMap((frame) => /^id: (\d+)\nevent: message/.exec(frame)?.[1] ?? []);
  expect(ids).toEqual(ids.map((_, i) => String(i + 1)));
  await using again = await openStream(board, "/api/stream", { "last-event-id": ids.at(-1) ?? "0" });
  const rest = (await again.upTo("live")).filter(({ event }) => event === "message").map(({ id }) => id);
  expect([...ids, ...rest]).toEqual(Array.from({ length: posted }, (_, i) => String(i + 1)));
});

test("a long backlog is sent at the reader's pace and never cuts it off; a reader that stops reading is cut off after 30 seconds", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const past = [...Array.from({ length: 120 }, (_, i) => large(i)), ...notes(600, (i) => `small ${i}`)];
  await putAll(board, past, [agent]);
  using slow = rawStream(board.url, "/api/stream", ["last-event-id: 0"]);
  using stalled = rawStream(board.url, "/api/stream", ["last-event-id: 0"], "event: hello");
  await eventually("hello", () => (stalled.text.includes("event: hello") ? true : undefined));
  // With pauses, as on a bad connection.
  for (let i = 0; i < 20; i++) {
    // The board continues to answer requests meanwhile.
    slow.stall();
    await readersOf(board);
    slow.resume();
    await readersOf(board);
  }
  await eventually("live", isLive(slow));
  expect(slow.text.split("event: message").length - 1).toBe(720);
  for (let second = 0; second < 29; second++) board.clock.advance(1000);
  await readersOf(board);
  expect(stalled.closed).toBe(false);
  for (let second = 0; second < 3; second++) board.clock.advance(1000);
  stalled.resume();
  await eventually("the end", () => (stalled.closed ? true : undefined));
  expect(stalled.text).toContain('event: error\ndata: {"error":{"code":"consumer_too_slow"');
  expect(stalled.text).not.toContain("event: live");
});

const limited = () => TestBoard.start({ flags: ["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"] });

async function open(board: TestBoard, count: number): Promise<StreamReader[]> {
  const readers: StreamReader[] = [];
  for (let i = 0; i < count; i++) {
    const reader = await openStream(board, "/api/stream");
    expect(reader.status).toBe(200);
    await reader.upTo("live");
    readers.push(reader);
  }
  return readers;
}

test("one address has at most 20 streams, long polls and dumps at once, the next one has to wait, and every place becomes free again", async () => {
  await using board = await limited();
  const readers = await open(board, OPEN_AT_ONCE - 2);
  const gone = new AbortController();
  const polls = [1, 2].map(() => board.get("/api/messages?after_seq=0&wait=30", { signal: gone.signal }).catch(() => undefined));
  await eventually("all there", async () => ((await readersOf(board)) === OPEN_AT_ONCE ? true : undefined));
  for (const path of ["/api/stream", "/api/messages?after_seq=0&wait=30", "/api/dump.jsonl", "/api/dump.jsonl.gz"]) {
    const answer = await board.get(path);
    expectRefusal(answer, 429, "too_many_streams");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(answer.headers.get("ratelimit-policy")).toBe('"streams";q=20');
  }
  expect((await board.get("/api/messages?after_seq=0")).status).toBe(200);
  await using elsewhere = await openStream(board, "/api/stream", { "x-forwarded-for": "203.0.113.5" });
  expect(elsewhere.status).toBe(200);

  // Long polls whose callers disconnect.
  gone.abort();
  await Promise.all(polls);
  await eventually("two places", async () => ((await readersOf(board)) === OPEN_AT_ONCE - 1 ? true : undefined));
  readers.push(...(await open(board, 2)));
  expectRefusal(await board.get("/api/stream"), 429, "too_many_streams");
  for (const reader of readers) await reader[Symbol.asyncDispose]();
  await eventually("all places", async () => ((await readersOf(board)) === 1 ? true : undefined));

  // Dumps that have ended leave their place.
  for (let i = 0; i < OPEN_AT_ONCE + 5; i++) expect((await board.get("/api/dump.jsonl")).status).toBe(200);
  // Refused requests take no place.
  for (let i = 0; i < OPEN_AT_ONCE + 5; i++)
    expect((await board.get("/api/stream", { headers: { "last-event-id": "99" } })).status).toBe(400);
  for (let i = 0; i < OPEN_AT_ONCE + 5; i++) expect((await board.get("/api/messages?wait=5")).status).toBe(400);
  // Nor do connections that are closed, however early.
  const { port } = new URL(board.url);
  for (let i = 0; i < OPEN_AT_ONCE * 2; i++) {
    await new Promise<void>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: Number(port) }, () => {
        socket.write("GET /api/stream HTTP/1.1\r\nhost: localhost\r\n\r\n", () =>
          i % 2 === 0 ? socket.resetAndDestroy() : socket.destroy(),
        );
      });
      socket.on("close", () => resolve());
    });
  }
  await eventually("nobody but one", async () => ((await readersOf(board)) === 1 ? true : undefined));
  const again = await open(board, OPEN_AT_ONCE);
  for (const reader of again) await reader[Symbol.asyncDispose]();
});

test("long polls one after the other on one connection leave nothing behind on it", async () => {
  await using board = await TestBoard.start();
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  await board.put(board.agent(), { kind: "note", body: "there" });
  for (let i = 0; i < 30; i++) expect((await board.get("/api/messages?after_seq=0&wait=30")).status).toBe(200);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a board that stops tells its readers, answers its long polls and exits in time, with or without stalled readers", async () => {
  const clock = new ProcessClock();
  await using board = await BoardProcess.serve(emptyDirectory(), ["--pow-bits", String(TEST_BITS), "--log-level", "warn"], {}, [], clock);
  const envelope = JSON.stringify(new Agent(clock.now).envelope({ kind: "note", body: "one" }));
  await fetch(`${board.url}/api/messages`, { method: "POST", headers: { "content-type": "application/json" }, body: envelope });
  await using reader = await openStream({ url: board.url }, "/api/stream");
  await reader.upTo("live");
  using stalled = rawStream(board.url, "/api/stream");
  await eventually("live", isLive(stalled));
  stalled.stall();
  const poll = fetch(`${board.url}/api/messages?after_seq=1&wait=30`);
  await eventually("three readers", async () =>
    (await (await fetch(`${board.url}/metrics`)).text()).includes("blackboard_stream_readers 3") ? true : undefined,
  );
  expect((await fetch(`${board.url}/healthz`)).status).toBe(200);
  const ended = board.kill("SIGTERM");
  const farewell = await reader.next("error");
  expect(farewell.data).toMatchObject({
    error: { code: "shutting_down", docs: expect.stringContaining("/llms/errors/shutting_down.txt") as unknown },
  });
  expect(await reader.take()).toBeUndefined();
  expect(await (await poll).json()).toMatchObject({ messages: [], latest_seq: 1 });
  // It waits this long for readers that do not read. After nine seconds it would force its end, but no clock goes that far here.
  await clock.advance(5000);
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
