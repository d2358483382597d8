import { threadCpuUsage } from "node:process";
import { expect, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { RateLimiter } from "../board/limits/rate.ts";
import { Refusal } from "../core/errors.ts";
import { jsonBody } from "../core/protocol/read-json-body.ts";
import { slice } from "../ports/cpu-slices.ts";
import { admitCall, type Callable } from "./call-steps.ts";
import { answerLines, type BodyLine } from "./ndjson-calls.ts";
import type { BundleCalls } from "./operation.ts";

const caller = "192.0.2.1";
const operation: Callable = { rate: "writes", input: z.strictObject({}), refusals: [], keeps: true, body: jsonBody(z.number(), {}) };
const line = (text: string): BodyLine => ({ bytes: text.length, text: () => text });
const parts = { baseUrl: "http://board.test", refusalOf: (error: unknown) => (error instanceof Refusal ? error : new Refusal("internal")) };
const none = { params: {}, query: {} };

/** Numbers, each answered once it is flushed; so much of a token is what one takes. */
function numbers(read: (given: number) => void, tokens = 1): BundleCalls<unknown> & { readonly flushed: number[] } {
  let waiting: (() => void)[] = [];
  const flushed: number[] = [];
  return {
    whole: false,
    flushed,
    async add(given) {
      read(given as number);
      return { reply: new Promise((resolve) => waiting.push(() => resolve({ status: 201, body: { given }, tokens }))) };
    },
    async flush() {
      flushed.push(waiting.length);
      for (const go of waiting) go();
      waiting = [];
    },
  };
}

/** Of the processor, and by the clock: some systems count processor time in steps of milliseconds. */
function busyFor(ms: number): void {
  const began = performance.now();
  for (const until = cpuUsage() + ms; cpuUsage() < until || performance.now() - began < ms;);
}
const cpuUsage = (): number => {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
};

test("others have their turns between the lines of a long bundle", async () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const turns = new Set<number>();
  let turn = 0;
  const next = (): void => {
    turn++;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const bundle = numbers(() => {
    turns.add(turn);
    slice(() => busyFor(3));
  });
  await answerLines(
    admitCall(operation, { caller, requireSafe: () => {} }, rates),
    bundle,
    ["1", "2", "3", "4", "5"].map(line),
    none,
    parts,
  );
  clearImmediate(immediate);
  expect(turns.size).toBe(5);
});

test("a line without allowance waits for what earlier lines give back, and no line is refused that would not be refused alone", async () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const bundle = numbers(() => {}, 1 / 16);
  const many = Array.from({ length: 100 }, (_, n) => line(String(n)));
  const { body } = await answerLines(admitCall(operation, { caller, requireSafe: () => {} }, rates), bundle, many, none, parts);
  const answers = (body as string).trimEnd().split("\n");
  expect(answers).toEqual(many.map((_, given) => JSON.stringify({ status: 201, given })));
  // The bucket holds 60: they are flushed once in the middle, and at the end.
  expect(bundle.flushed).toEqual([60, 40]);
  expect(rates.allowance("writes", caller)?.tokens).toBeCloseTo(60 - 100 / 16);
});

test("what is refused takes a whole token and no bytes, and the request itself nothing", async () => {
  const rates = new RateLimiter(new ManualClock(), true);
  const call = admitCall(operation, { caller, requireSafe: () => {} }, rates);
  const { body } = await answerLines(
    call,
    numbers(() => {}),
    ["{", "1", "true"].map(line),
    none,
    parts,
  );
  expect(
    (body as string)
      .trimEnd()
      .split("\n")
      .map((text) => (JSON.parse(text) as { status: number }).status),
  ).toEqual([400, 201, 400]);
  expect(rates.allowance("writes", caller)?.tokens).toBe(57);
  expect(rates.allowance("bytes", caller)?.tokens).toBe(2 * 1024 * 1024 - 1024);
});
