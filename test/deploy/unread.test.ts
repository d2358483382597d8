// Callers that send requests and do not read: their unread answers are counted, they are cut off, and nobody else notices.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { cpSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { putAll } from "../support/crowd.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { call } from "../support/mcp-request.ts";
import { emptyDirectory } from "../support/process.ts";
import { head, rawRequest } from "../support/raw-request.ts";
import { expectRefusal } from "../support/refusal.ts";

/** A connection that sends requests and reads nothing. */
function asksOnly(board: TestBoard, path: string): Socket {
  const socket = connect(Number(new URL(board.url).port), "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: board.test\r\n\r\n`);
  return socket;
}
const closedAt = (socket: Socket): boolean => socket.destroyed || socket.readableEnded;

/** The files of a board with many large messages. */
const filled = emptyDirectory();
/** A board on a copy of them, which cuts nobody off unless a test says so. */
const large = (options: { stallMs?: number; data?: string } = {}): Promise<TestBoard> => {
  const data = emptyDirectory();
  cpSync(filled, data, { recursive: true });
  return TestBoard.start({ data, stallMs: HANG_MS, ...options, store: "sqlite", flags: ["--trusted-proxies", "127.0.0.1"] });
};

/** The board's ends of the connections to it, by the port of the other end. */
const accepted = new Map<number | undefined, Socket>();
afterEach(() => accepted.clear());
let neverSilent = false;
const accept = (message: unknown): void => {
  const { socket } = message as { readonly socket: Socket };
  accepted.set(socket.remotePort, socket);
  if (neverSilent) socket.setTimeout(0);
};
beforeAll(() => subscribe("net.server.socket", accept));
afterAll(() => void unsubscribe("net.server.socket", accept));
const boardsEnd = (socket: Socket): Promise<Socket> =>
  eventually("the board's end of a connection", () => (socket.connecting ? undefined : accepted.get(socket.localPort)));

beforeAll(async () => {
  const board = await large({ data: filled });
  const note = (i: number) => ({ kind: "note", body: `${i} ${"x".repeat(30_000)}`, data: { more: "y".repeat(30_000) } });
  // More than the system's buffers of a connection, which are several megabytes on one machine.
  await putAll(
    board,
    Array.from({ length: 140 }, (_, i) => note(i)),
  );
  await board.stop();
});
afterAll(() => rmSync(filled, { recursive: true, force: true }));
const LARGE = "/api/messages?limit=200&include=raw";

async function unsentBytes(board: TestBoard): Promise<number> {
  const { body } = await rawRequest(board.url, head("GET /metrics"));
  return Number(/^blackboard_unsent_bytes (\d+)$/m.exec(String(body))?.[1]);
}

test("a caller that reads nothing of an answer for a while is cut off", async () => {
  await using board = await large();
  const stalled = Array.from({ length: 3 }, () => asksOnly(board, LARGE));
  await eventually("answers under way", async () => ((await unsentBytes(board)) > 0 ? true : undefined));
  for (const socket of stalled) {
    const end = await boardsEnd(socket);
    expect(end.timeout).toBe(HANG_MS);
    // Now the time is over.
    end.setTimeout(1);
  }
  await eventually("none", async () => ((await unsentBytes(board)) === 0 ? true : undefined));
  for (const socket of stalled) {
    socket.resume();
    await eventually("its end", () => (closedAt(socket) ? true : undefined));
  }
  expect((await rawRequest(board.url, head("GET /api/time"))).status).toBe(200);
});

test("a caller that reads nothing and goes on sending is cut off too", async () => {
  await using board = await large({ stallMs: 50 });
  // On a busy machine what it sends would come too late: here no connection is closed for silence.
  neverSilent = true;
  onTestFinished(() => void (neverSilent = false));
  const stalled = asksOnly(board, LARGE);
  const alive = setInterval(() => stalled.write("\r\n"), 20);
  onTestFinished(() => clearInterval(alive));
  const end = await boardsEnd(stalled);
  await eventually("its end", () => (end.destroyed ? true : undefined));
  expect(await unsentBytes(board)).toBe(0);
  stalled.resume();
  await eventually("its own end", () => (closedAt(stalled) ? true : undefined));
  expect(end.bytesWritten).toBeGreaterThan(4_000_000);
  expect(stalled.bytesRead, "it was cut off in the answer").toBeLessThan(end.bytesWritten);
});

test("what was asked on a connection that is closed counts no longer, and keeps no other answer waiting", async () => {
  await using board = await large();
  const gone = asksOnly(board, LARGE);
  // Behind an answer that nobody reads.
  gone.write(`GET ${LARGE} HTTP/1.1\r\nhost: board.test\r\n\r\n`.repeat(3));
  await eventually("an answer under way", async () => ((await unsentBytes(board)) > 0 ? true : undefined));
  gone.destroy();
  await eventually("none", async () => ((await unsentBytes(board)) === 0 ? true : undefined));
  expect((await rawRequest(board.url, head(`GET ${LARGE}`))).status).toBe(200);
  expect(await unsentBytes(board)).toBe(0);
});

test("unread answers of MCP cannot fill the memory either", async () => {
  await using board = await large();
  const body = call("search_messages", { limit: 200, include: "raw" });
  const ask = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const stalled = asksOnly(board, "/api/time");
  // More than the system's buffers.
  stalled.write(ask.repeat(20));
  await eventually("answers under way", async () => ((await unsentBytes(board)) > 0 ? true : undefined));
  stalled.destroy();
  await eventually("none", async () => ((await unsentBytes(board)) === 0 ? true : undefined));
});

test("one address can leave 12 MiB unread; more is refused to it and nobody else", async () => {
  await using board = await large();
  const size = Buffer.byteLength(JSON.stringify((await board.get(LARGE)).body));
  const fits = Math.floor((12 * 1024 * 1024) / size);
  const stalled = Array.from({ length: fits + 10 }, () => asksOnly(board, LARGE));
  // One of them must be first in the line, or its answer would be all that is unread for a moment.
  await eventually("an answer under way", async () => ((await unsentBytes(board)) > 0 ? true : undefined));
  const refused = await eventually("a refusal", async () => {
    const answer = await board.get(LARGE);
    return answer.status === 200 ? undefined : answer;
  });
  const error = expectRefusal(refused, 429, "overloaded");
  expect(error.details?.["unread_bytes"]).toBeGreaterThan(0);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.headers.get("connection"), "left unread it would stay open").toBe("close");
  expect((await board.get("/api/messages?limit=1")).status).toBe(200);
  expect((await board.get(LARGE, { headers: { "x-forwarded-for": "203.0.113.7" } })).status).toBe(200);
  for (const socket of stalled) socket.destroy();
  await eventually("room again", async () => ((await board.get(LARGE)).status === 200 ? true : undefined));
});

test("a page that may be large stands in the line for large answers also after a wait, and not while it waits", async () => {
  await using board = await large();
  const [author, reader] = [board.agent(), board.agent()];
  await board.put(author, { kind: "task", title: "Find the slow statement", body: "It is in one of the listings.", tags: ["slow"] });
  await board.put(author, { kind: "note", title: "For you", body: "Have a look at the task.", to: reader.id });
  const waits = [
    "/api/messages?tag=slow&limit=200&after_seq=0&wait=20",
    "/api/messages?tag=slow&include=raw&after_seq=0&wait=20",
    "/api/work?limit=200&wait=20",
    `/api/inbox/${reader.id}?fields=content.body&after_seq=0&wait=20`,
  ];
  for (const path of waits) expect((await board.get(path)).status, path).toBe(200);

  // Nothing has this tag yet: the call waits, and large answers pass it.
  const patient = board.get<{ messages: unknown[] }>("/api/messages?tag=later&limit=200&after_seq=0&wait=20");
  await eventually("the call waits", async () => {
    const { body } = await board.get<string>("/metrics");
    return /^blackboard_stream_readers\S* ([1-9]\d*)$/m.test(body) ? true : undefined;
  });
  expect((await board.get(LARGE)).status).toBe(200);
  await board.put(author, { kind: "note", body: "Now it is later.", tags: ["later"] });
  expect((await patient).body.messages).toHaveLength(1);

  const stalled = asksOnly(board, LARGE);
  await eventually("an answer under way", async () => ((await unsentBytes(board)) > 0 ? true : undefined));
  for (const path of waits) {
    expectRefusal(await board.get(path), 429, "overloaded");
    expect((await board.get(path, { headers: { "x-forwarded-for": "203.0.113.7" } })).status, path).toBe(200);
  }
  expect((await board.get("/api/messages?tag=slow&after_seq=0&wait=20")).status, "a page that cannot be large").toBe(200);
  stalled.destroy();
});
