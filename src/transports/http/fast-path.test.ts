import { expect, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { BUCKETS } from "../../board/limits/bucket-sizes.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { versions } from "./etags.ts";
import { operation } from "../../operations/operation.ts";
import { httpServer } from "./server.ts";

/** A server with one operation, which notes how it was answered. */
async function serve({ limited = false, due = (): boolean => false, proxies = [] as string[], tokenMs = Infinity, longMs = 0 } = {}) {
  const ways: string[] = [];
  let looks = 0;
  const note = <Answer>(way: string, answer: Answer): Answer => {
    ways.push(way);
    return answer;
  };
  const one = operation({
    name: "one",
    method: "GET",
    path: "/api/one",
    summary: "One.",
    input: z.strictObject({ tall: z.string().optional(), deep: z.string().optional() }),
    responses: { 200: "One." },
    refusals: ["unknown_parameter"],
    rate: "reads",
    extraRate: ({ deep }) => (deep === undefined ? undefined : "searches"),
    revalidate: true,
    run: async () => note("usual", { body: { one: "ä" }, next: "more" }),
    runSync: ({ tall }) => {
      if (tall !== undefined) return undefined;
      return () => {
        for (const began = performance.now(); performance.now() - began < longMs;);
        return note("fast path", { json: '{"one":"ä"}', next: "more" });
      };
    },
  });
  const BYTES = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const immutable = { type: "application/octet-stream", headers: { "cache-control": "immutable" } };
  const same = operation({
    name: "same",
    method: "GET",
    path: "/same/{place}",
    rest: true,
    summary: "Always the same.",
    input: z.strictObject({ place: z.string() }),
    responses: { 200: "Bytes." },
    refusals: ["unknown_parameter"],
    rate: "reads",
    run: async () => note("usual", { body: BYTES, ...immutable }),
    lasting: ({ place }) => (place === "x/y" ? () => note("from memory", { latin1: BYTES.toString("latin1"), ...immutable }) : undefined),
  });
  const clock = new ManualClock();
  const rates = new RateLimiter(clock, limited, { tokenMs });
  const state = () => {
    looks++;
    return { seq: 1, hash: "aa", nextDue: due() ? clock.now() : null };
  };
  const nothing = { find: () => undefined, list: () => undefined };
  const app = httpServer({
    ready: async () => {},
    notWritable: () => undefined,
    operations: [one, same],
    rates,
    clock,
    report: { appended() {}, failed() {}, refused() {} },
    baseUrl: "http://localhost",
    privateName: true,
    profile: "public",
    cors: "any",
    trustedProxies: proxies,
    tls: undefined,
    metrics: undefined,
    versions: versions({ leastState: async () => ({ ...state(), newest: 1 }), sync: { state, ...nothing } }, clock),
    observe() {},
    assets: loadAssets,
    refusalPage: async ({ message }) => message,
    onRemoved() {},
  });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const get = async (path = "/api/one", init?: RequestInit, coding: "utf8" | "latin1" = "utf8") => {
    const response = await fetch(address + path, init);
    const { date: _date, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()).toString(coding) };
  };
  return { get, ways, looks: () => looks, rates, [Symbol.asyncDispose]: () => app.close() };
}

/** Not plain, so that a connection is the HTTP server's from here on. */
const USUAL = { headers: { "x-other": "1" } };

test("who asks what was asked before is answered at once, with the same head and body", async () => {
  await using server = await serve();
  const first = await server.get("/api/one", USUAL);
  expect(await server.get("/api/one", USUAL)).toEqual(first);
  expect(await server.get()).toEqual(first);
  expect(server.ways).toEqual(["usual", "fast path", "fast path"]);
  expect(first.headers).toMatchObject({
    etag: expect.stringMatching(/^W\/"1-0-aa-\w{12}"$/) as string,
    link: '<http://localhost/api/one?cursor=more>; rel="next"',
    "content-length": "12",
  });
});

test("bytes that never change come from memory, the same as the usual way gives them, also while something is due", async () => {
  await using server = await serve({ due: () => true });
  const get = (path: string, init?: RequestInit) => server.get(path, init, "latin1");
  const usual = await get("/same/other", USUAL);
  expect(usual.headers).toMatchObject({
    "content-type": "application/octet-stream",
    "cache-control": "immutable",
    "content-length": "256",
  });
  expect(await get("/same/x/y")).toEqual(usual);
  // Known by now, on either path.
  expect(await get("/same/x/y", USUAL)).toEqual(usual);
  expect((await get("/same/x/y", { method: "HEAD" })).body).toBe("");
  expect((await get("/same/x/y?more=1")).status).toBe(400);
  expect(server.ways).toEqual(["usual", "from memory", "from memory", "usual"]);
  expect(server.looks()).toBe(0);
});

test("other methods, validators and inputs that take waiting go the usual way, and so does everybody while something is due", async () => {
  let due = false;
  await using server = await serve({ due: () => due });
  const { headers } = await server.get("/api/one", USUAL);
  expect((await server.get("/api/one", { method: "HEAD" })).body).toBe("");
  expect((await server.get("/api/one", { headers: { "if-none-match": headers["etag"] ?? "" } })).status).toBe(304);
  expect((await server.get("/api/one?nothing=1")).status).toBe(400);
  expect((await server.get("/api/one?nothing=1")).status).toBe(400);
  for (let i = 0; i < 2; i++) await server.get("/api/one?tall=1");
  due = true;
  await server.get();
  expect(new Set(server.ways)).toEqual(new Set(["usual"]));
});

test("for a caller over its limit nothing is made before the refusal", async () => {
  await using server = await serve({ limited: true });
  const { burst } = BUCKETS.reads;
  for (let i = 0; i < burst; i++) expect((await server.get()).status).toBe(200);
  expect(server.ways).toEqual(Array.from({ length: burst }, () => "fast path"));
  const refused = await server.get();
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([429, { error: { code: "rate_limited", details: { scope: "reads" } } }]);
  expect(server.ways).toHaveLength(burst);
  expect(server.looks()).toBe(burst);
});

test("nobody gets more than their share by asking again, also behind a proxy", async () => {
  await using server = await serve({ limited: true, proxies: ["127.0.0.1"] });
  const statuses = async (headers: Record<string, string>): Promise<number[]> =>
    Promise.all(Array.from({ length: 310 }, async () => (await server.get("/api/one", { headers })).status));
  for (const headers of [{}, { "x-forwarded-for": "192.0.2.1" }] as Record<string, string>[]) {
    const all = await statuses(headers);
    expect([all.filter((one) => one === 200).length, all.filter((one) => one === 429).length]).toEqual([300, 10]);
  }
  expect(server.ways).toContain("fast path");
});

test("an answer that takes long costs its caller more than a token, and the next one is refused when nothing is left", async () => {
  const [tokenMs, longMs] = [0.01, 1];
  await using server = await serve({ limited: true, tokenMs, longMs });
  const left = () => server.rates.allowance("reads", "127.0.0.1")?.tokens ?? 0;
  const { burst } = BUCKETS.reads;
  expect((await server.get()).status).toBe(200);
  expect(left()).toBeLessThanOrEqual(burst - longMs / tokenMs);
  while (left() >= 1) expect((await server.get()).status).toBe(200);
  const answered = server.ways.length;
  expect((await server.get()).status).toBe(429);
  expect(server.ways).toEqual(Array.from({ length: answered }, () => "fast path"));
  expect(answered).toBeLessThanOrEqual(burst / (longMs / tokenMs));
});

test("what takes a token of a second bucket goes the usual way each time, and takes it each time", async () => {
  await using server = await serve({ limited: true });
  for (let i = 0; i < 3; i++) expect((await server.get("/api/one?deep=1")).status).toBe(200);
  expect(server.ways).toEqual(["usual", "usual", "usual"]);
  const taken = (scope: "reads" | "searches") => BUCKETS[scope].burst - (server.rates.allowance(scope, "127.0.0.1")?.tokens ?? 0);
  expect([taken("reads"), taken("searches")]).toEqual([3, 3]);
});
