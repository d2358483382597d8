import { EventEmitter } from "node:events";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { RequestTurns } from "./request-turns.ts";

const pauseFor = () => 0;
const turn = () => new Promise((next) => setImmediate(next));
const socket = { destroyed: false } as Socket;
const exchange = () => ({ request: {} as IncomingMessage, response: new EventEmitter() as unknown as ServerResponse });
const busy = (ms: number): void => {
  for (const began = performance.now(); performance.now() - began < ms;);
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

test("a connection that sends thousands without waiting for an answer is closed; one that waits is served whatever others do", () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 1, pauseFor });
  const connection = () => {
    const one = { destroyed: false, destroy: () => void (one.destroyed = true) };
    return one;
  };
  const [greedy, another, modest] = [connection(), connection(), connection()];
  let begun = 0;
  turns.begin("a", greedy as unknown as Socket, () => busy(2));
  for (let n = 0; n < 5000; n++) turns.begin("a", greedy as unknown as Socket, () => begun++);
  expect([greedy.destroyed, begun], "none of them began in the turn in which all arrived").toEqual([true, 0]);
  for (let n = 0; n < 10; n++) turns.begin("a", another as unknown as Socket, () => begun++);
  expect([another.destroyed, begun]).toEqual([true, 1]);
  turns.begin("a", modest as unknown as Socket, () => begun++);
  expect([modest.destroyed, begun]).toEqual([false, 2]);
});

test("so many of one caller are worked on at once, in the order in which they came; an answer makes room for the next", async () => {
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

test("whoever goes away while it waits lets the next one in", async () => {
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
  const waiting = turns.enter("greedy", next.request, next.response);
  expect(waiting).toBeInstanceOf(Promise);
  expect(turns.enter("modest", other.request, other.response)).toBeUndefined();
  await waiting;
});

test("nobody waits for somebody else's rest", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 5, pauseFor: (ms) => ms });
  const entered: string[] = [];
  const enter = (caller: string): Promise<void> => {
    const { request, response } = exchange();
    return (turns.enter(caller, request, response) ?? Promise.resolve()).then(() => void entered.push(caller));
  };
  turns.used("greedy", 500);
  const greedy = enter("greedy");
  await turn();
  turns.used("modest", 50);
  await Promise.all([greedy, enter("modest")]);
  expect(entered).toEqual(["modest", "greedy"]);
});

test("while many requests of a caller wait, nothing is read from its connections, new ones included; others are not held back", async () => {
  const turns = new RequestTurns({ atOnce: 4, perTurn: 4, turnMs: 1, pauseFor });
  const server = new Server();
  turns.follow(server, (address) => address === "192.0.2.9");
  const connection = (remoteAddress: string) => {
    const one = new Duplex({ read() {} });
    Object.defineProperty(one, "remoteAddress", { value: remoteAddress });
    server.emit("connection", one.resume());
    return one as Socket;
  };
  const [greedy, idle, modest, proxy] = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.9"].map(connection) as [
    Socket,
    Socket,
    Socket,
    Socket,
  ];
  const paused = (...sockets: readonly Socket[]) => sockets.map((one) => one.isPaused());
  turns.begin("192.0.2.1", greedy, () => busy(2));
  for (let n = 0; n < 100; n++) turns.begin("192.0.2.1", greedy, () => {});
  expect(paused(greedy, idle)).toEqual([false, false]);
  turns.begin("192.0.2.1", greedy, () => {});
  const late = connection("192.0.2.1");
  expect(paused(greedy, idle, late, modest, proxy)).toEqual([true, true, true, false, false]);
  await turn();
  await turn();
  expect(paused(greedy, idle, late)).toEqual([false, false, false]);
});
