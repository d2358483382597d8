// MCP within the board's limits: rates and waits as over HTTP, secrets over safe connections only, and an answer for whoever waits at the end.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "../src/core/errors.ts";
import { TestBoard } from "./support/board.ts";
import { eventually } from "./support/eventually.ts";
import { call, LIST, rpc, send as sendTo } from "./support/mcp-request.ts";
import { keyBytes } from "./support/random.ts";

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
    // Whoever went away gave its place back.
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
    // A name that is not of this machine makes the connection one that somebody else may hear.
    const remote = { host: "board.test" };
    const code = async (body: string, headers = {}) =>
      ((await send(body, { ...remote, ...headers })).rpc.result as { structuredContent: ErrorBody }).structuredContent.error.code;
    expect(await code(call("create_identity", {}))).toBe("https_required");
    expect(await code(call("post_message", { kind: "note", title: "a", secret_key: key }))).toBe("https_required");
    expect(await code(call("post_message", { kind: "note", title: "a" }), { "x-blackboard-key": key })).toBe("https_required");
    expect(await code(call("read_inbox", {}), { "x-blackboard-key": key })).toBe("invalid_parameter");
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
    ];
    for (const body of bodies) {
      const { text } = await send(body, { "x-blackboard-key": key });
      expect(text.includes(key.slice(1)), body.slice(0, 120)).toBe(false);
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
    expect(answer.result).toMatchObject({ structuredContent: {} });
  }
});
