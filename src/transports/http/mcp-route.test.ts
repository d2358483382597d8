import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { httpServer } from "./server.ts";

test("of a long message, a call that waits keeps what was read and neither its bytes nor another copy of its text", async () => {
  const kept: unknown[] = [];
  const app = httpServer({
    mcp: () => ({
      read: (text) => JSON.parse(text) as unknown,
      async answer(request, message) {
        kept.push((await request.text()).length, (message as { long: string }).long.length);
        return Response.json({});
      },
      close() {},
      refusal: (body) => body,
    }),
    ready: async () => {},
    notWritable: () => undefined,
    operations: [],
    rates: new RateLimiter(new ManualClock(), true),
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
  app.addHook("onSend", async ({ body }) => void kept.push(body));
  const payload = { long: "x".repeat(500_000) };
  expect((await app.inject({ method: "POST", url: "/mcp", payload })).statusCode).toBe(200);
  expect(kept).toEqual([2, 500_000, undefined]);
  await app.close();
});
