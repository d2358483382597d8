// Calls against a real server with scripted answers: what is tried again, what is not, and what the caller learns.
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../test/support/eventually.ts";
import { assistPost } from "./assist.ts";
import { BoardError } from "./board-error.ts";
import { callEither } from "./call.ts";
import { type Board, connect } from "./board-handle.ts";
import { getTime, listMessages } from "./read.ts";
import { send } from "./post.ts";

type Script = (response: ServerResponse) => void;

let server: Server;
let board: Board;
let script: Script[] = [];
let seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => (script.shift() ?? ok)(response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  board = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { attempts: 3 });
});
afterAll(() => server.closeAllConnections());
afterAll(() => void server.close());
beforeEach(() => {
  script = [];
  seen = [];
});

const ok: Script = (response) => response.setHeader("content-type", "application/json").end('{"unix":1}');
const hangUp: Script = (response) => response.destroy();
const refusal =
  (status: number, code: string, headers: Record<string, string> = {}): Script =>
  (response) => {
    const error = { code, message: "No.", hint: "Do something else.", docs: "http://board/#x", details: { n: 1 } };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ error }));
  };
const soon = { "retry-after": "0" };

const failure = async (promise: Promise<unknown>): Promise<BoardError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof BoardError)) throw new Error("no BoardError", { cause: error });
  return error;
};

describe("tried again", () => {
  test("a board that restarts or asks to wait costs the caller nothing but time", async () => {
    script = [refusal(503, "shutting_down", soon), refusal(429, "rate_limited", soon), ok];
    expect(await getTime(board)).toEqual({ unix: 1 });
    expect(seen).toHaveLength(3);
  });
  test("who is slowed down waits by the clock and not by tries, until the time is over", async () => {
    script = [1, 2, 3, 4, 5].map(() => refusal(429, "rate_limited", soon));
    expect(await getTime({ ...board, attempts: 1 })).toEqual({ unix: 1 });
    expect(seen).toHaveLength(6);
    script = [1, 2].map(() => refusal(429, "rate_limited", soon));
    expect(await failure(getTime({ ...board, longestWaitS: 0 }))).toMatchObject({ code: "rate_limited" });
    expect(seen).toHaveLength(7);
  });
  test("a post whose answer was lost is sent again, since the same payload is the same message", async () => {
    script = [hangUp, ok];
    await send(board, { payload: "{}", sig: "", nonce: "" });
    expect(seen).toEqual(["POST /api/messages", "POST /api/messages"]);
  });
  test("a post whose answer broke off in the middle is sent again too", async () => {
    script = [(response) => response.writeHead(201, { "content-length": "100" }).write('{"id":', () => response.destroy()), ok];
    await send(board, { payload: "{}", sig: "", nonce: "" });
    expect(seen).toHaveLength(2);
  });
  test("so is a question whose answer may be JSON or text", async () => {
    const broken: Script = (response) => response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
    script = [broken, ok, broken, (response) => response.setHeader("content-type", "text/plain").end("{}")];
    expect([await callEither(board, "/a"), await callEither(board, "/b")]).toEqual([{ unix: 1 }, "{}"]);
    expect(seen).toHaveLength(4);
  });
  test("a proxy without a board behind it is tried again too", async () => {
    script = [(response) => response.writeHead(502, soon).end("<html>Bad gateway</html>"), ok];
    expect(await getTime(board)).toEqual({ unix: 1 });
  });
});

describe("not tried again", () => {
  test("an assisted post whose answer was lost: the board would sign it as another message", async () => {
    script = [hangUp, ok];
    expect(await failure(assistPost(board, "secret", { kind: "note" }))).toMatchObject({ code: "unreachable", status: 0 });
    expect(seen).toHaveLength(1);
  });
  test("a refusal that waiting does not mend, with its code, hint and details", async () => {
    script = [refusal(409, "already_claimed")];
    const error = await failure(send(board, { payload: "{}", sig: "", nonce: "" }));
    expect(error).toMatchObject({ code: "already_claimed", status: 409, message: "No.", hint: "Do something else.", details: { n: 1 } });
    expect(seen).toHaveLength(1);
  });
  test("more often than the caller allows, or after a longer wait", async () => {
    script = [1, 2, 3].map(() => refusal(503, "overloaded", soon));
    expect(await failure(getTime(board))).toMatchObject({ code: "overloaded" });
    expect(seen).toHaveLength(3);
    for (const [i, late] of [
      refusal(429, "rate_limited", { "retry-after": "720" }),
      refusal(503, "overloaded", { "retry-after": "720" }),
    ].entries()) {
      script = [late];
      expect(await failure(getTime(board))).toMatchObject({ retryAfterS: 720 });
      expect(seen).toHaveLength(4 + i);
    }
  });
});

test("what is no board says so, instead of failing somewhere inside", async () => {
  script = [(response) => response.writeHead(404).end("<h1>Not here</h1>")];
  expect(await failure(getTime(board))).toMatchObject({ code: "unexpected_answer", status: 404 });
  script = [(response) => response.end("<h1>Welcome</h1>")];
  expect(await failure(getTime(board))).toMatchObject({ code: "unexpected_answer", status: 200 });
});

test("a caller who gives up gets its own reason, also while waiting for the next try", async () => {
  const controller = new AbortController();
  script = [refusal(429, "rate_limited", { "retry-after": "30" })];
  const asked = getTime(board, { signal: controller.signal });
  await eventually("the question", () => seen[0]);
  controller.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
  await expect(getTime(board, { signal: controller.signal })).rejects.toThrow("enough");
});

test("lists, times, numbers and flags are written as the board reads them, and what is not given is left out", async () => {
  const since = new Date("2026-01-02T03:04:05Z");
  await listMessages(board, {
    kind: ["note", "task"],
    tag: "a/b",
    since,
    min_pow: 3,
    has_data: true,
    q: "x & y",
    limit: undefined,
    include: [],
  });
  const [, query = ""] = (seen[0] ?? "").split("?");
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    kind: "note,task",
    tag: "a/b",
    since: "2026-01-02T03:04:05.000Z",
    min_pow: "3",
    has_data: "true",
    q: "x & y",
    include: "",
  });
});
