import { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Unsent } from "./unsent-answers.ts";

const response = (connection = new Socket()) => new ServerResponse(new IncomingMessage(connection));

test("large answers of one caller are made one after the other, those of others meanwhile", async () => {
  const unsent = new Unsent();
  const begun: string[] = [];
  const ask = (name: string, caller: string) => {
    const answer = response();
    void unsent.turn(caller, answer).then(() => begun.push(name));
    return answer;
  };
  const first = ask("first", "a");
  const second = ask("second", "a");
  ask("third", "a");
  ask("another's", "b");
  await nextTurn();
  expect(begun.sort()).toEqual(["another's", "first"]);
  first.emit("prefinish");
  await nextTurn();
  expect(begun).toContain("second");
  expect(begun).not.toContain("third");
  second.emit("close");
  await nextTurn();
  expect(begun).toContain("third");
});

test("an answer ends with its connection, also if it never had its turn there or is made later, and the next one begins", async () => {
  const unsent = new Unsent();
  const connection = new Socket();
  const [queued, late] = [response(connection), response(connection)];
  await unsent.turn("a", queued);
  let begun = false;
  const goneToo = unsent.turn("a", late);
  const next = unsent.turn("a", response()).then(() => (begun = true));
  const bytes = 1024 * 1024;
  unsent.count(queued, () => "a", bytes);
  await nextTurn();
  expect([begun, unsent.bytes]).toEqual([false, bytes]);
  connection.destroy();
  await expect(goneToo).rejects.toThrow("The connection was closed.");
  await next;
  expect(unsent.bytes).toBe(0);
  unsent.count(late, () => "a", bytes);
  expect(unsent.bytes).toBe(0);
});

test("short answers count while others of their connection are not sent; who reads none of them is disconnected", async () => {
  const unsent = new Unsent();
  const server = new Server();
  unsent.watch(server);
  const short = 40_000;
  const begin = (connection: Socket) => {
    const answer = response(connection);
    server.emit("request", answer.req, answer);
    return answer;
  };
  const alone = begin(new Socket());
  unsent.count(alone, () => "a", short);
  expect(unsent.bytes).toBe(0);
  const connection = new Socket();
  const two = [begin(connection), begin(connection)];
  for (const answer of two) unsent.count(answer, () => "a", short);
  expect(unsent.bytes).toBe(2 * short);
  for (const answer of two) answer.emit("close");
  expect(unsent.bytes).toBe(0);
  // One after the other, and never two at once.
  for (let n = 0; n < 1000; n++) {
    const answer = begin(connection);
    unsent.count(answer, () => "a", short);
    answer.emit("close");
  }
  expect(connection.destroyed).toBe(false);
  for (let n = 0; n < 1000; n++) unsent.count(begin(connection), () => "a", short);
  expect(connection.destroyed).toBe(true);
  await nextTurn();
  expect(unsent.bytes).toBe(0);
});

test("short answers behind others keep a connection open while its caller takes bytes, and end it when it takes none", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  try {
    const unsent = new Unsent();
    const server = new Server();
    unsent.watch(server, 1000);
    const connection = new Socket();
    const sent = { bytesWritten: 0, writableLength: 9_000_000 };
    for (const name of ["bytesWritten", "writableLength"] as const) Object.defineProperty(connection, name, { get: () => sent[name] });
    for (let n = 0; n < 2; n++) {
      const answer = response(connection);
      server.emit("request", answer.req, answer);
      unsent.count(answer, () => "a", n * 100);
    }
    expect(unsent.bytes).toBe(100);
    for (let n = 0; n < 100; n++) {
      sent.bytesWritten += 1000;
      vi.advanceTimersByTime(1000);
    }
    sent.writableLength = 0;
    vi.advanceTimersByTime(10_000);
    expect(connection.destroyed).toBe(false);
    sent.writableLength = 1;
    vi.advanceTimersByTime(2000);
    expect(connection.destroyed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("a caller that reads has its short answers though others have filled the board with unread ones", () => {
  const unsent = new Unsent();
  const server = new Server();
  unsent.watch(server);
  for (let n = 0; unsent.admits(`other ${n}`, 10_000_000); n++) unsent.count(response(), () => `other ${n}`, 10_000_000);
  const connection = new Socket();
  for (let n = 0; n < 2; n++) {
    const answer = response(connection);
    server.emit("request", answer.req, answer);
    unsent.count(answer, () => "a", 40_000);
  }
  expect(connection.destroyed).toBe(false);
});
