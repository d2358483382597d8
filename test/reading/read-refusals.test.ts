// Every wrong request is answered with the error object, and with the right way.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { type Beside, openBeside } from "../support/database.ts";
import { head, rawRequest } from "../support/raw-request.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
let db: Beside;
let agent: Agent;
let note: PostBody;

beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--base-url", "https://board.example"] });
  db = openBeside(board.data);
  agent = board.agent();
  note = await board.put(agent, { kind: "note", title: "Hello" });
});
afterAll(async () => {
  db.close();
  await board[Symbol.asyncDispose]();
});

describe("a caller with a wrong parameter is shown the right one", () => {
  test.each([
    [`/api/changes?afetr=1`, "after"],
    [`/api/changes?lim=1`, "limit"],
    [`/api/changes?Include=raw`, "include"],
  ])("%s", async (path, near) => {
    const error = expectRefusal(await board.get(path), 400, "unknown_parameter");
    expect(error.hint).toContain(`\`${near}\``);
  });
  test("lists what exists if nothing is similar, and says so if nothing exists", async () => {
    const far = expectRefusal(await board.get("/api/changes?something_else=1"), 400, "unknown_parameter");
    expect(far.details).toEqual({ parameter: "something_else", known: ["after", "limit", "include"] });
    expect(far.hint).toContain("details.known");
    const none = expectRefusal(await board.get("/api/time?zone=utc"), 400, "unknown_parameter");
    expect(none.hint).toContain("no parameters");
  });
  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "is told so of names that every object has, given twice: %s",
    async (name) => {
      for (const path of ["/api/messages", "/api/time", "/api/work"])
        expectRefusal(await board.get(`${path}?${name}=1&${name}=2`), 400, "unknown_parameter");
    },
  );
  test.each(["zz", "foo", "x", "abc", "colour", "related", "toggle", "q_x"])(
    "does not guess where little was kept of a name: %s",
    async (name) => {
      const error = expectRefusal(await board.get(`/api/messages?${name}=1`), 400, "unknown_parameter");
      expect(error.hint).not.toContain("Did you mean");
      expect(error.hint.length).toBeLessThan(80);
      expect(error.details?.["known"]).toContain("tag");
    },
  );
  test.each([
    ["page offset", "cursor"],
    ["per_page count size", "limit"],
    ["search query text", "q"],
    ["order order_by sort_by", "sort"],
    ["type", "kind"],
    ["agent user", "author"],
    ["from", "since"],
    ["topic label tags", "tag"],
    ["stauts", "status"],
    ["athor author_id", "author"],
    ["since_id", "since"],
    ["include_superceeded", "include_superseded"],
    ["tag[]", "tag"],
    ["wait_s", "wait"],
    ["sorting", "sort"],
    ["to_agent", "to"],
  ])("what other services call %s is here %s", async (names, meant) => {
    for (const name of names.split(" ")) {
      const error = expectRefusal(await board.get(`/api/messages?${name}=1`), 400, "unknown_parameter");
      expect(error.hint).toBe(`Did you mean \`${meant}\`?`);
    }
  });
  test("a synonym is only suggested if it exists", async () => {
    expect(expectRefusal(await board.get("/api/changes?page=2"), 400, "unknown_parameter").hint).toBe("Did you mean `after`?");
    expect(expectRefusal(await board.get("/api/changes?type=note"), 400, "unknown_parameter").hint).not.toContain("Did you mean");
    expect(expectRefusal(await board.get("/api/work?topic=a"), 400, "unknown_parameter").hint).toBe("Did you mean `tags`?");
  });
  test("a path parameter cannot be given again in the query", async () => {
    expectRefusal(await board.get(`/api/messages/${note.id}?id=${note.id}`), 400, "unknown_parameter");
  });
  test.each(["after=1&after=2", "limit=5&after=0&limit=5"])("a repeated one is refused: %s", async (query) => {
    const error = expectRefusal(await board.get(`/api/changes?${query}`), 400, "invalid_parameter");
    expect(error.message).toContain("more than once");
  });
  test.each([
    "after=-1",
    "after=1.5",
    "after=x",
    "after=",
    "limit=0",
    "limit=1001",
    "limit=1e2",
    "after=99999999999999999999",
    "include=body",
  ])("a value out of its range is refused: %s", async (query) => {
    const error = expectRefusal(await board.get(`/api/changes?${query}`), 400, "invalid_parameter");
    expect(error.message).toContain(query.split("=")[0]);
  });
  test.each(["__proto__=1", "constructor=1", "=1", "a[b]=1", `${"x".repeat(2000)}=1`, "%ZZ=1"])(
    "odd names are only unknown: %s",
    async (query) => {
      expectRefusal(await board.get(`/api/changes?${query}`), 400, "unknown_parameter");
    },
  );
});

describe("a caller at a wrong address or with a wrong method is shown the way", () => {
  test.each([
    ["/api/message", "/api/messages"],
    ["/api/message/12345678", "/api/messages/{id}"],
    ["/messages", "/api/messages"],
    ["/api/v1/messages", "/api/messages"],
    ["/api/inbox", "/api/inbox/{agent_id}"],
    ["/api/messages/12345678/threads", "/api/messages/{id}/thread"],
    ["/API/TIME", "/api/time"],
    ["/api/assist/posts", "/api/assist/post"],
    ["/api/inbox/", "/api/inbox/{agent_id}"],
  ])("%s leads to %s", async (path, meant) => {
    const error = expectRefusal(await board.get(path), 404, "not_found");
    expect(error.hint).toBe(`Did you mean ${meant}? All addresses: /llms/endpoints.txt.`);
  });
  test.each(["/wp-login.php", "/api/nothing", `/${"a".repeat(3000)}`, "/a/b/c/d/e/f/g/h/i/j"])(
    "nothing is guessed for %s",
    async (path) => {
      expect(expectRefusal(await board.get(path), 404, "not_found").hint).toBe(
        "To begin: /llms/start.txt. All addresses: /llms/endpoints.txt.",
      );
    },
  );
  test("the methods that work are in the details", async () => {
    const error = expectRefusal(await board.get("/api/time", { method: "POST" }), 405, "method_not_allowed");
    expect(error.details).toEqual({ allow: ["GET", "HEAD"] });
    expect(error.hint).toBe("Use GET or HEAD.");
  });
  test.each([
    ["DELETE", `/api/messages/${"0".repeat(64)}`, /retraction.*`retracts`/],
    ["PUT", `/api/messages/${"0".repeat(64)}`, /`supersedes`.*retraction/],
    ["PATCH", "/api/messages", /`supersedes`/],
    ["DELETE", "/api/aliases/someone", /`op`.*release/],
  ])("%s %s is answered with the act that does it", async (method, path, hint) => {
    const error = expectRefusal(await board.get(path, { method }), 405, "method_not_allowed");
    expect(error.hint).toMatch(hint);
  });
});

test("a poller whose seq is beyond the newest entry learns that the board was reset, also while it waits", async () => {
  const latest = (await board.get("/api/changes")).body["latest_seq"] as number;
  expect((await board.get(`/api/messages?after_seq=${latest}`)).body).toMatchObject({ messages: [], latest_seq: latest });
  for (const wait of ["", "&wait=0", "&wait=30", "&q=word&wait=30"]) {
    const { body } = await board.get(`/api/messages?after_seq=${latest + 1}${wait}`);
    expect(body).toMatchObject({ messages: [], next_cursor: null, latest_seq: latest });
  }
});

describe("whatever is asked, the answer is the error object", () => {
  test.each(["/api", "/api/", "/api/nothing", "/api/messages/a/b/c", "/favicon.png", "//api/time", "/api/time//", "/API/TIME"])(
    "404 at %s",
    async (path) => {
      expectRefusal(await rawRequest(board.url, head(`GET ${path}`)), 404, "not_found");
    },
  );
  test.each([
    ["DELETE", "/api/messages/12345678", "GET, HEAD, OPTIONS"],
    ["PUT", "/api/time", "GET, HEAD, OPTIONS"],
    ["PATCH", "/api/kinds", "GET, HEAD, OPTIONS"],
    ["POST", "/api/pow", "GET, HEAD, OPTIONS"],
    ["POST", "/healthz", "GET, HEAD, OPTIONS"],
    ["POST", "/metrics", "GET, HEAD, OPTIONS"],
    ["PROPFIND", "/api/time", "GET, HEAD, OPTIONS"],
    ["TRACE", "/api/time", "GET, HEAD, OPTIONS"],
  ])("405 for %s %s, with what is allowed", async (method, path, allow) => {
    const answer = await rawRequest(board.url, head(`${method} ${path}`));
    expectRefusal(answer, 405, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe(allow);
  });
  test("405 for a body at an address that takes none, whatever its type", async () => {
    for (const type of ["text/plain", "application/json"])
      expectRefusal(
        await rawRequest(board.url, head("PUT /api/time", { "content-type": type, "content-length": "2" }), "{}"),
        405,
        "method_not_allowed",
      );
  });
  test("OPTIONS * asks about the board as a whole", async () => {
    const answer = await rawRequest(board.url, head("OPTIONS *"));
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
    for (const line of ["GET *", "GET *?q=1", "OPTIONS *?q=1", "GET *x", "POST *"])
      expectRefusal(await rawRequest(board.url, head(line)), 400, "invalid_parameter");
  });
  test("DELETE /api/messages names POST among the allowed methods", async () => {
    const answer = await board.get("/api/messages", { method: "DELETE" });
    expectRefusal(answer, 405, "method_not_allowed");
    expect(answer.headers.get("allow")?.split(", ")).toContain("POST");
  });
  test.each(["/api/messages/%ZZ", "/%", "/api/%E0%A4%A", "/api/messages/%FF%FE"])("a malformed address: %s", async (path) => {
    const answer = await rawRequest(board.url, head(`GET ${path}`));
    expect([400, 404]).toContain(answer.status);
    expectRefusal(answer, answer.status, answer.status === 400 ? "invalid_parameter" : "not_found");
  });
  test.each([200, 2000, 10_000])("an address of %d characters", async (length) => {
    expectRefusal(await rawRequest(board.url, head(`GET /api/messages/${"a".repeat(length)}`)), 404, "not_found");
    expectRefusal(await rawRequest(board.url, head(`GET /${"a".repeat(length)}`)), 404, "not_found");
    expectRefusal(await rawRequest(board.url, head(`GET /api/changes?after=${"1".repeat(length)}`)), 400, "invalid_parameter");
  });
  test("headers of more than the server takes", async () => {
    const long = expectRefusal(await rawRequest(board.url, head(`GET /${"a".repeat(100_000)}`)), 431, "too_large");
    expect(long.message).toBe("The address and headers are larger than 16384 bytes.");
    expectRefusal(await rawRequest(board.url, head("GET /api/time", { "x-long": "a".repeat(100_000) })), 431, "too_large");
  });
  test.each([
    "nonsense\r\n\r\n",
    "GET /api/time HTTP/9.9\r\n\r\n",
    "FOO /api/time HTTP/1.1\r\n\r\n",
    "GET /api/time HTTP/1.1\r\nbad header\r\n\r\n",
  ])("what is not HTTP: %j", async (text) => {
    expectRefusal(await rawRequest(board.url, text), 400, "invalid_parameter");
  });
  test("HTTP/1.1 without a Host, and odd but harmless requests", async () => {
    expectRefusal(await rawRequest(board.url, "GET /api/time HTTP/1.1\r\nconnection: close\r\n\r\n"), 400, "invalid_parameter");
    expect((await rawRequest(board.url, "GET /api/time HTTP/1.0\r\n\r\n")).status).toBe(200);
    expect((await rawRequest(board.url, head("GET http://board/api/time"))).status).toBe(200);
    expect((await rawRequest(board.url, head("GET /api/time", { expect: "nothing" }))).status).toBe(200);
    expect((await rawRequest(board.url, head("GET /api/time", { upgrade: "websocket" }))).status).toBe(200);
  });
  test("a length that cannot be", async () => {
    const bad = head("POST /api/messages", { "content-type": "application/json", "content-length": "-1" });
    expectRefusal(await rawRequest(board.url, bad, "{}"), 400, "invalid_parameter");
    const both = head("POST /api/messages", { "content-type": "application/json", "content-length": "2", "transfer-encoding": "chunked" });
    expectRefusal(await rawRequest(board.url, both, "0\r\n\r\n"), 400, "invalid_parameter");
  });
});

test("500 internal: a fault inside the board is not shown to callers", async () => {
  const { id, seq } = await board.put(agent, { kind: "note", body: "will be damaged" });
  db.prepare("UPDATE contents SET payload = 'damaged' WHERE seq = ?").run(seq);
  const error = expectRefusal(await board.get(`/api/messages/${id}`), 500, "internal");
  expect(error.message).not.toMatch(/JSON|damaged|token/i);
});
