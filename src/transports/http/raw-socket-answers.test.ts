// What is answered on its socket is what the server would have sent, and whatever else comes there is the server's.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { z } from "zod";
import { HANG_MS } from "../../../test/support/eventually.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { loadAssets } from "../../adapters/assets/load-assets.ts";
import { RateLimiter } from "../../board/limits/rate.ts";
import { Refusal } from "../../core/errors.ts";
import { jsonBody } from "../../core/protocol/read-json-body.ts";
import { operation } from "../../operations/operation.ts";
import { PageText } from "../../operations/page-json.ts";
import { httpServer } from "./server.ts";
import { versions } from "./etags.ts";

function pageOf({ letter, size }: { readonly letter: string; readonly size: number }): PageText {
  const text = JSON.stringify(letter.repeat(size));
  return new PageText([text], "]}", Buffer.byteLength(`{"messages":[${text}]}`), "utf8");
}

/** A server with one operation that answers without waiting, and notes which way each was given. */
async function serve({ limited = false, stallMs = undefined as number | undefined } = {}) {
  const ways: string[] = [];
  const said: string[] = [];
  const [taken, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = (way: string, size: number) => {
    ways.push(way);
    return JSON.stringify({ text: "ä", more: "x".repeat(size) });
  };
  const one = operation({
    name: "one",
    method: "GET",
    path: "/api/one/{id}",
    summary: "One.",
    input: z.strictObject({ id: z.string().regex(/^[a-z]+$/), size: z.coerce.number().default(0), format: z.string().optional() }),
    responses: { 200: "One." },
    refusals: ["unknown_parameter", "not_found"],
    rate: "reads",
    revalidate: true,
    run: async ({ input: { size } }) => ({ body: JSON.parse(answer("usual", size)) as unknown, next: "more" }),
    runSync:
      ({ size }) =>
      () => ({ json: answer("fast path", size), next: "more" }),
  });
  const pages = operation({
    name: "pages",
    method: "GET",
    path: "/api/pages/{letter}",
    summary: "A page of one long record, which consists of one letter.",
    input: z.strictObject({ letter: z.string().length(1), size: z.coerce.number() }),
    responses: { 200: "A page." },
    refusals: ["unknown_parameter"],
    rate: "reads",
    run: async ({ input }) => ({ body: undefined, json: pageOf(input).toBytes() }),
    runSync: (input) => () => ({ json: pageOf(input) }),
  });
  const say = operation({
    name: "say",
    method: "POST",
    path: "/api/say",
    summary: "Say.",
    input: z.strictObject({ loud: z.string().optional() }),
    body: jsonBody(z.strictObject({ words: z.string() }), { depth: 2 }),
    responses: { 201: "Said.", 200: "Heard." },
    refusals: ["invalid_json", "invalid_field", "too_large", "overloaded"],
    rate: "writes",
    keeps: true,
    direct: true,
    async run({ body: { words } }) {
      await new Promise((resolve) => setImmediate(resolve));
      if (words === "held") {
        taken.resolve();
        await goOn.promise;
      }
      if (words === "too much") throw new Refusal("overloaded", "Enough.", { status: 429 });
      if (words === "broken") throw new Error("It is broken.");
      said.push(words);
      return { status: words === "again" ? 200 : 201, body: { words }, headers: { location: "/api/said" } };
    },
  });
  const clock = new ManualClock();
  const state = () => ({ seq: 1, hash: "aa", nextDue: null });
  const app = httpServer({
    ready: async () => {},
    notWritable: () => undefined,
    operations: [one, pages, say],
    rates: new RateLimiter(clock, limited, { tokenMs: Infinity }),
    clock,
    report: { appended() {}, failed() {}, refused() {} },
    baseUrl: "http://localhost",
    privateName: true,
    profile: "public",
    cors: "any",
    trustedProxies: [],
    tls: undefined,
    metrics: undefined,
    versions: versions(
      { leastState: async () => ({ ...state(), newest: 1 }), sync: { state, find: () => undefined, list: () => undefined } },
      clock,
    ),
    observe() {},
    assets: loadAssets,
    refusalPage: async ({ message }) => message,
    onRemoved() {},
    stallMs,
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  return { app, ways, said, port, taken: taken.promise, goOn: goOn.resolve, [Symbol.asyncDispose]: () => app.close() };
}

/** A connection that collects what arrives, and resolves once it has the wanted number of answers. */
async function caller(port: number) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  const whole: string[] = [];
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    for (;;) {
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0) + end + 4;
      if (end === -1 || text.length < length) return;
      whole.push(text.slice(0, length));
      text = text.slice(length);
      socket.emit("answer");
    }
  });
  return {
    socket,
    whole,
    async ask(...pieces: readonly string[]): Promise<void> {
      for (const piece of pieces) {
        socket.write(piece);
        if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async answers(count: number): Promise<readonly string[]> {
      while (whole.length < count) await once(socket, "answer");
      return whole.splice(0, count).map((one) => one.replace(/^Date: .*$/m, "Date: now"));
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

const get = (path: string, ...lines: readonly string[]): string => [`GET ${path} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");
const USUAL = "X-Other: 1";
function post(body: string, ...lines: readonly string[]): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return ["POST /api/say HTTP/1.1", "Host: a", "Content-Type: application/json", length, ...lines, "", body].join("\r\n");
}
const saying = (words: string, ...lines: readonly string[]): string => post(JSON.stringify({ words }), ...lines);

// The last is so large that it is counted until it has gone out.
test.for(["/api/one/a", "/api/one/a?size=9", "/api/one/a?size=70000"])(
  "%s: the same bytes on the socket and by the server",
  async (path) => {
    await using server = await serve();
    using plain = await caller(server.port);
    using other = await caller(server.port);
    await plain.ask(get(path));
    await other.ask(get(path, USUAL));
    expect(await plain.answers(1)).toEqual(await other.answers(1));
    await plain.ask(get(path));
    await other.ask(get(path, USUAL));
    expect(await plain.answers(1)).toEqual(await other.answers(1));
  },
);

test.for([
  ['{"words":"hello"}', "201"],
  ['{"words":"grüße 👋"}', "201"],
  ['{"words":"again"}', "200"],
  ['{"words":1}', "400"],
  ['{"words":"a","words":"b"}', "400"],
  ["{", "400"],
  ["", "400"],
  ['{"words":"broken"}', "500"],
  ['{"words":"too much"}', "429"],
] as const)("%s: answered with the same bytes, %s, on the socket and by the server, limits on and off", async ([body, status]) => {
  for (const limited of [false, true]) {
    await using plainServer = await serve({ limited });
    await using otherServer = await serve({ limited });
    using plain = await caller(plainServer.port);
    using other = await caller(otherServer.port);
    await plain.ask(post(body));
    await other.ask(post(body, USUAL));
    const [answer = ""] = await plain.answers(1);
    expect(answer.slice(9, 12)).toBe(status);
    expect([answer]).toEqual(await other.answers(1));
    expect(answer.includes("ratelimit:")).toBe(limited);
    expect(plainServer.said).toEqual(otherServer.said);
  }
});

test("bodies that are not UTF-8, of another type, or in pieces are treated as the server does", async () => {
  await using server = await serve();
  using one = await caller(server.port);
  one.socket.write(Buffer.concat([Buffer.from(post("xxxxx").slice(0, -5), "latin1"), Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x20])]));
  expect((await one.answers(1))[0]).toContain("invalid_utf8");
  await one.ask(saying("b").replace("application/json", "text/plain"));
  expect((await one.answers(1))[0]).toContain("unsupported_media_type");
  using two = await caller(server.port);
  const whole = saying("in pieces");
  await two.ask(whole.slice(0, -5), whole.slice(-5));
  await two.answers(1);
  using three = await caller(server.port);
  await three.ask(saying("first") + saying("second"));
  await three.answers(2);
  using four = await caller(server.port);
  await four.ask(saying("third"), saying("fourth"), get("/api/one/a"));
  expect((await four.answers(3)).map((text) => text.slice(9, 12))).toEqual(["201", "201", "200"]);
  expect(server.said).toEqual(["in pieces", "first", "second", "third", "fourth"]);
});

test("what was taken is done though its caller hangs up, and is answered though the board ends", async () => {
  const server = await serve({ limited: true });
  using gone = await caller(server.port);
  await gone.ask(saying("gone"));
  for (let answer; answer === undefined;) {
    using half = await caller(server.port);
    const ended = once(half.socket, "close");
    half.socket.end(saying("half"));
    await ended;
    // The HTTP server answers nobody who has hung up. It gets such a request if the machine is slow.
    if (half.whole.length > 0) expect((answer = half.whole[0])).toContain("201");
  }
  gone.socket.destroy();
  using last = await caller(server.port);
  await last.ask(saying("held"));
  await server.taken;
  const closed = server.app.close();
  server.goOn();
  expect((await last.answers(1))[0]).toContain("201");
  await closed;
  expect(new Set(server.said)).toEqual(new Set(["gone", "half", "held"]));
});

test("in pieces, together, and after others, each is answered once and in order", async () => {
  await using server = await serve();
  using one = await caller(server.port);
  await one.ask(get("/api/one/a?size=1"));
  await one.answers(1);
  const whole = get("/api/one/b?size=2");
  await one.ask(whole.slice(0, 20), whole.slice(20));
  expect((await one.answers(1))[0]).toContain('"xx"');
  await one.ask(get("/api/one/c?size=3") + get("/api/one/d?size=4"));
  expect((await one.answers(2)).map((text) => /"(x*)"}$/.exec(text)?.[1]?.length)).toEqual([3, 4]);
  using two = await caller(server.port);
  await two.ask(get("/api/one/a?size=1") + get("/api/one/a?size=2"));
  expect(await two.answers(2)).toHaveLength(2);
});

test("what is refused, unknown or wants the end of the connection is the server's", async () => {
  await using server = await serve();
  using one = await caller(server.port);
  await one.ask(get("/api/one/a"), get("/api/one/1"), get("/api/one/a?none=1"), get("/nowhere"));
  expect((await one.answers(4)).map((text) => text.slice(9, 12))).toEqual(["200", "404", "400", "404"]);
  using two = await caller(server.port);
  await two.ask("nonsense\r\n\r\n");
  expect((await two.answers(1))[0]).toContain("not valid HTTP/1.1");
  using three = await caller(server.port);
  await three.ask(get("/api/one/a", "Connection: close"));
  await Promise.all([three.answers(1), once(three.socket, "close")]);
});

test("a caller over its limit is refused in words, and in turn", async () => {
  await using server = await serve({ limited: true });
  using one = await caller(server.port);
  const statuses: string[] = [];
  for (let n = 0; n < 301; n++) {
    await one.ask(get("/api/one/a"));
    statuses.push(...(await one.answers(1)).map((text) => text.slice(9, 12)));
  }
  expect(statuses).toEqual([...Array.from({ length: 300 }, () => "200"), "429"]);
});

test("the board ends though such connections are open, and both sides may hang up", async () => {
  const server = await serve();
  using one = await caller(server.port);
  using two = await caller(server.port);
  using gone = await caller(server.port);
  using silent = await caller(server.port);
  await one.ask(get("/api/one/a"));
  await one.answers(1);
  await two.ask(get("/api/one/a", USUAL));
  await two.answers(1);
  gone.socket.end();
  await once(gone.socket, "close");
  await Promise.all([server.app.close(), once(one.socket, "close"), once(two.socket, "close"), once(silent.socket, "close")]);
});

/** More than the system keeps for a connection by itself. */
const LARGE = 9_000_000;

test("who is slow to read a long answer gets all of it, though those who are slow to ask are cut off meanwhile", async () => {
  await using server = await serve({ stallMs: HANG_MS });
  server.app.server.headersTimeout = 1;
  using slow = await caller(server.port);
  slow.socket.pause();
  await slow.ask(get(`/api/one/a?size=${LARGE}`));
  // Each is cut off when the server looks at its connections, which is a second later each time; then it waits a second more.
  for (let n = 0; n < 3; n++) {
    const silent = connect(server.port, "127.0.0.1").resume();
    silent.write("GET /api/one/a HTTP/1.1\r\n");
    await once(silent, "close");
  }
  slow.socket.resume();
  const cutOff = once(slow.socket, "close").then(() => ["cut off"]);
  expect((await Promise.race([slow.answers(1), cutOff]))[0]?.length).toBeGreaterThan(LARGE);
  await slow.ask(get("/api/one/a"));
  expect((await slow.answers(1))[0]).toContain("200 OK");
});

test("who is slow to read a page gets this page, though somebody else gets another one meanwhile", async () => {
  await using server = await serve();
  // More than the system keeps, and together no more than one address may leave unread.
  const size = LARGE * (2 / 3);
  using a = await caller(server.port);
  using b = await caller(server.port);
  for (const { socket } of [a, b]) socket.pause();
  await a.ask(get(`/api/pages/a?size=${size}`));
  await b.ask(get(`/api/pages/b?size=${size}`));
  for (const [letter, reader] of Object.entries({ a, b })) {
    reader.socket.resume();
    const [answer = ""] = await reader.answers(1);
    expect(answer.endsWith(`{"messages":["${letter.repeat(size)}"]}`), letter).toBe(true);
  }
});

test("who reads nothing of a long answer is cut off", async () => {
  await using server = await serve({ stallMs: 100 });
  const over = new Promise((resolve) => server.app.server.once("connection", (socket) => socket.once("close", resolve)));
  using deaf = await caller(server.port);
  deaf.socket.pause();
  await deaf.ask(get(`/api/one/a?size=${LARGE}`));
  await over;
  using other = await caller(server.port);
  await other.ask(get("/api/one/a"));
  expect(await other.answers(1)).toHaveLength(1);
});
