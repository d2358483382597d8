import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../test/support/eventually.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { expectRefusal } from "../../../test/support/refusal.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { operation } from "../../operations/operation.ts";
import { httpServer } from "./server.ts";

/** A server whose one operation sends these pieces. */
async function serve(stream: () => AsyncIterable<string>, failures: unknown[] = []) {
  const pieces = operation({
    name: "pieces",
    method: "GET",
    path: "/pieces",
    summary: "Pieces.",
    input: z.strictObject({}),
    responses: { 200: "Pieces." },
    refusals: [],
    rate: "reads",
    run: async () => ({ body: undefined, stream: stream(), type: "text/plain" }),
  });
  let removed: (targets: ReadonlySet<string>) => void = () => {};
  const app = httpServer({
    ready: async () => {},
    notWritable: () => undefined,
    operations: [pieces],
    rates: new RateLimiter(new ManualClock(), false),
    clock: new ManualClock(),
    report: { appended() {}, refused() {}, failed: (_what, error) => void failures.push(error) },
    baseUrl: "http://localhost",
    privateName: true,
    profile: "public",
    cors: "any",
    trustedProxies: [],
    tls: undefined,
    metrics: undefined,
    versions: { of: async () => "", moment: undefined },
    observe() {},
    assets: loadAssets,
    refusalPage: async ({ message }) => message,
    onRemoved: (listener) => void (removed = listener),
  });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  return { address, url: `${address}/pieces`, remove: () => removed(new Set(["one"])), [Symbol.asyncDispose]: () => app.close() };
}

test("a source is read no further ahead than its reader, and ends when the reader goes", async () => {
  let sent = 0;
  const ended = Promise.withResolvers<void>();
  await using server = await serve(async function* () {
    try {
      for (;;) {
        sent++;
        yield "z".repeat(1024 * 1024);
      }
    } finally {
      ended.resolve();
    }
  });
  const [response] = (await once(get(server.url), "response")) as [IncomingMessage];
  await once(response, "readable");
  // Nobody reads on. The server has all the turns it wants, and still sends no more than the pipes hold.
  for (let turn = 0; turn < 200; turn++) await (await fetch(`${server.address}/healthz`)).text();
  expect(sent).toBeLessThan(100);
  response.destroy();
  await ended.promise;
});

test("a stream that fails midway breaks off, so that nobody takes a part for the whole", async () => {
  const failures: unknown[] = [];
  await using server = await serve(async function* () {
    yield "half";
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error("disk");
  }, failures);
  await expect(fetch(server.url).then((response) => response.text())).rejects.toThrow();
  expect(failures).toEqual([new Error("disk")]);
});

test("a stream that fails before its first piece is answered with the error object", async () => {
  await using server = await serve(() => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Refusal("storage_unavailable")) }),
  }));
  const response = await fetch(server.url);
  expectRefusal({ status: response.status, headers: response.headers, body: await response.json() }, 503, "storage_unavailable");
});

test("what waits for a slow reader when something is removed never reaches it, and the transfer does not look whole", async () => {
  let sent = 0;
  await using server = await serve(async function* () {
    for (;;) {
      yield "x".repeat(64 * 1024);
      sent++;
      await new Promise((resolve) => void setImmediate(resolve));
    }
  });
  const { hostname, port } = new URL(server.address);
  const client = connect({ host: hostname, port: Number(port) });
  let [bytes, closed] = [0, false];
  client.on("data", (chunk) => (bytes += chunk.length)).on("error", () => {});
  client.on("close", () => (closed = true)).pause();
  client.write("GET /pieces HTTP/1.1\r\nhost: board\r\n\r\n");
  let [last, looks] = [-1, 0];
  await eventually("pieces that wait in the board because nobody takes them", () => {
    looks = sent > 0 && sent === last ? looks + 1 : 0;
    last = sent;
    return looks > 20 ? true : undefined;
  });
  server.remove();
  client.resume();
  await eventually("the end of it", () => (closed ? true : undefined));
  expect(bytes).toBeGreaterThan(0);
});
