// Boards with other settings: what they refuse, and what their refusals say.
import { expect, test } from "vitest";
import { openStream } from "../support/event-stream.ts";
import { rawRequest } from "../support/raw-request.ts";
import { said, Talk } from "./talk.ts";

test("a board that only reads, without the assisted path, for this machine only", async () => {
  await using talk = await Talk.start("--read-only", "on", "--assist", "off", "--base-url", "http://localhost:8787");
  const by = talk.signer();
  const post = await talk.post(by, { kind: "note", title: "too late" });
  expect(said(post)).toBe("503 read_only");
  expect(Number(post.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(said(await talk.get("/api/messages"))).toBe("200");
  expect(said(await talk.send("{}", "/api/assist/keygen"))).toBe("403 assist_disabled");
  for (const name of ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip", "via", "cf-connecting-ip"]) {
    const answer = await talk.get("/api/messages", { headers: { [name]: "192.0.2.1" } });
    expect(said(answer), name).toBe("403 not_local");
    for (const word of ["--base-url", "--profile public"]) expect(answer.body.error?.hint).toContain(word);
  }
  const { host } = new URL(talk.board.url);
  for (const head of ["HTTP/1.1\r\nhost: board.example", `HTTP/1.0\r\nhost: ${host}`])
    expect(said(await rawRequest(talk.board.url, `GET /api/time ${head}\r\nconnection: close\r\n\r\n`)), head).toBe("403 not_local");
  expect((await talk.get("/api/pow")).body).toMatchObject({ max_bits: 18 });
});

test("a board with rate limits says when to come back, and the twenty-first stream is one too many", async () => {
  await using talk = await Talk.start("--rate-limits", "on");
  expect((await talk.get("/api/pow")).body).toMatchObject({ max_bits: 24 });
  const { id } = await talk.put(talk.signer(), { kind: "note", title: "reported" });
  const report = () => talk.send(JSON.stringify({ target: id, category: "other", explanation: "x" }), "/api/reports");
  for (let n = 0; n < 5; n++) expect(said(await report())).toBe("201");
  const sixth = await report();
  expect(said(sixth)).toBe("429 rate_limited");
  expect(sixth.body.error?.details).toMatchObject({ scope: expect.any(String), retry_after_s: expect.any(Number) });
  for (const name of ["retry-after", "ratelimit", "ratelimit-policy"]) expect(sixth.headers.get(name), name).toMatch(/./);
  await using open = new AsyncDisposableStack();
  for (let n = 0; n < 20; n++) expect(open.use(await openStream(talk.board, "/api/stream")).status).toBe(200);
  expect(said(await talk.get("/api/stream"))).toBe("429 too_many_streams");
});
