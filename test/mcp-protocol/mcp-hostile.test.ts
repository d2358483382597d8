// Hostile and faulty MCP clients: every request gets a proper answer, and only valid ones are accepted.
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { TestBoard } from "../support/board.ts";
import { call, LIST, rpc, send as sendTo } from "../support/mcp-request.ts";
import { SEED } from "../support/random.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

const send = (body: string | Uint8Array, headers: Record<string, string> = {}, method = "POST", url = board.url) =>
  sendTo(url, body, headers, method);

describe("bodies", () => {
  test("that are no JSON, no UTF-8, or hide something are refused in the protocol's own form", async () => {
    const cases: readonly (readonly [string | Uint8Array, number, number, string])[] = [
      ["", 400, -32_700, "invalid_json"],
      ["{", 400, -32_700, "invalid_json"],
      [Uint8Array.of(0x22, 0xff, 0x22), 400, -32_700, "invalid_utf8"],
      [`\u{feff}${LIST}`, 400, -32_700, "invalid_utf8"],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32_600, "duplicate_key"],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"a":1}}}', 400, -32_600, "forbidden_key"],
      ['{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 400, -32_600, "invalid_unicode"],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(60)}1${"}".repeat(60)}}`, 400, -32_600, "too_deep"],
      ["[".repeat(200_000) + "]".repeat(200_000), 400, -32_600, "too_deep"],
      [`[${LIST},${LIST}]`, 400, -32_600, "invalid_field"],
      ["[]", 400, -32_600, "invalid_field"],
      ['"text"', 400, -32_600, "invalid_field"],
      ["null", 400, -32_600, "invalid_field"],
    ];
    for (const [body, status, code, named] of cases) {
      const got = await send(body);
      expect([got.status, got.rpc.error?.code, got.rpc.error?.data?.code], String(body).slice(0, 60)).toEqual([status, code, named]);
      expect(got.rpc).toMatchObject({ jsonrpc: "2.0", id: null });
    }
  });
  test("that are too large are refused, announced or not", async () => {
    const huge = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(LIMITS.request_bytes) } });
    expect((await send(huge)).status).toBe(413);
    const chunked = await send(huge, { "transfer-encoding": "chunked" });
    expect([chunked.status, chunked.rpc.error?.data?.code]).toEqual([413, "too_large"]);
  });
  test("of another type, or packed, are refused", async () => {
    expect((await send(LIST, { "content-type": "text/plain" })).rpc.error?.data?.code).toBe("unsupported_media_type");
    expect((await send(LIST, { "content-encoding": "gzip" })).status).toBe(415);
  });
  test("that are JSON but no request get what the protocol has for it", async () => {
    for (const body of [
      "{}",
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
    ]) {
      const { status, rpc: answer } = await send(body);
      expect([status, answer.error?.code, answer.error?.data?.code], body).toEqual([400, -32_600, "invalid_field"]);
      expect(answer.error?.message, body).toMatch(/^The body is not a JSON-RPC 2\.0 message\. Send one like \{"jsonrpc":"2\.0","id":1/);
    }
    expect((await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202);
    expect((await send('{"jsonrpc":"2.0","id":5,"result":{}}')).status).toBe(202);
    expect((await send(rpc("no/such/method"))).rpc.error?.code).toBe(-32_601);
  });
  test("that are requests of the wrong form get the field and the right form, not the words of a schema library", async () => {
    const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a" } };
    for (const [body, field, words] of [
      [rpc("initialize"), "params", 'is missing. Send initialize with `params` like {"protocolVersion":'],
      [rpc("initialize", { protocolVersion: 1 }), "params.protocolVersion", "must be a string. Send initialize"],
      [rpc("initialize", client), "params.clientInfo.version", "is missing. Send initialize"],
      [rpc("tools/list", { cursor: 3 }), "params.cursor", "must be a string. Send tools/list with `params` like {}."],
      [rpc("tools/call", { name: 5 }), "params.name", 'must be a string. Send tools/call with `params` like {"name":'],
      [call("search_messages", [1]), "params.arguments", "must be an object. Send tools/call"],
      [rpc("resources/read", {}), "params.uri", "is missing. Send resources/read"],
      [
        rpc("prompts/get", { name: "post_finding", arguments: { finding: 1 } }),
        "params.arguments.finding",
        "must be a string. Send prompts/get",
      ],
    ] as const) {
      const { status, rpc: answer } = await send(body);
      expect([status, answer.id, answer.error?.code], body).toEqual([200, 1, -32_602]);
      expect(answer.error?.message, body).toContain(`\`${field}\` ${words}`);
      expect(answer.error?.data, body).toMatchObject({ code: "invalid_field", docs: expect.any(String) as string, details: { field } });
    }
  });
  test("that name something unknown get the list of what exists", async () => {
    for (const [body, code, words] of [
      [call("find_wrk", {}), "not_found", 'There is no tool "find_wrk". Did you mean find_work? There are: board_guide, '],
      [rpc("prompts/get", { name: "x" }), "not_found", 'There is no prompt "x". There are: brief, claim_work, '],
      [rpc("prompts/get", { name: "post_finding" }), "invalid_field", "The argument finding is missing. Send prompts/get"],
      [
        rpc("resources/read", { uri: "blackboard://x" }),
        "not_found",
        'There is no resource "blackboard://x". There are: blackboard://manual, ',
      ],
    ] as const) {
      const { error } = (await send(body)).rpc;
      expect([error?.code, error?.data?.code], body).toEqual([-32_602, code]);
      expect(error?.message, body).toContain(words);
    }
  });
});

describe("the door", () => {
  test("takes the names and addresses of this board, and no name that was bent to it", async () => {
    for (const host of ["localhost", "127.0.0.1:99", "[::1]:8787", "board.test", "board.test:8787", "192.168.0.5"])
      expect((await send(LIST, { host })).status, host).toBe(200);
    for (const host of [
      "evil.example",
      "board.test.evil.example",
      "localhost.evil.example",
      "evil.example:8787",
      "127.0.0.1.evil.example",
      "@",
    ]) {
      const got = await send(LIST, { host });
      expect([got.status, got.rpc.error?.data?.code], host).toEqual([403, "origin_forbidden"]);
    }
  });
  test("believes a trusted proxy about the name it was called by, and nobody else", async () => {
    const forwarded = { host: "blackboard-1.internal", "x-forwarded-host": "board.test", "x-forwarded-for": "198.51.100.7" };
    expect((await send(LIST, forwarded)).status).toBe(403);
    await using behind = await TestBoard.start({ flags: ["--trusted-proxies", "127.0.0.1"] });
    expect((await send(LIST, forwarded, "POST", behind.url)).status).toBe(200);
    expect((await send(LIST, { ...forwarded, "x-forwarded-host": "evil.example" }, "POST", behind.url)).status).toBe(403);
  });
  test("lets no page of another site in, nor read what it answers", async () => {
    for (const origin of ["http://board.test", "http://localhost:6274", "http://127.0.0.1"]) {
      const { status, headers } = await send(LIST, { origin });
      expect([status, headers["access-control-allow-origin"]], origin).toEqual([200, origin]);
    }
    for (const origin of ["https://evil.example", "null", "http://board.test.evil.example", "file://", "garbage"]) {
      const got = await send(LIST, { origin });
      expect([got.status, got.rpc.error?.data?.code], origin).toEqual([403, "origin_forbidden"]);
      expect(got.headers["access-control-allow-origin"]).toBeUndefined();
      expect((await send("", { origin }, "OPTIONS")).status).toBe(403);
    }
    const preflight = await send("", { origin: "http://localhost:6274" }, "OPTIONS");
    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-headers"]).toContain("mcp-protocol-version");
  });
  test("answers JSON to clients that accept it, however they say so, and 406 to others", async () => {
    for (const accept of ["application/json", "application/json;q=0.5", "*/*", "text/event-stream, application/json", "application/*"]) {
      const got = await send(LIST, { accept });
      expect([got.status, got.headers["content-type"]], accept).toEqual([200, "application/json"]);
    }
    for (const accept of ["text/html", "text/event-stream", "nonsense"]) expect((await send(LIST, { accept })).status, accept).toBe(406);
  });
  test("accepts only POST, and no cache stores its answers", async () => {
    for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
      const got = await send("", {}, method);
      expect([got.status, got.headers["allow"]], method).toEqual([405, expect.stringContaining("POST")]);
    }
    expect((await send(LIST)).headers["cache-control"]).toBe("no-store");
  });
});

test(`whatever arguments a tool gets, the answer is a result or a refusal, never a fault of the board (SEED=${SEED})`, async () => {
  const { rpc: listed } = await send(LIST);
  const tools = listed.result?.["tools"] as { name: string; inputSchema: { properties: Record<string, unknown> } }[];
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "",
      "\0",
      "ag_00000000000000000000",
      "ffffffff",
      "-1",
      "1e9",
      "'; --",
      "%00",
      "../../..",
      "7d",
      "a,b",
      "x".repeat(5000),
    ),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
  );
  const tried = fc.constantFrom(...tools).chain(({ name, inputSchema }) =>
    fc.record({
      name: fc.constant(name),
      given: fc.dictionary(fc.constantFrom(...Object.keys(inputSchema.properties), "other"), value, { maxKeys: 4 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(tried, async ({ name, given }) => {
      const wait = name === "wait_for_messages" ? { wait: 0 } : {};
      const got = await send(call(name, { ...given, ...wait }));
      expect([200, 400]).toContain(got.status);
      if (got.status === 400) return;
      const { isError, structuredContent } = got.rpc.result as { isError?: boolean; structuredContent: ErrorBody };
      if (isError === true) expect(structuredContent.error.code).not.toBe("internal");
    }),
    { numRuns: 150, seed: SEED },
  );
});
