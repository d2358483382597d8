// MCP within the board's limits: rates and waits as over HTTP, secrets over safe connections only, and an answer for waiting clients at the
// end.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "../../src/core/errors.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { call, LIST, rpc, send as sendTo } from "../support/mcp-request.ts";
import { keyBytes } from "../support/random.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

const send = (body: string | Uint8Array, headers: Record<string, string> = {}, method = "POST", url = board.url) =>
  sendTo(url, body, headers, method);

describe("limits", () => {
  test("hold as over HTTP, for both doors together: reads, posts with help, waits", async () => {
    await using strict = await TestBoard.start({ flags: ["--rate-limits", "on"] });
    const to = (body: string, headers = {}) => send(body, headers, "POST", strict.url);
    for (let i = 0; i < 10; i++) {
      const { rpc: made } = await to(call("create_identity", {}));
      expect((made.result as { isError?: boolean }).isError).not.toBe(true);
    }
    const refused = ((await to(call("create_identity", {}))).rpc.result as { structuredContent: ErrorBody }).structuredContent;
    expect(refused.error).toMatchObject({ code: "rate_limited", details: { scope: "keygens" } });
    expect((await strict.send("{}", "/api/assist/keygen")).status).toBe(429);

    const { latest_seq: seq } = (await strict.get<{ latest_seq: number }>("/api/messages?limit=1")).body;
    const stop = new AbortController();
    const waiting = Array.from({ length: 20 }, () =>
      fetch(`${strict.url}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: call("wait_for_messages", { after_seq: seq, wait: 30 }),
        signal: stop.signal,
      }).catch(() => {}),
    );
    const readers = (wanted: number) =>
      eventually(`${wanted} wait`, async () => {
        const { body } = await strict.get<string>("/metrics");
        return body.includes(`\nblackboard_stream_readers ${wanted}\n`) ? true : undefined;
      });
    const wait = async () => {
      const { result } = (await to(call("wait_for_messages", { after_seq: seq, wait: 1 }))).rpc;
      return (result as { structuredContent: Partial<ErrorBody> }).structuredContent.error?.code;
    };
    await readers(20);
    expect(await wait()).toBe("too_many_streams");
    stop.abort();
    await Promise.all(waiting);
    await readers(0);
    // A caller that disconnected has freed its place.
    const again = wait();
    await readers(1);
    strict.clock.advance(2000);
    expect(await again).toBeUndefined();

    let last = await to(LIST);
    for (let i = 0; i < 400 && last.status === 200; i++) last = await to(LIST);
    expect(last.status).toBe(429);
    expect(last.headers["retry-after"]).toMatch(/^\d+$/);
    expect(last.rpc.error?.data).toMatchObject({ code: "rate_limited", details: { scope: "reads" } });
    expect((await strict.get("/api/time")).status).toBe(429);
  });
  test("a read costs one read, not two", async () => {
    await using strict = await TestBoard.start({ flags: ["--rate-limits", "on"] });
    let served = 0;
    while ((await send(call("get_message", { id: "ffffffff" }), {}, "POST", strict.url)).status === 200) served++;
    expect(served).toBe(300);
  });
});

describe("secrets", () => {
  test("are taken over safe connections only, from the header and from the arguments alike", async () => {
    const key = Buffer.from(keyBytes()).toString("base64url");
    // A name of another machine makes it a connection that others may read.
    const remote = { host: "board.test" };
    const code = async (body: string, headers = {}) =>
      ((await send(body, { ...remote, ...headers })).rpc.result as { structuredContent: ErrorBody }).structuredContent.error.code;
    expect(await code(call("create_identity", {}))).toBe("https_required");
    expect(await code(call("post_message", { kind: "note", title: "a", secret_key: key }))).toBe("https_required");
    // A caller without a key is not asked for one, but told what is possible without sending one.
    for (const asked of [
      call("post_message", { kind: "note" }),
      call("take_work", { wait: 30 }),
      call("alias", { op: "claim", alias: "plain" }),
    ]) {
      const { rpc: answer, text } = await send(asked, remote);
      expect((answer.result as { structuredContent: ErrorBody }).structuredContent.error.code, asked).toBe("https_required");
      for (const word of ["prepare_message", "submit_message", "`blackboard mcp`"]) expect(text, asked).toContain(word);
    }
  });
  test("in the header over a connection that others may read are refused with any call, so that the mistake is noticed", async () => {
    const key = Buffer.from(keyBytes()).toString("base64url");
    const asked = [
      call("post_message", { kind: "note", title: "a" }),
      call("read_inbox", {}),
      call("search_messages", {}),
      LIST,
      rpc("resources/list"),
      "not even JSON",
    ];
    for (const body of asked) {
      const { status, rpc: answer, text } = await send(body, { host: "board.test", "x-blackboard-key": key });
      expect([status, answer.error?.data?.code], body).toEqual([403, "https_required"]);
      expect(text).not.toContain(key);
      expect((await send(body, { host: "board.test", "x-blackboard-key": "" })).status, body).not.toBe(403);
    }
  });
  test("come back in no answer, wherever they were put", async () => {
    const key = Buffer.from(keyBytes()).toString("base64url");
    const bodies = [
      call("post_message", { kind: "note", title: "a", secret_key: key }),
      call("post_message", { kind: "note", title: key, secret_key: key }),
      call("post_message", { kind: key, secret_key: key }),
      call("post_message", { kind: "note", secret_key: key.slice(1) }),
      call("post_message", { kind: "note", secret_key: [key] }),
      call("alias", { op: "claim", alias: key, secret_key: key }),
      call("alias", { op: "claim", alias: "fine-name", secret_key: key }),
      call("create_identity", { [key.slice(0, 5)]: key }),
      call("submit_message", { payload: "{}", sig: "x", nonce: "1", secret_key: key }),
      rpc("tools/list", { cursor: key }),
      // Instead of a name.
      call(key, {}),
      call("post_message", { [key]: 1 }),
      call("search_messages", { [key]: 1 }),
      call("search_messages", { [`${"a".repeat(25)}${key}`]: 1 }),
      call("search_messages", { author: key }),
      call("search_messages", { kind: key }),
      call("search_messages", { fields: key }),
      call("search_messages", { cursor: key }),
      call("wait_for_messages", { filters: { [key]: 1 } }),
      call("read_inbox", { agent: key }),
      call("list_agents", { agent: key }),
      call("find_work", { agent: key }),
      call("get_message", { id: key }),
      call("alias", { op: key, alias: "fine-name" }),
      call("alias", { op: "resolve", alias: key }),
      call("prepare_message", { pk: key, kind: "note", message: { [key]: 1 } }),
      call("prepare_message", { pk: "x", kind: "note", data: { [key]: { __proto: 1 } }, ttl: key }),
      call("report_message", { target: key, category: key, explanation: "x" }),
      call("report_message", { target: key, category: "spam", explanation: "x" }),
      call("submit_message", { payload: `{"secret_key":${key}}`, sig: "A".repeat(86), nonce: "1" }),
      call("submit_message", { payload: `{"secret_key":"${key}" ${key}}`, sig: "A".repeat(86), nonce: "1" }),
      call("submit_message", { payload: key, sig: "A".repeat(86), nonce: "1" }),
      call("submit_message", { payload: `{"${key}":1}`, sig: "A".repeat(86), nonce: "1" }),
      rpc("prompts/get", { name: key }),
      rpc("prompts/get", { name: "introduction", arguments: { [key]: 1 } }),
      rpc("resources/read", { uri: key }),
      rpc("resources/read", { uri: `blackboard://inbox/${key}` }),
      rpc("resources/read", { uri: `blackboard://messages/${key}` }),
      rpc("tools/call", { name: "read_inbox", arguments: { agent: "x" }, [key]: 1 }),
      rpc("tools/call", { name: [key], arguments: { [key]: 1 } }),
      rpc("tools/call", { [key]: key }),
      rpc(key),
      // Not quite JSON.
      call("post_message", { kind: "note", secret_key: key }).replace(`"${key}"`, key),
      call("post_message", { kind: "note", secret_key: key }).replace(`"${key}"`, `"${key}" ${key}`),
      call("post_message", { kind: "note", secret_key: key }).replace(`"${key}"`, `"${key}`),
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"${key}":1,"${key}":2}}`,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"${key}":"\\ud800"}}`,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"${key}":1e999}}`,
      key,
    ];
    const pieces = Array.from({ length: key.length - 9 }, (_, at) => key.slice(at, at + 10));
    for (const body of bodies) {
      const { text } = await send(body, { "x-blackboard-key": key });
      expect(
        pieces.filter((piece) => text.includes(piece)),
        `${body.slice(0, 160)} -> ${text}`,
      ).toEqual([]);
    }
  });
});

test("a wait that is under way when the board stops is still answered", async () => {
  const stopping = await TestBoard.start();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "wait_for_messages", arguments: { after_seq: 0, wait: 30 } };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": params.name };
  const waits = [
    send(rpc("tools/call", params), {}, "POST", stopping.url),
    send(rpc("tools/call", { ...params, _meta: meta }), headers, "POST", stopping.url),
  ];
  await eventually("both wait", async () => {
    const { body } = await stopping.get<string>("/metrics");
    return body.includes("\nblackboard_stream_readers 2\n") ? true : undefined;
  });
  await stopping[Symbol.asyncDispose]();
  for (const { status, rpc: answer } of await Promise.all(waits)) {
    expect(status).toBe(200);
    expect(answer.result).toMatchObject({ content: [{ type: "text" }] });
  }
});
