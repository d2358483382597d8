import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RequestTurns } from "./request-turns.ts";

// Time passes only where a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const pauseFor = () => 0;
const turn = () => new Promise((next) => setImmediate(next));
const socket = { destroyed: false } as Socket;
const exchange = () => ({ request: {} as IncomingMessage, response: new EventEmitter() as unknown as ServerResponse });
const busy = (ms: number): void => void vi.advanceTimersByTime(ms);
/** Time passes, and what it lets in begins. */
const pass = async (ms: number): Promise<void> => {
  await turn();
  vi.advanceTimersByTime(ms);
  await turn();
};

test("in each turn a few milliseconds of one caller begin; others begin at once", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 5, pauseFor });
  const begun: string[] = [];
  const begin = (caller: string): void =>
    turns.begin(caller, socket, () => {
      busy(6);
      begun.push(caller);
    });
  for (let n = 0; n < 4; n++) begin("greedy");
  begin("modest");
  expect(begun).toEqual(["greedy", "modest"]);
  for (const length of [3, 4, 5]) {
    await turn();
    expect(begun).toHaveLength(length);
  }
});

test("what nobody waits for any more is not handled", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 1, pauseFor });
  let handled = 0;
  const gone = { destroyed: false };
  turns.begin("a", socket, () => busy(2));
  turns.begin("a", gone as Socket, () => handled++);
  gone.destroyed = true;
  await turn();
  await turn();
  expect(handled).toBe(0);
});

test("a limited number of requests of one caller run at once, in the order of arrival; an answer makes room for the next", async () => {
  const turns = new RequestTurns({ atOnce: 2, perTurn: 2, turnMs: 5, pauseFor });
  const entered: number[] = [];
  const exchanges = Array.from({ length: 4 }, exchange);
  for (const [n, { request, response }] of exchanges.entries()) {
    const waiting = turns.enter("a", request, response);
    if (waiting === undefined) entered.push(n);
    else void waiting.then(() => entered.push(n));
  }
  expect(entered).toEqual([0, 1]);
  const other = exchange();
  expect(turns.enter("b", other.request, other.response)).toBeUndefined();
  exchanges[1]?.response.emit("prefinish");
  exchanges[1]?.response.emit("close");
  await turn();
  expect(entered).toEqual([0, 1, 2]);
  turns.release(exchanges[0]!.request);
  await turn();
  expect(entered).toEqual([0, 1, 2, 3]);
});

test("a request that is aborted while it waits lets the next one in", async () => {
  const turns = new RequestTurns({ atOnce: 1, perTurn: 1, turnMs: 5, pauseFor });
  const [first, gone, last] = [exchange(), exchange(), exchange()];
  void turns.enter("a", first.request, first.response);
  const entered: string[] = [];
  void turns.enter("a", gone.request, gone.response)?.then(() => entered.push("gone"));
  void turns.enter("a", last.request, last.response)?.then(() => entered.push("last"));
  Object.assign(gone.response, { destroyed: true });
  first.response.emit("close");
  await turn();
  await turn();
  expect(entered).toEqual(["gone", "last"]);
});

test("those that are answered at once begin one a turn as well", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 1, turnMs: 5, pauseFor });
  const entered: number[] = [];
  for (let n = 0; n < 4; n++) {
    const { request, response } = exchange();
    const answer = (): void => {
      entered.push(n);
      response.emit("close");
    };
    const waiting = turns.enter("a", request, response);
    if (waiting === undefined) answer();
    else void waiting.then(answer);
  }
  for (const count of [1, 2, 3, 4]) {
    expect(entered).toHaveLength(count);
    await turn();
  }
});

test("after work for one caller its next request waits, and nobody else's does", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 5, pauseFor: (ms) => ms });
  const [next, other] = [exchange(), exchange()];
  turns.used("greedy", 20);
  const entered: string[] = [];
  void turns.enter("greedy", next.request, next.response)?.then(() => entered.push("greedy"));
  expect(turns.enter("modest", other.request, other.response)).toBeUndefined();
  await pass(19);
  expect(entered).toEqual([]);
  await pass(1);
  expect(entered).toEqual(["greedy"]);
});

test("nobody waits for somebody else's rest", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 5, pauseFor: (ms) => ms });
  const entered: string[] = [];
  const enter = (caller: string): void => {
    const { request, response } = exchange();
    void turns.enter(caller, request, response)?.then(() => entered.push(caller));
  };
  turns.used("greedy", 500);
  enter("greedy");
  await turn();
  turns.used("modest", 50);
  enter("modest");
  await pass(50);
  expect(entered).toEqual(["modest"]);
  await pass(450);
  expect(entered).toEqual(["modest", "greedy"]);
});

test("a caller is busy from when its time is used up until all its requests have begun; nobody else is", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 1, pauseFor });
  const calm: string[] = [];
  turns.onCalm((caller) => calm.push(caller));
  expect(turns.isBusy("greedy")).toBe(false);
  turns.begin("greedy", socket, () => busy(2));
  turns.begin("greedy", socket, () => {});
  turns.begin("modest", socket, () => {});
  expect([turns.isBusy("greedy"), turns.isBusy("modest"), calm]).toEqual([true, false, []]);
  await turn();
  await turn();
  expect([turns.isBusy("greedy"), calm.includes("greedy")]).toEqual([false, true]);
});

test("bytes that take long to parse use up the time of a caller; requests in them count once", () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 20, pauseFor });
  const parse = (ms: number): void => turns.parse("greedy", () => turns.begin("greedy", socket, () => busy(ms)));
  parse(15);
  expect(turns.isBusy("greedy")).toBe(false);
  parse(5);
  expect([turns.isBusy("greedy"), turns.isBusy("modest")]).toEqual([true, false]);
});

test("the networks of one provider's customer have a few turns together, long bodies as many; each IPv4 address has its own", () => {
  const turns = new RequestTurns({ atOnce: 1, perTurn: 4, turnMs: 4, pauseFor });
  const enters = (caller: string): boolean => {
    const { request, response } = exchange();
    return turns.enter(caller, request, response) === undefined;
  };
  const callers = ["2001:db8:1:1", "2001:db8:1:2", "2001:db8:1:5", "2001:db8:1:ff", "2001:db8:2:1", "192.0.2.1", "192.0.2.2"];
  expect(callers.map(enters)).toEqual([true, true, false, true, true, true, true]);
  const { response } = exchange();
  const long = { headers: { "content-length": "1000000" } } as IncomingMessage;
  expect(turns.enterLong("2001:db8:1:1", long, response)).toBeUndefined();
  expect(turns.enterLong("2001:db8:1:5", long, response)).toBeInstanceOf(Promise);
});
