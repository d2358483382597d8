import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { BUCKETS } from "../../board/limits/bucket-sizes.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { cost } from "../../ports/cpu-slices.ts";
import type { McpParts } from "./mcp-route.ts";
import { httpServer } from "./server.ts";

/** A board whose protocol is these functions. */
const serve = (protocol: Pick<McpParts, "read" | "answer">, rates = new RateLimiter(new ManualClock(), true)) =>
  httpServer({
    mcp: () => ({ ...protocol, close() {}, refusal: (body) => body }),
    ready: async () => {},
    notWritable: () => undefined,
    operations: [],
    rates,
    clock: new ManualClock(),
    report: { appended() {}, failed() {}, refused() {} },
    baseUrl: "http://localhost",
    profile: "public",
    privateName: false,
    cors: "any",
    trustedProxies: [],
    tls: undefined,
    metrics: undefined,
    versions: { of: async () => "", moment: undefined },
    observe() {},
    assets: loadAssets,
    refusalPage: async ({ message }) => message,
    onRemoved() {},
  });

test("of a long message, a call that waits keeps what was read and neither its bytes nor another copy of its text", async () => {
  const kept: unknown[] = [];
  const app = serve({
    read: (text) => JSON.parse(text) as unknown,
    async answer(request, message) {
      kept.push((await request.text()).length, (message as { long: string }).long.length);
      return Response.json({});
    },
  });
  app.addHook("onSend", async ({ body }) => void kept.push(body));
  const payload = { long: "x".repeat(500_000) };
  expect((await app.inject({ method: "POST", url: "/mcp", payload })).statusCode).toBe(200);
  expect(kept).toEqual([2, 500_000, undefined]);
  await app.close();
});

/** How many tokens a call with this answer takes from its caller. */
async function tokensFor(answer: () => Response, tokenMs: number): Promise<number> {
  const rates = new RateLimiter(new ManualClock(), true, { tokenMs });
  const app = serve({ read: () => ({}), answer: async () => answer() }, rates);
  expect((await app.inject({ method: "POST", url: "/mcp", payload: {} })).statusCode).toBe(200);
  await app.close();
  return BUCKETS.reads.burst - (rates.allowance("reads", "127.0.0.1")?.tokens ?? 0);
}

test("a long answer costs its caller what its length takes to write, and a short one only its token", async () => {
  const LENGTH = 8 * 1024 * 1024;
  // A millisecond for each 32 KiB.
  expect(await tokensFor(() => new Response(new Uint8Array(LENGTH)), LENGTH / 32 / 1024 / 10)).toBeGreaterThanOrEqual(10);
  expect(await tokensFor(() => Response.json({}), Infinity)).toBe(1);
});

test("what a tool takes to make its answer is charged to the caller of the message", async () => {
  const answer = (): Response => {
    cost(4500);
    return Response.json({});
  };
  expect(await tokensFor(answer, 1000)).toBe(5);
});
