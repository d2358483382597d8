// The door of every operation: what is asked of a caller, in which order, and what a call that came to nothing gives back.
import { expect, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { refusalOf } from "../../test/support/outcome.ts";
import { BUCKETS, OPEN_AT_ONCE, type Scope } from "../board/limits/bucket-sizes.ts";
import { RateLimiter } from "../board/limits/rate.ts";
import { Refusal } from "../core/errors.ts";
import { jsonBody } from "../core/protocol/read-json-body.ts";
import { admitCall, type Callable, type CallContext, type Guest, runCall } from "./call-steps.ts";
import type { Operation } from "./operation.ts";

const caller = "192.0.2.1";
const guest = (more: Partial<Guest> = {}): Guest => ({ caller, requireSafe: () => {}, ...more });
const operation = (more: Partial<Callable> = {}): Callable => ({ rate: "reports", input: z.strictObject({}), refusals: [], ...more });
const limits = (): RateLimiter => new RateLimiter(new ManualClock(), true);

/** How many tokens are left, by taking them. */
function left(rates: RateLimiter, scope: Scope): number {
  for (let taken = 0; ; taken++) {
    if (!rates.has(scope, caller)) return taken;
    rates.take(scope, caller);
  }
}

test("a caller that may not send a secret, or asks for what is switched off, is refused before a token is taken", () => {
  const rates = limits();
  const closed = () => {
    throw new Refusal("assist_disabled");
  };
  const unsafe = guest({
    requireSafe() {
      throw new Refusal("https_required");
    },
  });
  expect(refusalOf(() => admitCall(operation({ secret: true, requireOpen: closed }), unsafe, rates)).code).toBe("https_required");
  expect(refusalOf(() => admitCall(operation({ secret: true, requireOpen: closed }), guest(), rates)).code).toBe("assist_disabled");
  expect(left(rates, "reports")).toBe(BUCKETS.reports.burst);
});

test("a refused call gives back what it took and costs a read, where only what was done counts; an answered one does not", () => {
  for (const [status, back] of [
    [400, 1],
    [201, 0],
  ] as const) {
    const rates = limits();
    const call = admitCall(operation({ refunds: true }), guest(), rates);
    call.end(status);
    expect(left(rates, "reports")).toBe(BUCKETS.reports.burst - 1 + back);
    expect(left(rates, "reads")).toBe(BUCKETS.reads.burst - 1);
  }
});

test("a read that was paid for on the way in is used once, and looking at a refused call costs no other", () => {
  const rates = limits();
  const visit = guest({ paid: true });
  admitCall(operation({ refunds: true }), visit, rates).end(400);
  admitCall(operation({ rate: "reads" }), visit, rates);
  expect(left(rates, "reads")).toBe(BUCKETS.reads.burst);
  admitCall(operation({ rate: "reads" }), { ...visit }, limits());
  const later = limits();
  admitCall(operation({ rate: "reads" }), visit, later);
  expect(left(later, "reads")).toBe(BUCKETS.reads.burst - 1);
});

test("bytes are counted once, and only what was kept keeps them", () => {
  for (const [status, spent] of [
    [201, true],
    [200, false],
    [429, false],
  ] as const) {
    const rates = limits();
    const call = admitCall(operation({ keeps: true }), guest(), rates);
    call.countBytes(BUCKETS.bytes.burst);
    call.read({ params: {}, query: {}, text: "counted already" });
    expect(rates.has("bytes", caller)).toBe(false);
    call.end(status);
    expect(rates.has("bytes", caller)).toBe(!spent);
  }
});

test("a long body that is not kept takes a token for each 64 KiB, once, and stays paid for", () => {
  for (const [bytes, tokens] of [
    [64 * 1024 - 1, 1],
    [1024 * 1024, 17],
  ] as const) {
    const rates = limits();
    const call = admitCall(operation({ rate: "reads" }), guest(), rates);
    call.countBytes(bytes);
    call.countBytes(1024 * 1024);
    call.end(400);
    expect(left(rates, "reads")).toBe(BUCKETS.reads.burst - tokens);
  }
});

test("parameters come before the body, and a board that cannot write says so before it reads one", () => {
  const body = jsonBody(z.strictObject({ a: z.number() }), { depth: 2 });
  const read = (more: Partial<Callable>, query: Record<string, string>) => () =>
    admitCall(operation({ body, ...more }), guest(), limits()).read({ params: {}, query, text: "{" });
  const full = () => {
    throw new Refusal("read_only");
  };
  expect(refusalOf(read({ requireReady: full }, { b: "1" })).code).toBe("unknown_parameter");
  expect(refusalOf(read({ requireReady: full }, {})).code).toBe("read_only");
  expect(refusalOf(read({}, {})).code).toBe("invalid_json");
  expect(admitCall(operation({ body }), guest(), limits()).read({ params: {}, query: {}, text: '{"a":1}' })).toMatchObject({
    input: {},
    body: { a: 1 },
  });
});

test("a call that stays open has its place until it leaves, and lets its caller's other requests go on", () => {
  const rates = limits();
  let waited = 0;
  const begin = () => {
    const call = admitCall(operation({ rate: "reads", holds: () => true }), guest({ waits: () => void waited++ }), rates);
    expect(call.hold({})).toBe(true);
    return call;
  };
  const calls = Array.from({ length: OPEN_AT_ONCE }, begin);
  expect(refusalOf(begin).code).toBe("too_many_streams");
  calls[0]?.leave();
  calls[0]?.leave();
  begin();
  expect(refusalOf(begin).code).toBe("too_many_streams");
  expect(waited).toBe(OPEN_AT_ONCE + 1);
  expect(admitCall(operation(), guest(), rates).hold({})).toBe(false);
});

test("a call is open until it was answered, failed, or its stream has ended", async () => {
  const rates = limits();
  const fails: Partial<Operation> = { run: () => Promise.reject(new Error("failed")) };
  const streams: Partial<Operation> = { run: async () => ({ body: undefined, stream: (async function* () {})() }) };
  for (let nth = 0; nth <= OPEN_AT_ONCE; nth++) {
    await answered({ holds: () => true }, rates);
    await expect(answered({ holds: () => true, ...fails }, rates)).rejects.toThrow("failed");
  }
  const calls = [];
  for (let nth = 0; nth < OPEN_AT_ONCE; nth++) calls.push((await answered({ holds: () => true, ...streams }, rates)).call);
  await expect(answered({ holds: () => true }, rates)).rejects.toThrow(Refusal);
  calls[0]?.leave();
  expect((await answered({ holds: () => true }, rates)).answer.body).toBe("done");
});

test("a caller that has the answer gets no other, unless it waits for the next one", async () => {
  const context = { isUnchanged: async () => true };
  expect((await answered({ revalidate: true }, limits(), context)).answer.status).toBe(304);
  expect((await answered({}, limits(), context)).answer.body).toBe("done");
  expect((await answered({ revalidate: true, holds: () => true }, limits(), context)).answer.body).toBe("done");
});

test("a large answer waits for its turn once: before the call runs, or after the call has waited for something to answer", async () => {
  for (const holds of [false, true]) {
    const order: string[] = [];
    const largeTurn = async () => void order.push("turn");
    const run: Operation["run"] = async (call) => {
      order.push("run");
      await call.largeTurn?.();
      return { body: "done" };
    };
    await answered({ large: () => true, holds: () => holds, run }, limits(), { largeTurn });
    expect(order).toEqual(holds ? ["run", "turn"] : ["turn", "run"]);
  }
});

test("a call that costs less than a token gets the rest back when it was answered", async () => {
  const rates = limits();
  await answered({ run: async () => ({ body: "done", tokens: 0 }) }, rates);
  expect(left(rates, "reads")).toBe(BUCKETS.reads.burst);
});

/** Runs a whole call of such an operation. */
async function answered(more: Partial<Operation>, rates: RateLimiter, context: Partial<CallContext> = {}) {
  const whole: Operation = {
    name: "test",
    method: "GET",
    path: "/test",
    summary: "",
    responses: {},
    ...operation({ rate: "reads" }),
    run: async () => ({ body: "done" }),
    ...more,
  };
  const call = admitCall(whole, guest(), rates);
  const around = { query: {}, caller, lastEventId: undefined, closed: () => new AbortController().signal, ...context };
  const { answer } = await call.work(() => runCall(whole, call, { params: {}, query: {}, text: "" }, around));
  return { call, answer };
}
