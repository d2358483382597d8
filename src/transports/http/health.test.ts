import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { httpServer } from "./server.ts";

test("many probes at once ask the database once, and the next ones ask it again", async () => {
  const asked: PromiseWithResolvers<void>[] = [];
  const app = httpServer({
    ready() {
      const one = Promise.withResolvers<void>();
      asked.push(one);
      return one.promise;
    },
    notWritable: () => undefined,
    operations: [],
    rates: new RateLimiter(new ManualClock(), true),
    clock: new ManualClock(),
    report: { appended() {}, failed() {}, refused() {} },
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
    onRemoved() {},
  });
  const probes = () => Promise.all(["/readyz", "/readyz/writing", "/readyz", "/readyz/writing"].map((url) => app.inject(url)));
  const statuses = async (answers: ReturnType<typeof probes>) => (await answers).map(({ statusCode }) => statusCode);
  for (const [round, settle, status] of [
    [1, (one) => one.resolve(), 200],
    [2, (one) => one.reject(new Error("The database is away.")), 500],
    [3, (one) => one.resolve(), 200],
  ] as const satisfies (readonly [number, (one: PromiseWithResolvers<void>) => void, number])[]) {
    const answers = probes();
    // All probes have arrived by the time that this one is answered.
    expect((await app.inject("/healthz")).statusCode).toBe(200);
    expect(asked).toHaveLength(round);
    settle(asked[round - 1]!);
    expect(await statuses(answers)).toEqual([status, status, status, status]);
  }
  await app.close();
});
