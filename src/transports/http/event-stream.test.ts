// Event streams on real sockets, plain and TLS: what waits is bounded, and a feed that fails ends with words.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import Fastify, { type FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import type { LiveEvent } from "../../board/live/log-event.ts";
import type { Sink } from "../../board/live/replay.ts";
import { selfSigned } from "../../../test/support/certificate.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { StoreFailure } from "../../ports/store.ts";
import { EventStreams } from "./event-stream.ts";

interface Served extends AsyncDisposable {
  readonly port: number;
  readonly streams: EventStreams;
  readonly clock: ManualClock;
  /** The feed's side of the first stream, and the server's end of its socket. */
  readonly sink: Promise<Sink>;
  readonly socket: Promise<Socket>;
  readonly failures: unknown[];
  readonly counts: { stopped: number; closed: number };
}

async function serve(done: Promise<void> = Promise.resolve(), tls?: { cert: string; key: string }): Promise<Served> {
  const sink = Promise.withResolvers<Sink>();
  const socket = Promise.withResolvers<Socket>();
  const failures: unknown[] = [];
  const counts = { stopped: 0, closed: 0 };
  const report = { appended() {}, refused() {}, failed: (_what: string, error: unknown) => void failures.push(error) };
  const clock = new ManualClock();
  const streams = new EventStreams({ baseUrl: "http://localhost", clock, report, door: { headers: {} } });
  const app = (tls === undefined ? Fastify() : Fastify({ https: tls })) as unknown as FastifyInstance;
  app.get("/", async (request, reply) => {
    socket.resolve(request.raw.socket);
    streams.start(
      reply,
      (given) => {
        sink.resolve(given);
        return { stop: () => void counts.stopped++, done };
      },
      () => void counts.closed++,
    );
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  return {
    port,
    streams,
    clock,
    sink: sink.promise,
    socket: socket.promise,
    failures,
    counts,
    async [Symbol.asyncDispose]() {
      streams.close();
      app.server.closeAllConnections();
      (await socket.promise).destroy();
      await app.close();
    },
  };
}

const REQUEST = "GET / HTTP/1.1\r\nhost: board\r\n\r\n";
let seq = 0;
const event = (chars: number): LiveEvent => ({ seq: ++seq, id: `m${seq}`, name: "message", json: JSON.stringify("x".repeat(chars)) });

test("for a reader that takes nothing at most a megabyte waits", async () => {
  await using server = await serve();
  const client = connect({ port: server.port, host: "127.0.0.1" });
  client.pause();
  client.write(REQUEST);
  const [sink, socket] = await Promise.all([server.sink, server.socket]);
  let most = 0;
  for (let i = 0; i < 5000 && server.counts.stopped === 0; i++) {
    sink.deliver([event(60_000)]);
    most = Math.max(most, socket.writableLength);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect(server.counts.stopped).toBe(1);
  expect(most).toBeLessThan(1024 * 1024 + 64_000);
  sink.deliver([event(60_000)]);
  expect(socket.writableLength).toBeLessThanOrEqual(most + 1000);
  client.destroy();
  await eventually("the place is free", () => (server.counts.closed === 1 ? true : undefined));
});

test("a reader that has stopped does not keep its place because nothing new happens", async () => {
  await using server = await serve();
  const client = connect({ port: server.port, host: "127.0.0.1" });
  client.pause();
  client.write(REQUEST);
  const [sink, socket] = await Promise.all([server.sink, server.socket]);
  // The first bytes that wait are so few that the socket does not ask for a pause.
  for (; socket.writableLength === 0; await new Promise((resolve) => void setImmediate(resolve))) sink.deliver([event(10_000)]);
  expect(socket.writableNeedDrain).toBe(false);
  for (let second = 0; second < 60; second++) server.clock.advance(1000);
  expect(server.counts.stopped).toBe(1);
  client.destroy();
});

test("and at most 500 events, however small", async () => {
  await using server = await serve();
  const client = connect({ port: server.port, host: "127.0.0.1" });
  client.pause();
  client.write(REQUEST);
  const [sink, socket] = await Promise.all([server.sink, server.socket]);
  while (!socket.writableNeedDrain) {
    sink.deliver([event(60_000)]);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  let small = 0;
  for (; server.counts.stopped === 0 && small < 2000; small++) sink.deliver([event(1)]);
  expect(small).toBeGreaterThan(400);
  expect(small).toBeLessThanOrEqual(500);
  expect(socket.writableLength).toBeLessThan(512 * 1024);
  client.destroy();
});

test("what was removed while it waited for a slow reader never reaches it; who waits for other things goes on", async () => {
  await using server = await serve();
  const client = connect({ port: server.port, host: "127.0.0.1" });
  let text = "";
  let closed = false;
  client.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  client.on("close", () => (closed = true)).pause();
  client.write(REQUEST);
  const [sink, socket] = await Promise.all([server.sink, server.socket]);
  while (!socket.writableNeedDrain) {
    sink.deliver([event(60_000)]);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const removed = { ...event(1), json: '"the removed words"' };
  sink.deliver([removed]);
  server.streams.forget(new Set(["another"]));
  expect(server.streams.open).toBe(1);
  server.streams.forget(new Set([removed.id]));
  client.resume();
  await eventually("its end", () => (closed ? true : undefined));
  expect(text.length).toBeGreaterThan(60_000);
  expect(text).not.toContain("removed words");
});

test("who was cut off gets nothing of what is removed afterwards either", async () => {
  await using server = await serve();
  const client = connect({ port: server.port, host: "127.0.0.1" });
  let text = "";
  let closed = false;
  client.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  client.on("close", () => (closed = true)).pause();
  client.write(REQUEST);
  const [sink, socket] = await Promise.all([server.sink, server.socket]);
  while (!socket.writableNeedDrain) {
    sink.deliver([event(60_000)]);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const removed = { ...event(1), json: '"the removed words"' };
  sink.deliver([removed]);
  while (server.counts.stopped === 0) sink.deliver([event(60_000)]);
  server.streams.forget(new Set([removed.id]));
  client.resume();
  await eventually("its end", () => (closed ? true : undefined));
  expect(text).not.toContain("removed words");
});

test("a feed that fails ends the stream with words, and the operator hears of it", async () => {
  for (const [error, code, reported] of [
    [new StoreFailure("storage_unavailable", "locked"), "storage_unavailable", 0],
    [new Error("a bug"), "internal", 1],
  ] as const) {
    const failed = Promise.withResolvers<void>();
    await using server = await serve(failed.promise);
    const answer = fetch(`http://127.0.0.1:${server.port}/`).then((response) => response.text());
    await server.sink;
    failed.reject(error);
    expect(await answer).toContain(`event: error\ndata: {"error":{"code":"${code}"`);
    expect(server.failures.length).toBe(reported);
    expect(server.counts.stopped).toBe(1);
  }
});

test("a reader that comes while the board shuts down is refused at once", async () => {
  await using server = await serve();
  server.streams.close();
  const text = await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
  expect(text).toContain('event: error\ndata: {"error":{"code":"shutting_down"');
  await eventually("its end", () => (server.counts.closed === 1 && server.counts.stopped === 1 ? true : undefined));
});

test("a stream over TLS carries the same frames and notices when its reader goes", async () => {
  const { cert, key } = selfSigned("localhost");
  await using server = await serve(undefined, { cert, key });
  const client = connectTls({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
  let text = "";
  client.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  client.write(REQUEST);
  const sink = await server.sink;
  sink.control("hello", { seq: 1 }, 1);
  sink.deliver([event(100_000)]);
  await eventually("the event", () => (text.endsWith('x"\n\n') ? true : undefined));
  expect(text).toMatch(/\r\n\r\nretry: 3000\n\nid: 1\nevent: hello\ndata: \{"seq":1\}\n\nid: \d+\nevent: message\ndata: "x{100000}"\n\n$/);
  client.destroy();
  await eventually("its end", () => (server.counts.closed === 1 && server.counts.stopped === 1 ? true : undefined));
  expect(server.streams.open).toBe(0);
});
