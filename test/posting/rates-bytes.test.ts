// Bytes are limited in addition to requests: nobody can fill the disk that everybody uses.
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { ackText, idOf } from "../support/acks.ts";
import { type Agent, ALIAS_BITS, sha256 } from "../support/agent.ts";
import { type Answer, TestBoard } from "../support/board.ts";
import { hashOf, type KeyAct, signed } from "../support/key-stage.ts";
import { call, send } from "../support/mcp-request.ts";
import { withLongestBody } from "../support/payload.ts";
import { expectRefusal } from "../support/refusal.ts";

const limited = () => TestBoard.start({ flags: ["--rate-limits", "on"] });

/** 460 KB as a request: four of them fit into the burst. */
function large(agent: Agent, n: number): string {
  return JSON.stringify(agent.seal(withLongestBody(agent.envelope({ kind: "note", title: `large ${n}` }).payload)));
}

function expectLimited(answer: Answer<unknown>, scope: string): void {
  const { details, message } = expectRefusal(answer, 429, "rate_limited");
  expect(details).toMatchObject({ scope, unit: "bytes", burst: 2_097_152 });
  expect(message).toContain("2097152 bytes at once, then 8192 a second");
  expect(answer.headers.get("ratelimit-policy")).toBe(`"${scope}";q=2097152;qu="content-bytes";w=256`);
}

describe("one address", () => {
  test("stores two megabytes at once, with any keys; short posts of others continue", async () => {
    await using board = await limited();
    const sent = [];
    for (let n = 0; n < 6; n++) sent.push(await board.send(large(board.agent(), n)));
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429, 429]);
    expectLimited(sent[5] as Answer<unknown>, "bytes");
    // The remaining allowance is enough for short posts.
    expect((await board.post(board.agent(), { kind: "note", body: "short" })).status).toBe(201);
    board.clock.advance(60_000);
    expect((await board.send(large(board.agent(), 5))).status).toBe(201);
  });

  test("pays nothing for what was not stored: refused, tried or known already", async () => {
    await using board = await limited();
    const agent = board.agent();
    const text = large(agent, 0);
    for (let n = 0; n < 5; n++) expect((await board.send(text, "/api/messages?dry_run=1")).status).toBe(200);
    for (let n = 0; n < 5; n++) expect((await board.send(text.slice(0, -1))).status).toBe(400);
    expect((await board.send(text)).status).toBe(201);
    for (let n = 0; n < 5; n++) expect((await board.send(text)).status).toBe(200);
    for (let n = 1; n < 4; n++) expect((await board.send(large(board.agent(), n))).status).toBe(201);
    expect((await board.send(large(board.agent(), 4))).status).toBe(429);
  });

  const labels = (field: string, count: number) => Array.from({ length: count }, (_, n) => `${field}-${n}`.padEnd(LIMITS.tag_chars, "x"));
  const cited = (n: number) => Array.from({ length: LIMITS.refs }, (_, i) => ({ rel: "cites" as const, id: sha256(`${n} ${i}`) }));
  test.each([
    ["labels", 20, (n: number) => ({ tags: labels(`t${n}`, 12), needs: labels(`n${n}`, 32), offers: labels(`o${n}`, 32) })],
    ["references", 50, (n: number) => ({ refs: cited(n) })],
  ])("pays for %s what they take in the store, which is more than their bytes", async (_, most, fields) => {
    await using board = await limited();
    const post = (n: number) => board.post(board.agent(), { kind: "note", title: `${n}`, ...fields(n) });
    // Little room is left.
    for (let n = 0; n < 4; n++) expect((await board.send(large(board.agent(), n))).status).toBe(201);
    const answers = [await post(0)];
    while (answers.at(-1)!.status === 201) answers.push(await post(answers.length));
    expectLimited(answers.at(-1)!, "bytes");
    // Of their bodies alone, many more would fit.
    expect(answers.length).toBeLessThan(most);
  });

  test("cannot hide the length by sending in pieces", async () => {
    await using board = await limited();
    const inPieces = async (text: string): Promise<number> => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${board.url}/api/messages`, { method: "POST", headers, body, duplex: "half" });
      await answer.arrayBuffer();
      return answer.status;
    };
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push(await inPieces(large(board.agent(), n)));
    expect(statuses).toEqual([201, 201, 201, 201, 429]);
  });

  test("has one allowance for HTTP and MCP", async () => {
    await using board = await limited();
    for (let n = 0; n < 4; n++) expect((await board.send(large(board.agent(), n))).status).toBe(201);
    const agent = board.agent();
    const { payload, sig, nonce } = JSON.parse(large(agent, 4)) as { payload: string; sig: string; nonce: string };
    const { rpc } = await send(board.url, call("submit_message", { payload, sig, nonce }));
    const { structuredContent } = rpc.result as { structuredContent: { error: { code: string; details: object } } };
    expect(structuredContent.error).toMatchObject({ code: "rate_limited", details: { scope: "bytes" } });
  });
});

test("one agent stores two megabytes at once, from however many addresses", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"] });
  const agent = board.agent();
  const sent = [];
  for (let n = 0; n < 6; n++) sent.push(await board.send(large(agent, n), "/api/messages", { "x-forwarded-for": `203.0.113.${n}` }));
  // As payloads they are shorter than as requests.
  expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
  expectLimited(sent[5] as Answer<unknown>, "agent_bytes");
});

test("what an agent acknowledges, and does with names and keys, counts like its posts, and what is refused does not", async () => {
  await using board = await TestBoard.start({ flags: ["--rate-limits", "on", "--trusted-proxies", "127.0.0.1"] });
  const agent = board.agent();
  let address = 0;
  const send = (body: unknown, path?: string) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return board.send(text, path, { "x-forwarded-for": `203.0.113.${address++}` });
  };
  for (let n = 0; n < 12; n++) await send(board.agent().envelope({ kind: "note", title: `${n}` }));
  let left = 2 * 1024 * 1024;
  const body = "x".repeat(LIMITS.body_chars);
  const medium = [0, 1].map((n) => JSON.stringify(agent.envelope({ kind: "note", title: `${n}`, body })));
  for (const text of [...Array.from({ length: 5 }, (_, n) => large(agent, n)), ...medium]) {
    expect((await send(text)).status).toBe(201);
    left -= Buffer.byteLength((JSON.parse(text) as { payload: string }).payload);
  }
  const name = await idOf(board);
  const unknown = Array.from({ length: LIMITS.ack_ids }, (_, i) => sha256(`${i}`));
  const ack = (seen: number) => {
    const envelope = agent.seal(ackText(name, agent, board.clock.now(), { seen, acted: unknown }), undefined, 0);
    return { text: JSON.stringify(envelope), bytes: Buffer.byteLength(JSON.stringify(envelope)) + 140 * unknown.length };
  };
  expectRefusal(await send(ack(0).text, "/api/acks"), 409, "not_addressed");
  const fitting = Math.floor(left / ack(1).bytes);
  expect(fitting).toBeLessThan(7);
  for (let n = 1; n <= fitting; n++) expect((await send(ack(n).text, "/api/acks")).status).toBe(201);
  const refused = await send(ack(fitting + 1).text, "/api/acks");
  expect(expectRefusal(refused, 429, "rate_limited").details).toMatchObject({ scope: "agent_bytes" });
  // Known already: it costs nothing more.
  expect((await send(ack(fitting).text, "/api/acks")).status).toBe(200);
  // Less is left than the least that a write counts as.
  left -= fitting * ack(1).bytes;
  const empty = agent.envelope({ kind: "note", body: "" }).payload.length;
  expect((await send(agent.envelope({ kind: "note", body: "x".repeat(left - LIMITS.post_bytes / 2 - empty) }))).status).toBe(201);
  const key = (act: KeyAct) => send(signed(agent, agent, act, name, board.clock.now()), "/api/keys");
  const claim = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "some-name" });
  for (const answer of [
    await send(agent.seal(claim, undefined, ALIAS_BITS), "/api/aliases"),
    await key({ op: "commit", next: hashOf(board.agent()) }),
  ])
    expect(expectRefusal(answer, 429, "rate_limited").details).toMatchObject({ scope: "agent_bytes" });
  // Whoever uses up what an agent may store does not keep a stolen key alive.
  expect((await key({ op: "revoke", from: Math.floor(board.clock.now() / 1000) })).status).toBe(201);
});
