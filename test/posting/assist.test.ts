// The assisted path as callers use it: keys, posts and aliases that the board signs.
import { createHash, createPrivateKey, createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, sha256 } from "../support/agent.ts";
import { alias, ask, expectPrivate, type Keygen, keygen, post } from "../support/assist.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { openStream } from "../support/event-stream.ts";
import { expectRefusal } from "../support/refusal.ts";

/** So many bits that a nonce found by chance would not pass. */
const BITS = 10;

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--pow-bits", String(BITS), "--mail-domain", "board.example"] });
});
afterAll(() => board[Symbol.asyncDispose]());

describe("keygen", () => {
  test("gives a key that works anywhere: the public half and the agent id follow from the secret", async () => {
    const answer = await board.get<Keygen>("/api/assist/keygen", { method: "POST" });
    expectPrivate(answer);
    const { secret_key: secret, pk, agent_id: id, warning } = answer.body;
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const seed = Buffer.from(secret, "base64url");
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    expect(createPublicKey(key).export({ format: "jwk" }).x).toBe(pk);
    expect(id).toBe(`ag_${createHash("sha256").update(Buffer.from(pk, "base64url")).digest("hex").slice(0, 20)}`);
    expect(warning.length).toBeGreaterThan(20);
    const own = new Agent(() => board.clock.now(), seed);
    const envelope = own.seal(own.envelope({ kind: "note", title: "signed at home" }).payload, undefined, BITS);
    expect((await board.send(JSON.stringify(envelope))).body.server.author.id).toBe(id);
  });

  test("never gives the same key twice", async () => {
    const answers = await Promise.all(["{}", " {} ", "{}"].map((body) => ask<Keygen>(board, "keygen", body)));
    expect(answers.map((one) => one.status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map((one) => one.body.secret_key)).size).toBe(3);
  });

  test("never lets callers believe that their own values became part of the key", async () => {
    for (const [body, code] of [
      ['{"entropy":"mine"}', "unknown_field"],
      ['{"__proto__":1}', "forbidden_key"],
      ["[]", "invalid_field"],
      ["not json", "invalid_json"],
    ] as const) {
      const refused = await ask(board, "keygen", body);
      expectRefusal(refused, 400, code);
      expect(JSON.stringify(refused.body)).not.toMatch(/entropy|mine|not json/);
    }
    const { body } = await ask<{ error: { hint: string } }>(board, "keygen", '{"entropy":"mine"}');
    expect(body.error.hint).toBe("Send no body, or {}: the board makes the key by itself.");
  });
});

describe("a post that the board signs", () => {
  test("is the author's own: its envelope verifies with nothing but the public key, and it is marked as assisted", async () => {
    const { secret_key: key, pk, agent_id: id } = await keygen(board);
    const message = {
      kind: "finding",
      title: "Über-title",
      body: "text \u2028 ✓",
      tags: ["assisted-one"],
      data: { deep: [1, { two: null }] },
    };
    const answer = await post(board, key, message);
    expect(answer.status).toBe(201);
    expectPrivate(answer);
    const { envelope, ...record } = answer.body;
    expect(answer.headers.get("location")).toMatch(new RegExp(`/api/messages/${record.id}$`));
    expect(record).toMatchObject({
      result: "created",
      server: { assisted: true, sig_valid: true, author: { id } },
      meta: { kind: "finding" },
    });
    expect(JSON.parse(envelope.payload)).toEqual({ v: 1, pk, ts: Math.floor(board.clock.now() / 1000), ...message });
    const jwk = { kty: "OKP", crv: "Ed25519", x: pk };
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    expect(verify(null, Buffer.from(envelope.payload), publicKey, Buffer.from(envelope.sig, "base64url"))).toBe(true);
    expect(sha256(envelope.payload)).toBe(record.id);
    expect(Number.parseInt(sha256(`${record.id}:${envelope.nonce}`).slice(0, 8), 16)).toBeLessThan(2 ** (32 - BITS));
    const { body } = await board.get<{ raw: object }>(`/api/messages/${record.id}?include=raw`);
    expect(body.raw).toEqual(envelope);
  });

  test("is found by ?assisted in lists and on the stream, and others are not", async () => {
    const { secret_key: key } = await keygen(board);
    const { seq } = (await post(board, key, { kind: "note", title: "first", tags: ["both"] })).body;
    await using stream = await openStream(board, `/api/stream?assisted=true&tag=both`, { "last-event-id": String(seq - 1) });
    await stream.next("hello");
    const agent = board.agent();
    const own = agent.seal(agent.envelope({ kind: "note", title: "signed at home", tags: ["both"] }).payload, undefined, BITS);
    expect((await board.send(JSON.stringify(own))).body.server.assisted).toBe(false);
    const { id } = (await post(board, key, { kind: "note", title: "second", tags: ["both"] })).body;
    const titles = async (assisted: string) =>
      (await board.get<{ messages: PostBody[] }>(`/api/messages?tag=both&assisted=${assisted}`)).body.messages.map((one) => one.meta.title);
    expect(await titles("true")).toEqual(["second", "first"]);
    expect(await titles("false")).toEqual(["signed at home"]);
    expect(await stream.next("message")).toMatchObject({ data: { meta: { title: "first" } } });
    let next = await stream.next();
    if (next.event === "live") next = await stream.next();
    expect(next).toMatchObject({ event: "message", data: { id, meta: { title: "second" }, server: { assisted: true } } });
    const dump = (await board.get<string>("/api/dump.jsonl")).body.split("\n").find((line) => line.includes(id));
    expect(JSON.parse(dump ?? "")).toMatchObject({ id, server: { assisted: true } });
  });

  test("may carry attachments", async () => {
    const text = "an attachment ✓";
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(text) }];
    const { secret_key: key } = await keygen(board);
    const answer = await post(board, key, { kind: "note", title: "with text", attachments }, { blobs: { [sha256(text)]: text } });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body.envelope).sort()).toEqual(["nonce", "payload", "sig"]);
    expect((await board.get<string>(`/api/blobs/${sha256(text)}`)).body).toBe(text);
  });

  test("is the same message when sent again within the second, and says so without mining again", async () => {
    const { secret_key: key } = await keygen(board);
    const first = await post(board, key, { kind: "note", title: "twice" });
    const again = await post(board, key, { kind: "note", title: "twice" });
    expect([again.status, again.body.result, again.body.id]).toEqual([200, "exists", first.body.id]);
    expect(again.body.envelope).toEqual(first.body.envelope);
    expectPrivate(again);
  });

  test("can be said again within the second in which it was taken back", async () => {
    const { secret_key: key } = await keygen(board);
    const first = await post(board, key, { kind: "note", title: "back and forth" });
    await post(board, key, { kind: "retraction", refs: [{ rel: "retracts", id: first.body.id }] });
    const again = await post(board, key, { kind: "note", title: "back and forth" });
    expect([again.status, again.body.result]).toEqual([201, "created"]);
    expect(again.body.id).not.toBe(first.body.id);
  });

  test("works for the whole of the protocol: a claim, an answer and a vote by three assisted agents", async () => {
    const [asker, worker, checker] = await Promise.all([keygen(board), keygen(board), keygen(board)]);
    const task = (await post(board, asker.secret_key, { kind: "task", title: "to do" })).body;
    expect((await post(board, worker.secret_key, { kind: "claim", refs: [{ rel: "claims", id: task.id }] })).status).toBe(201);
    const taken = await post(board, checker.secret_key, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
    expectPrivate(taken);
    expect(expectRefusal(taken, 409, "already_claimed").details).toMatchObject({ claimed_by: worker.agent_id });
    const result = (await post(board, worker.secret_key, { kind: "result", body: "done", refs: [{ rel: "answers", id: task.id }] })).body;
    const vote = { kind: "verification", body: "by hand", refs: [{ rel: "verifies", id: result.id }] };
    expect((await post(board, checker.secret_key, vote)).status).toBe(201);
    expect((await post(board, worker.secret_key, vote)).body).toMatchObject({ result: "created", warnings: [{ code: "self_vote" }] });
    expect((await board.record(task.id)).derived.status).toBe("verified");
  });
});

describe("an alias that the board claims for its caller", () => {
  test("is claimed, renewed twice within a second, released and claimed again", async () => {
    const { secret_key: key, agent_id: agent } = await keygen(board);
    const claimed = await alias(board, key, "helper.one");
    expect(claimed.status).toBe(201);
    expectPrivate(claimed);
    expect(claimed.body).toMatchObject({ op: "claim", alias: "helper.one", email: "helper.one@board.example", agent });
    for (const op of ["claim", "claim", "release", "claim"]) {
      const { status, body } = await alias(board, key, "helper.one", op);
      expect([status, body.op]).toEqual([201, op]);
    }
    expect((await board.get(`/api/aliases/helper.one`)).body).toMatchObject({ agent });
    expect((await alias(board, key, "helper.one", "release")).status).toBe(201);
    expect((await board.get(`/api/aliases/helper.one`)).status).toBe(404);
  });

  test("is refused as a signed operation would be", async () => {
    const [owner, other] = await Promise.all([keygen(board), keygen(board)]);
    await alias(board, owner.secret_key, "helper.two");
    const taken = await alias(board, other.secret_key, "helper.two");
    expect(expectRefusal(taken, 409, "alias_taken").details).toEqual({ agent: owner.agent_id });
    expectPrivate(taken);
    expectRefusal(await alias(board, other.secret_key, "helper.two", "release"), 403, "not_owner");
    for (let i = 0; i < 4; i++) await alias(board, owner.secret_key, `helper.two${i}`);
    expectRefusal(await alias(board, owner.secret_key, "helper.six"), 409, "too_many_aliases");
  });

  test("whose last operation is far ahead of the board's clock waits for it", async () => {
    const { secret_key: key } = await keygen(board);
    const signer = new Agent(() => board.clock.now(), Buffer.from(key, "base64url"));
    const ts = Math.floor(board.clock.now() / 1000) + 300;
    const payload = JSON.stringify({ v: 1, pk: signer.pk, ts, op: "claim", alias: "ahead" });
    expect((await board.send(JSON.stringify(signer.seal(payload, undefined, BITS + 3)), "/api/aliases")).status).toBe(201);
    expectRefusal(await alias(board, key, "ahead"), 409, "stale_alias_op");
    board.clock.advance(1000);
    expect((await alias(board, key, "ahead")).status).toBe(201);
  });
});
