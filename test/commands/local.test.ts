// A board for its own machine: what its owner can do, and who is refused.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { head, rawRequest } from "../support/raw-request.ts";
import { expectRefusal } from "../support/refusal.ts";

const LOCAL = ["--base-url", "http://localhost:8787"];
const FOREIGN = { origin: "https://elsewhere.example" };

describe("a local board", () => {
  let board: TestBoard;
  beforeAll(async () => void (board = await TestBoard.start({ flags: [...LOCAL, "--rate-limits", "on"] })));
  afterAll(() => board[Symbol.asyncDispose]());

  test.for(["localhost", "LOCALHOST:8787", "127.0.0.1", "127.9.9.9:1", "[::1]:8787", "board.localhost"])(
    "answers to the name %s",
    async (host) => {
      expect((await rawRequest(board.url, head("GET /api/time").replace("host: localhost", `host: ${host}`))).status).toBe(200);
    },
  );
  test.for(["board.example", "localhost.example", "192.168.1.7", "10.0.0.1:80", "[fe80::1]", "mylocalhost"])(
    "does not answer to the name %s, and says how it is published",
    async (host) => {
      const answer = await rawRequest(board.url, head("GET /api/time").replace("host: localhost", `host: ${host}`));
      const { hint } = expectRefusal(answer, 403, "not_local");
      expect(hint).toMatch(/--base-url.*--profile public/);
    },
  );
  test.for([
    ["forwarded", "for=192.0.2.1"],
    ["x-forwarded-for", "192.0.2.1"],
    ["X-Forwarded-Proto", "https"],
    ["x-real-ip", "192.0.2.1"],
    ["via", "1.1 proxy"],
    ["cf-connecting-ip", "192.0.2.1"],
    ["x-amzn-trace-id", "Root=1"],
    ["x-appengine-user-ip", "192.0.2.1"],
    ["x-azure-clientip", "192.0.2.1"],
    ["x-cloud-trace-context", "1/1"],
  ])("does not answer what a proxy passed on with %s", async ([name, value]) => {
    for (const line of ["GET /api/time", "GET /", "GET /healthz", "GET /api/messages"])
      expectRefusal(await rawRequest(board.url, head(line, { [name!]: value! })), 403, "not_local");
  });
  test("does not answer what is meant for another machine by its address, whatever the Host says", async () => {
    const request = head("GET http://board.example/api/messages");
    expectRefusal(await rawRequest(board.url, request), 403, "not_local");
  });
  test("does not answer HTTP/1.0, which proxies use by default, even if the same request was answered before", async () => {
    const request = head("GET /api/messages");
    for (let i = 0; i < 2; i++) {
      expect((await rawRequest(board.url, request)).status).toBe(200);
      expectRefusal(await rawRequest(board.url, request.replace("HTTP/1.1", "HTTP/1.0")), 403, "not_local");
    }
  });

  test("refuses pages of other sites, accepts its own, and sends browsers no header that would let others in", async () => {
    for (let i = 0; i < 2; i++) {
      const plain = await board.get("/api/messages");
      expect([plain.status, plain.headers.get("access-control-allow-origin")]).toEqual([200, null]);
      expectRefusal(await board.get("/api/messages", { headers: FOREIGN }), 403, "origin_forbidden");
      expectRefusal(await board.get("/api/messages", { headers: { origin: "null" } }), 403, "origin_forbidden");
      expect((await board.get("/api/messages", { headers: { origin: board.url } })).status).toBe(200);
      expect((await board.get("/api/messages", { headers: { origin: "http://localhost:8787" } })).status).toBe(200);
    }
    expectRefusal(await board.send("{}", "/api/messages", FOREIGN), 403, "origin_forbidden");
    const asked = await board.get("/api/messages", { method: "OPTIONS" });
    expect([asked.status, asked.headers.get("allow"), asked.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "POST, GET, HEAD, OPTIONS",
      null,
    ]);
  });

  test("has limits fifty times as wide, publishes them, and says on its pages what it is", async () => {
    const { limits } = (await board.get<{ limits: { rates: object[]; streams_at_once: number } }>("/api/kinds")).body;
    expect(limits.rates).toContainEqual({ scope: "writes", per: "address", burst: 3000, then_every_s: 0.01 });
    expect(limits.streams_at_once).toBe(1000);
    expect((await board.get<string>("/llms-full.txt")).body).toContain("| address | writes | 3000 | one every 0.01 s |");
    for (let i = 0; i < 200; i++) expect((await board.send("nonsense")).status).toBe(400);
    const page = await board.get<string>("/", { headers: { accept: "text/html" } });
    expect(page.body).toContain("This is a local board");
  });
});

test("a public board is for everybody: any name, any proxy, any site", async () => {
  await using board = await TestBoard.start();
  for (const headers of [{ "x-forwarded-for": "192.0.2.1" }, FOREIGN]) {
    const answer = await board.get("/api/time", { headers });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  }
  expect((await rawRequest(board.url, head("GET /api/time").replace("HTTP/1.1", "HTTP/1.0"))).status).toBe(200);
  const asked = await board.get("/api/messages/12345678/thread?limit=1", { method: "OPTIONS", headers: FOREIGN });
  expect([asked.status, asked.headers.get("allow"), asked.headers.get("access-control-allow-methods")]).toEqual([
    204,
    "GET, HEAD, OPTIONS",
    "GET, HEAD, POST",
  ]);
  expectRefusal(await board.get("/api/nothing", { method: "OPTIONS" }), 404, "not_found");
  const page = await board.get<string>("/", { headers: { accept: "text/html" } });
  expect(page.body).not.toContain("local board");
});

test("a caller that asks for Markdown gets it, however the type is written, even if the same was answered before", async () => {
  await using board = await TestBoard.start();
  for (const accept of [
    "application/json",
    "Text/Markdown",
    "text/markdown;q=0.9, application/json;q=0.8",
    "application/json",
    "text/markdown",
  ]) {
    const { headers } = await board.get("/api/messages", { headers: { accept } });
    expect(headers.get("content-type"), accept).toMatch(/markdown/i.test(accept) ? /^text\/markdown/ : /^application\/json/);
    expect(headers.get("vary")).toBe("Accept");
  }
  const json = (await board.get("/api/messages")).headers.get("etag") ?? "";
  expect((await board.get("/api/messages", { headers: { "if-none-match": json } })).status).toBe(304);
  expect((await board.get("/api/messages", { headers: { accept: "text/markdown", "if-none-match": json } })).status).toBe(200);
});

test("a board on a private network refuses other sites unless it is configured otherwise", async () => {
  const at = ["--base-url", "http://192.168.1.7"];
  await using closed = await TestBoard.start({ flags: at });
  expectRefusal(await closed.get("/api/time", { headers: FOREIGN }), 403, "origin_forbidden");
  // With DNS rebinding, a page controls both headers.
  const bent = head("GET /api/time", { origin: "http://elsewhere.example" }).replace("host: localhost", "host: elsewhere.example");
  expectRefusal(await rawRequest(closed.url, bent), 403, "origin_forbidden");
  expectRefusal(await rawRequest(closed.url, bent.replace(/origin: .*\r\n/, "")), 403, "origin_forbidden");
  expect((await rawRequest(closed.url, head("GET /api/time").replace("host: localhost", "host: 192.168.1.7"))).status).toBe(200);
  await using open = await TestBoard.start({ flags: [...at, "--cors", "any"] });
  expect((await open.get("/api/time", { headers: FOREIGN })).headers.get("access-control-allow-origin")).toBe("*");
});

test("a cache on the way must revalidate an answer before it is shown: a withdrawn message does not live on there", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const { id } = await board.put(agent, { kind: "note", title: "soon gone" });
  const addresses = [
    "/api/messages",
    `/api/messages/${id}`,
    `/api/messages/${id}/thread`,
    "/api/changes",
    "/api/dump.jsonl",
    "/api/time",
    "/llms.txt",
  ];
  for (const address of addresses) {
    // The second time it may be answered by the fast path.
    for (let i = 0; i < 2; i++) expect((await board.get(address)).headers.get("cache-control"), address).toBe("no-cache");
  }
  const etag = (await board.get(`/api/messages/${id}`)).headers.get("etag") ?? "";
  expect((await board.get(`/api/messages/${id}`, { headers: { "if-none-match": etag } })).status).toBe(304);
  await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id }] });
  expectRefusal(await board.get(`/api/messages/${id}`, { headers: { "if-none-match": etag } }), 410, "retracted");
});
