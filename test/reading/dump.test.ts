// The dump: a mirror can be made from it, every line can be checked, and an interrupted one is recognised as incomplete.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { MINUTE_MS } from "../../src/core/durations.ts";
import { type Agent, sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { type Put, putAll } from "../support/crowd.ts";
import { eventually } from "../support/eventually.ts";
import { expectRefusal } from "../support/refusal.ts";

type Line = MessageRecord;

let board: TestBoard;
let agent: Agent;
let envelope: Envelope;
let old: Put;
/** What was posted before all tests and stays, by seq. */
let filling: readonly Put[];

beforeAll(async () => {
  board = await TestBoard.start();
  agent = board.agent();
  envelope = agent.envelope({ kind: "note", title: "Zeichen", body: "Grüße\u2028\n世界 🌍" });
  const first = (await board.send(JSON.stringify(envelope))).body;
  old = await board.put(agent, { kind: "note", title: "Old" });
  const better = await board.put(agent, { kind: "note", title: "New", refs: [{ rel: "supersedes", id: old.id }] });
  const wrong = await board.put(agent, { kind: "note", title: "Wrong" });
  const retraction = await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: wrong.id }] });
  const many = await crowd(700);
  const large = await putAll(
    board,
    Array.from({ length: 12 }, (_, i) => ({ kind: "note", title: `large ${i}`, body: "長".repeat(32_768) })),
  );
  filling = [first, old, better, retraction, ...many, ...large].toSorted((a, b) => a.seq - b.seq);
});
afterAll(() => board[Symbol.asyncDispose]());

const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
async function dump(): Promise<Line[]> {
  const response = await fetch(`${board.url}/api/dump.jsonl`);
  expect(response.status).toBe(200);
  return linesOf(await response.text());
}
let titles = 0;
const crowd = (length: number) =>
  putAll(
    board,
    Array.from({ length }, () => ({ kind: "note", title: `crowd ${++titles}` })),
  );

test("the dump of an empty board is an empty file, not an error", async () => {
  await using empty = await TestBoard.start();
  expect(await empty.get("/api/dump.jsonl")).toMatchObject({ status: 200, body: "" });
  expect(gunzipSync(await (await fetch(`${empty.url}/api/dump.jsonl.gz`)).bytes()).toString()).toBe("");
});

test("the dump is exactly what is live, by seq, and every line proves itself", async () => {
  const before = (await dump()).map(({ id }) => id);
  expect(before.slice(0, filling.length)).toEqual(filling.map(({ id }) => id));
  const short = await board.put(agent, { kind: "note", title: "Short", ttl: "1m" });
  expect((await dump()).map(({ id }) => id)).toEqual([...before, short.id]);
  board.clock.advance(MINUTE_MS);
  const lines = await dump();
  expect(lines.map(({ id }) => id)).toEqual(before);
  for (const { id, raw } of lines) expect(messageId(raw?.payload ?? "")).toBe(id);
  expect(lines[0]).toEqual((await board.get(`/api/messages/${before[0]}?include=raw`)).body);
  expect(lines[0]?.raw).toEqual(envelope);
  expect(lines[0]?.content).toMatchObject({ untrusted: true });
  expect(sha256(lines[0]?.raw?.payload ?? "")).toBe(before[0]);
  expect(lines.filter(({ server }) => "gone" in server).map(({ id }) => id)).toEqual([old.id]);
});

test("a mirror filled from the dump takes every line as it is", async () => {
  const lines = await dump();
  await using mirror = await TestBoard.start({ clock: board.clock });
  for (const { id, raw } of lines.slice(0, 20)) {
    const { status, body } = await mirror.send(JSON.stringify(raw));
    // The retraction and the superseding message refer to messages that a new board has not seen in this order.
    if (status === 409) expect(["target_unknown", "target_gone"]).toContain(body.error.code);
    else expect({ status, id: body.id }).toEqual({ status: 201, id });
  }
});

test("the compressed dump is the same, as a file with a name", async () => {
  const plain = await fetch(`${board.url}/api/dump.jsonl`);
  const packed = await fetch(`${board.url}/api/dump.jsonl.gz`);
  expect(plain.headers.get("content-type")).toBe("application/x-ndjson");
  expect(packed.headers.get("content-type")).toBe("application/gzip");
  expect(packed.headers.get("content-encoding")).toBe(null);
  expect(plain.headers.get("content-disposition")).toBe('attachment; filename="dump.jsonl"');
  expect(packed.headers.get("content-disposition")).toBe('attachment; filename="dump.jsonl.gz"');
  expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
  const bytes = await packed.bytes();
  const text = await plain.text();
  expect(bytes.length).toBeLessThan(text.length / 2);
  expect(gunzipSync(bytes).toString()).toBe(text);
});

test("HEAD shows the type without reading the board, and parameters are refused", async () => {
  for (const path of ["/api/dump.jsonl", "/api/dump.jsonl.gz"]) {
    const head = await fetch(board.url + path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-type")).toMatch(/^application\/(x-ndjson|gzip)$/);
    expectRefusal(await board.get(`${path}?limit=1`), 400, "unknown_parameter");
  }
});

/** Reads the first part, lets the caller act while the rest waits in the board, then reads the rest. */
async function withPause(act: () => Promise<unknown>): Promise<Line[]> {
  const [response] = (await once(get(`${board.url}/api/dump.jsonl`), "response")) as [IncomingMessage];
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) {
    if (text === "") await act();
    text += chunk as string;
  }
  return linesOf(text);
}

test("while others post, a dump shows all that was there when it began, once each, in order", async () => {
  const before = (await dump()).map(({ id }) => id);
  let late: Put[] = [];
  const lines = await withPause(async () => (late = await crowd(100)));
  expect(lines.map(({ id }) => id)).toEqual(before);
  expect((await dump()).map(({ id }) => id).toSorted()).toEqual([...before, ...late.map(({ id }) => id)].toSorted());
});

test("a message that ends while a dump waits for its reader is not in the rest of it", async () => {
  // More than the buffers between board and reader hold, so that the end is read after the pause.
  const bulk = (text: string) =>
    Array.from({ length: 150 }, (_, i) => ({ kind: "note", title: `${text} ${i}`, body: "ж".repeat(32_000), ttl: "1h" }));
  await putAll(board, bulk("ballast"));
  const last = await board.put(agent, { kind: "note", title: "Last words", ttl: "1m" });
  expect((await dump()).at(-1)?.id).toBe(last.id);
  const lines = await withPause(async () => board.clock.advance(MINUTE_MS));
  expect(lines.map(({ id }) => id)).not.toContain(last.id);
});

test("a reader that disconnects stops the reading, and the board continues and can be closed", async () => {
  const [response] = (await once(get(`${board.url}/api/dump.jsonl`), "response")) as [IncomingMessage];
  await once(response, "readable");
  response.destroy();
  expect((await board.get("/healthz")).status).toBe(200);
});

test("dumps and streams of one address are counted together, and one that ends frees its place", async () => {
  await using limited = await TestBoard.start({ flags: ["--rate-limits", "on"] });
  await limited.put(limited.agent(), { kind: "note", title: "one" });
  const asked = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => void get(`${limited.url}/api/stream`, resolve).once("error", reject));
  const open = [];
  for (let n = 0; n < 20; n++) open.push(await asked());
  for (const form of ["jsonl", "jsonl.gz"]) expectRefusal(await limited.get(`/api/dump.${form}`), 429, "too_many_streams");
  for (const one of open) one.destroy();
  // Any number, one after the other.
  for (let n = 0; n < 25; n++)
    await eventually("room for one more", async () => {
      const { status, body } = await limited.get<string>("/api/dump.jsonl");
      return status === 200 && linesOf(body).length === 1 ? true : undefined;
    });
});
