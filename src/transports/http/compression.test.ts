import { expect, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { callerOf } from "../../board/limits/callers.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { operation } from "../../operations/operation.ts";
import { httpServer } from "./server.ts";

/** A list and a page that take no time to make, and a long time to compress. */
const LIST = JSON.stringify({ items: "words ".repeat(100_000) });
const PAGE = "<p>words</p>".repeat(100_000);
/** So short that compressing either costs more than ten tokens. */
const TOKEN_MS = 0.5;

async function serve() {
  const rates = new RateLimiter(new ManualClock(), true, { tokenMs: TOKEN_MS });
  const shared = { method: "GET", summary: "Words.", input: z.strictObject({}), refusals: [], rate: "reads", revalidate: true } as const;
  const run = async () => ({
    json: LIST,
    next: "more",
    get body(): unknown {
      throw new Error("The text exists already: to parse it would take as long as to make it.");
    },
  });
  const app = httpServer({
    ready: async () => {},
    notWritable: () => undefined,
    operations: [
      operation({ ...shared, name: "list", path: "/api/list", responses: { 200: "A list." }, run }),
      operation({ ...shared, name: "page", path: "/page", responses: { 200: "A page." }, run, page: async () => PAGE }),
    ],
    rates,
    clock: new ManualClock(),
    report: { appended() {}, failed() {}, refused() {} },
    baseUrl: "http://localhost",
    privateName: true,
    profile: "public",
    cors: "any",
    trustedProxies: ["127.0.0.1"],
    tls: undefined,
    metrics: undefined,
    versions: { of: async () => 'W/"1"', moment: undefined },
    observe() {},
    assets: loadAssets,
    refusalPage: async ({ message }) => message,
    onRemoved() {},
  });
  /** Requests it from an address, and counts the tokens that this took. */
  const get = async (path: string, address: string, coding: string) => {
    const left = () => rates.allowance("reads", callerOf(address))?.tokens ?? 0;
    const before = left();
    const headers = { "x-forwarded-for": address, "accept-encoding": coding, accept: path === "/page" ? "text/html" : "*/*" };
    const answer = await app.inject({ url: path, headers });
    return { answer, took: before - left() };
  };
  return { rates, get, [Symbol.asyncDispose]: () => app.close() };
}

test("a list is compressed at the cost of its caller, each time; who takes it as it is pays for the request alone", async () => {
  await using server = await serve();
  expect((await server.get("/api/list", "203.0.113.1", "identity")).took).toBe(1);
  for (let times = 0; times < 2; times++) {
    const { answer, took } = await server.get("/api/list", "203.0.113.1", "gzip");
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(took).toBeGreaterThan(10);
  }
});

test("a page is compressed at the cost of the first caller who wants it so, and others get it for a token", async () => {
  await using server = await serve();
  for (const coding of ["gzip", "br"]) {
    const first = await server.get("/page", "203.0.113.1", coding);
    expect(first.answer.headers["content-encoding"]).toBe(coding);
    expect(first.took).toBeGreaterThan(10);
    for (const address of ["203.0.113.1", "203.0.113.2"]) {
      const { answer, took } = await server.get("/page", address, coding);
      expect([answer.rawPayload.equals(first.answer.rawPayload), took]).toEqual([true, 1]);
    }
  }
});

test("a caller without the tokens for compressing is refused, and the refusal has nothing of the answer; others are served", async () => {
  await using server = await serve();
  for (const [path, coding] of [
    ["/api/list", "gzip"],
    ["/page", "br"],
  ] as const) {
    server.rates.owe("reads", callerOf("203.0.113.1"), 299);
    const { answer } = await server.get(path, "203.0.113.1", coding);
    expect(answer.statusCode).toBe(429);
    for (const name of ["etag", "link", "content-encoding"]) expect(answer.headers[name], name).toBeUndefined();
    expect((await server.get(path, "203.0.113.2", coding)).answer.headers["content-encoding"]).toBe(coding);
  }
});
