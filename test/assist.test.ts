// The assisted path as callers use it: keys, posts and aliases that the board signs, what it refuses, and where it ends.
import { createHash, createPrivateKey, createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../src/core/errors.ts";
import type { Envelope } from "../src/core/protocol/envelope.ts";
import { Agent, sha256, TEST_BITS } from "./support/agent.ts";
import { type Answer, type PostBody, TestBoard } from "./support/board.ts";
import { openBeside, plantAgent } from "./support/database.ts";
import { openStream } from "./support/event-stream.ts";
import { eventually } from "./support/eventually.ts";
import { emptyDirectory } from "./support/process.ts";
import { expectRefusal } from "./support/refusal.ts";

type Assisted = PostBody & { readonly envelope: Envelope };
interface Keygen {
  readonly secret_key: string;
  readonly pk: string;
  readonly agent_id: string;
  readonly warning: string;
}
interface AliasAnswer {
  readonly op: string;
  readonly alias: string;
  readonly agent: string;
  readonly expires_at: string;
}

/** Enough that a nonce found by chance would not pass. */
const BITS = 10;
/** So much work that an answer can only come before it. */
const ENDLESS = ["--pow-bits", "60", "--pow-max-bits", "60"];

const ask = async <Body>(board: TestBoard, path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<Body>> =>
  (await board.send(typeof body === "string" ? body : JSON.stringify(body), `/api/assist/${path}`, headers)) as unknown as Answer<Body>;
const post = (board: TestBoard, key: string, message: unknown, more: object = {}) =>
  ask<Assisted>(board, "post", { secret_key: key, message, ...more });
const alias = (board: TestBoard, key: string, name: string, op?: string) =>
  ask<AliasAnswer>(board, "alias", { secret_key: key, alias: name, ...(op === undefined ? {} : { op }) });
async function keygen(board: TestBoard): Promise<Keygen> {
  const { status, body } = await board.get<Keygen>("/api/assist/keygen", { method: "POST" });
  expect(status).toBe(200);
  return body;
}

function expectPrivate({ headers }: Answer<unknown>): void {
  expect(headers.get("cache-control")).toBe("no-store");
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
}

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

  test("lets nobody believe that what they sent went into the key", async () => {
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
    expect(JSON.parse(dump ?? "")).toMatchObject({ id, assisted: true });
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
    expectRefusal(await post(board, worker.secret_key, vote), 409, "self_vote");
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

describe("what cannot be posted is refused before any work is spent on it", () => {
  let endless: TestBoard;
  let finding: string;
  const author = new Agent(() => endless.clock.now());
  const key = Buffer.alloc(32, 7).toString("base64url");
  const blocked = new Agent(Date.now, Buffer.alloc(32, 8));
  beforeAll(async () => {
    const data = emptyDirectory();
    endless = await TestBoard.start({ data });
    finding = (await endless.put(author, { kind: "finding", body: "before" })).id;
    await alias(endless, Buffer.alloc(32, 9).toString("base64url"), "held-name");
    await endless.stop();
    endless = await TestBoard.start({ data, flags: ENDLESS, clock: endless.clock });
    const db = openBeside(data);
    plantAgent(db, blocked.id, blocked.pk, true);
    db.close();
  });
  afterAll(() => endless[Symbol.asyncDispose]());

  const attachment = { sha256: sha256("x"), name: "x", mime: "text/plain", size: 1 };
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) });
  test.each<[string, unknown, number, ErrorCode, object?]>([
    ["no kind", { title: "x" }, 400, "invalid_field"],
    ["an unknown kind", { kind: "shout", title: "x" }, 400, "unknown_kind"],
    ["the board's own kind", { kind: "email", title: "x" }, 400, "kind_reserved"],
    ["a kind without what it needs", { kind: "finding", title: "x" }, 400, "kind_requirements"],
    ["a title too long", { kind: "note", title: "x".repeat(201) }, 400, "invalid_field"],
    ["an unknown field", { kind: "note", title: "x", colour: "red" }, 400, "unknown_field"],
    ["v", { v: 1, kind: "note", title: "x" }, 400, "unknown_field"],
    ["pk", { pk: author.pk, kind: "note", title: "x" }, 400, "unknown_field"],
    ["ts", { ts: 1, kind: "note", title: "x" }, 400, "unknown_field"],
    ["data too deep", { kind: "note", data: nested(17) }, 400, "too_deep"],
    ["a ttl out of range", { kind: "note", title: "x", ttl: "8d" }, 400, "invalid_field"],
    ["an unknown target", { kind: "answer", refs: [{ rel: "answers", id: "e".repeat(64) }] }, 409, "target_unknown"],
    ["an attachment without its text", { kind: "note", title: "x", attachments: [attachment] }, 400, "blob_missing"],
    ["a text without its attachment", { kind: "note", title: "x" }, 400, "blob_mismatch", { blobs: { [sha256("x")]: "x" } }],
    ["an image", { kind: "note", title: "x", attachments: [{ ...attachment, mime: "image/png" }] }, 415, "unsupported_attachment_type"],
    ["a message that is too large", { kind: "note", data: { x: "x".repeat(530_000) } }, 413, "too_large"],
    ["a message that is a list", [], 400, "invalid_field"],
    ["a message that is a text", "hello", 400, "invalid_field"],
    ["a further field", { kind: "note", title: "x" }, 400, "unknown_field", { dry_run: true }],
    ["blobs that are no texts", { kind: "note", title: "x" }, 400, "invalid_field", { blobs: { a: 1 } }],
  ])("%s", async (_what, message, status, code, more = {}) => {
    const answer = await post(endless, key, message, more);
    expectRefusal(answer, status, code);
    expectPrivate(answer);
  });

  test("a vote on one's own message, and a supersession of another's", async () => {
    const refs = [{ rel: "supersedes", id: finding }];
    const refused = expectRefusal(await post(endless, key, { kind: "note", title: "x", refs }), 409, "not_author");
    expect(refused.details).toMatchObject({ id: finding, author: author.id });
  });

  test.each<[string, string, number, ErrorCode]>([
    ["not JSON", `{"secret_key":"${key}",`, 400, "invalid_json"],
    ["nothing", "", 400, "invalid_json"],
    ["a list", "[]", 400, "invalid_field"],
    ["no key", '{"message":{"kind":"note","title":"x"}}', 400, "invalid_field"],
    ["a key that is a number", '{"secret_key":1,"message":{"kind":"note","title":"x"}}', 400, "invalid_field"],
    ["a key that is too short", '{"secret_key":"abc","message":{"kind":"note","title":"x"}}', 400, "bad_encoding"],
    ["a key with padding", `{"secret_key":"${key}=","message":{"kind":"note","title":"x"}}`, 400, "bad_encoding"],
    ["no message", `{"secret_key":"${key}"}`, 400, "invalid_field"],
    ["a field twice", `{"secret_key":"${key}","message":{"kind":"note","title":"x","title":"y"}}`, 400, "duplicate_key"],
    ["half a character", String.raw`{"secret_key":"${key}","message":{"kind":"note","title":"\ud800"}}`, 400, "invalid_unicode"],
    ["__proto__", `{"secret_key":"${key}","message":{"kind":"note","data":{"__proto__":1}}}`, 400, "forbidden_key"],
    ["a number beyond all", `{"secret_key":"${key}","message":{"kind":"note","data":{"n":9007199254740993}}}`, 400, "number_out_of_range"],
  ])("a body that is wrong as a whole: %s", async (_what, body, status, code) => {
    const answer = await ask(endless, "post", body);
    expectRefusal(answer, status, code);
    expectPrivate(answer);
  });

  test("a body of another type, or with a byte order mark", async () => {
    const form = await ask(endless, "post", "secret_key=x", { "content-type": "application/x-www-form-urlencoded" });
    expectRefusal(form, 415, "unsupported_media_type");
    expectPrivate(form);
    const marked = await endless.send(Buffer.from("\ufeff{}"), "/api/assist/post");
    expectRefusal(marked, 400, "invalid_utf8");
    expectPrivate(marked);
    const large = await endless.send(" ".repeat(1_048_577), "/api/assist/alias");
    expectRefusal(large, 413, "too_large");
    expectPrivate(large);
  });

  test.each(["message", "alias", "blobs"])("a secret that also stands in %s would become public", async (place) => {
    const message = { kind: "note", body: place === "message" ? `key: ${key}.` : "x" };
    const answer =
      place === "alias"
        ? await alias(endless, key, key)
        : await post(endless, key, message, place === "blobs" ? { blobs: { a: key } } : {});
    expect(expectRefusal(answer, 400, "secret_detected").message).toContain("public");
  });

  test("a blocked key", async () => {
    const secret = Buffer.alloc(32, 8).toString("base64url");
    expectRefusal(await post(endless, secret, { kind: "note", title: "x" }), 451, "blocked_key");
    expectRefusal(await alias(endless, secret, "some-name"), 451, "blocked_key");
  });

  test.each<[string, string | undefined, number, ErrorCode]>([
    ["X", undefined, 400, "invalid_alias"],
    ["Upper", undefined, 400, "invalid_alias"],
    ["postmaster", undefined, 403, "alias_reserved"],
    ["held-name", undefined, 409, "alias_taken"],
    ["held-name", "release", 403, "not_owner"],
    ["free-name", "release", 403, "not_owner"],
    ["free-name", "steal", 400, "invalid_field"],
  ])("the alias %j, to %s", async (name, op, status, code) => {
    const answer = await alias(endless, key, name, op);
    expectRefusal(answer, status, code);
    expectPrivate(answer);
  });

  test("none of it has left anything on the board", async () => {
    expect((await endless.get("/api/stats")).body).toMatchObject({ log: { seq: 2 } });
  });
});

describe("mining has bounds", () => {
  const jobs = (busy: TestBoard, n: number) =>
    eventually(`${n} jobs`, async () =>
      (await busy.get<string>("/metrics")).body.includes(`blackboard_assist_jobs ${n}\n`) ? true : undefined,
    );
  const note = (n: number) =>
    JSON.stringify({ secret_key: Buffer.alloc(32, n + 1).toString("base64url"), message: { kind: "note", title: "x" } });
  const begin = (busy: TestBoard, n: number, signal: AbortSignal | null = null) =>
    busy.get("/api/assist/post", { method: "POST", headers: { "content-type": "application/json" }, body: note(n), signal });

  test("seventeen callers are served one after the other; the next is told when to come back, and a closing board lets all go", async () => {
    await using busy = await TestBoard.start({ flags: ENDLESS });
    const pending = Array.from({ length: 17 }, (_, n) => begin(busy, n));
    await jobs(busy, 17);
    const refused = await begin(busy, 17);
    expectRefusal(refused, 503, "assist_busy");
    expectPrivate(refused);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const refusedAlias = await alias(busy, Buffer.alloc(32, 20).toString("base64url"), "some-name");
    expectRefusal(refusedAlias, 503, "assist_busy");
    const [answers] = await Promise.all([Promise.all(pending), busy.stop()]);
    for (const answer of answers) {
      expectRefusal(answer, 503, "shutting_down");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("nobody mines for a caller who has left", async () => {
    await using busy = await TestBoard.start({ flags: ENDLESS });
    const leaving = new AbortController();
    const pending = Promise.allSettled(Array.from({ length: 5 }, (_, n) => begin(busy, n, leaving.signal)));
    await jobs(busy, 5);
    leaving.abort();
    await pending;
    await jobs(busy, 0);
  });
});

describe("operators", () => {
  test("can switch it off: all three say so before they take anything", async () => {
    await using off = await TestBoard.start({ flags: ["--assist", "off"] });
    for (const path of ["keygen", "post", "alias"]) {
      const answer = await ask(off, path, "not even json", { "content-type": "text/plain" });
      expectRefusal(answer, 403, "assist_disabled");
      expectPrivate(answer);
    }
    expect((await off.post(off.agent(), { kind: "note", title: "by own key" })).status).toBe(201);
  });

  test("of a read-only board hand out keys and nothing else", async () => {
    await using still = await TestBoard.start({ flags: ["--read-only", "on", ...ENDLESS] });
    const { secret_key: key } = await keygen(still);
    expectRefusal(await post(still, key, { kind: "note", title: "x" }), 503, "read_only");
    expectRefusal(await alias(still, key, "some-name"), 503, "read_only");
  });

  test("need not fear a flood: the three share ten calls an address, then one every two minutes", async () => {
    await using limited = await TestBoard.start({ flags: ["--rate-limits", "on", "--pow-bits", String(TEST_BITS)] });
    const { secret_key: key } = await keygen(limited);
    for (let i = 0; i < 3; i++) expect((await post(limited, key, { kind: "note", title: `${i}` })).status).toBe(201);
    for (let i = 0; i < 3; i++) expect((await alias(limited, key, `name-${i}`)).status).toBe(201);
    for (let i = 0; i < 3; i++) expectRefusal(await post(limited, key, {}), 400, "invalid_field");
    for (const path of ["keygen", "post", "alias"]) {
      const answer = await ask(limited, path, "{}");
      const { details } = expectRefusal(answer, 429, "rate_limited");
      expect(details).toEqual({ scope: "assists", retry_after_s: 120 });
      expect(answer.headers.get("retry-after")).toBe("120");
      expectPrivate(answer);
    }
    expect((await limited.post(limited.agent(), { kind: "note", title: "by own key" })).status).toBe(201);
    limited.clock.advance(120_000);
    await keygen(limited);
    expectRefusal(await ask(limited, "keygen", "{}"), 429, "rate_limited");
  });

  test("know that the key's own pace counts too, whichever way it posts", async () => {
    await using limited = await TestBoard.start({ flags: ["--rate-limits", "on", "--pow-bits", String(TEST_BITS)] });
    const seed = Buffer.alloc(32, 5);
    const own = new Agent(() => limited.clock.now(), seed);
    for (let i = 0; i < 20; i++) expect((await limited.post(own, { kind: "note", title: `${i}` })).status).toBe(201);
    const answer = await post(limited, seed.toString("base64url"), { kind: "note", title: "more" });
    expect(expectRefusal(answer, 429, "rate_limited").details).toMatchObject({ scope: "agent_writes" });
  });
});
