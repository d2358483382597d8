import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { ConnectionBackpressure } from "./request-backpressure.ts";

const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const busy = new Set<string>();
const proxies = new Set<string | undefined>();
let calm: (caller: string) => void = () => {};
const server = createServer();
const turns: ConstructorParameters<typeof ConnectionBackpressure>[1] = {
  isBusy: (caller) => busy.has(caller),
  onCalm: (listener) => (calm = listener),
  parse: (_caller, parse) => parse(),
};
const reading = new ConnectionBackpressure(server, turns, (address) => proxies.has(address));
reading.follow(server);
let asked: ServerResponse[] = [];
server.on("request", (_request, response) => void asked.push(response));

afterEach(() => {
  server.closeAllConnections();
  busy.clear();
  proxies.clear();
  asked = [];
});

async function opened(): Promise<Socket> {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}
/** Long enough for everything that was sent to be read. */
const someTurns = async (): Promise<void> => {
  for (let n = 0; n < 50; n++) await new Promise((next) => setImmediate(next));
};

test("of a thousand requests sent at once a few dozen are parsed, and the others as these are answered; all are answered", async () => {
  const socket = await opened();
  socket.write(`${REQUEST.repeat(999)}GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  const answers = text(socket);
  await eventually("the first requests", () => (asked.length > 0 ? true : undefined));
  await someTurns();
  expect(asked.length).toBeLessThan(100);
  let answered = 0;
  await eventually("the last request", () => {
    for (; answered < asked.length; answered++) asked[answered]?.end("x");
    return answered === 1000 || undefined;
  });
  expect((await answers).split("HTTP/1.1 200").length - 1).toBe(1000);
});

test("nothing is parsed of a caller that has used up its time, until it may go on", async () => {
  busy.add("127.0.0.1");
  const sockets = await Promise.all([opened(), opened()]);
  for (const socket of sockets) socket.write(REQUEST);
  await someTurns();
  expect(asked).toEqual([]);
  busy.clear();
  calm("127.0.0.1");
  await eventually("both requests", () => (asked.length === 2 ? true : undefined));
});

test("behind a proxy, nobody waits because another of its callers has used up its time", async () => {
  busy.add("127.0.0.1");
  proxies.add("127.0.0.1");
  const socket = await opened();
  socket.write(REQUEST.repeat(3));
  await eventually("the requests", () => (asked.length === 3 ? true : undefined));
  // One connection of the proxy is still read only as fast as its requests are answered.
  socket.write(REQUEST.repeat(500));
  await someTurns();
  expect(asked.length).toBeLessThan(100);
});

test("a long body arrives whole, in whatever pieces it was sent", async () => {
  const bodies: string[] = [];
  server.once("request", (request, response) => void text(request).then((body) => (bodies.push(body), response.end("x"))));
  const socket = await opened();
  const body = Array.from({ length: 30_000 }, (_, n) => `${n} `).join("");
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 100_001)}`);
  await someTurns();
  socket.write(body.slice(100_001));
  await eventually("the body", () => bodies.length === 1 || undefined);
  expect(bodies).toEqual([body]);
});
