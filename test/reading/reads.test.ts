// What readers are promised: records, vocabulary, clock, work and attachments, also to browsers and probes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ERRORS } from "../../src/core/errors.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { type Agent, sha256 } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { type Beside, openBeside, plantRemoved } from "../support/database.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
let db: Beside;
let agent: Agent;
let note: PostBody;
const BODY = "first line\n" + "ü".repeat(400);

beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--base-url", "https://board.example"] });
  db = openBeside(board.data);
  agent = board.agent();
  note = await board.put(agent, { kind: "note", title: "Hello", body: BODY, data: { a: 1 }, tags: ["x"], lang: "de" });
});
afterAll(async () => {
  db.close();
  await board[Symbol.asyncDispose]();
});

describe("a reader finds one message", () => {
  test("by its id, with body and data and all that is promised of a record", async () => {
    const { status, body } = await board.get<MessageRecord>(`/api/messages/${note.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: note.id,
      seq: note.seq,
      url: `https://board.example/m/${note.id}`,
      server: { sig_valid: true, assisted: false, expires_in_s: 7 * 86_400, author: { id: agent.id, messages: 1 } },
      meta: { kind: "note", title: "Hello", tags: ["x"], lang: "de" },
      content: { untrusted: true, chars: 411, has_data: true, body: BODY, data: { a: 1 } },
      derived: { display_title: "Hello", root: note.id, is_root: true, verifies: 0, refutes: 0, status: "open", signals: {} },
    });
    for (const time of [body.server.received_at, body.server.expires_at, body.server.author.first_seen, body.meta.created_at])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).not.toHaveProperty("raw");
    expect(body.content).not.toHaveProperty("preview");
    for (const hidden of ["v", "pk", "ts", "body", "data"]) expect(body.meta).not.toHaveProperty(hidden);
  });
  test.each([8, 9, 40, 63])("by the first %d characters of its id", async (length) => {
    expect((await board.record(note.id.slice(0, length))).id).toBe(note.id);
  });
  test.each([
    ["", []],
    ["body", ["body"]],
    ["data", ["data"]],
    ["preview", ["preview"]],
    ["raw", ["raw"]],
    ["body,raw", ["body", "raw"]],
    ["raw,data,preview,body", ["body", "data", "preview", "raw"]],
  ])("with include=%s and nothing else of its content", async (include, parts) => {
    const { body } = await board.get<MessageRecord>(`/api/messages/${note.id}?include=${include}`);
    const shown = ["body", "data", "preview"].filter((name) => name in body.content);
    expect([...shown, ...("raw" in body ? ["raw"] : [])]).toEqual(parts);
    if (parts.includes("preview")) expect(body.content.preview).toBe(`first line\n${"ü".repeat(269)}`);
  });
  test("and learns which values include takes", async () => {
    const error = expectRefusal(await board.get(`/api/messages/${note.id}?include=bodies`), 400, "invalid_parameter");
    expect(error.message).toMatch(/include.*body.*raw/);
  });
});

describe("a reader that cannot get a message learns why", () => {
  test.each(["f".repeat(64), "f".repeat(8), "abc", "ABCDEF01", "zzzzzzzz", "f".repeat(65), "f".repeat(300), "%00", "..%2f..%2fetc"])(
    "404 not_found: /api/messages/%s",
    async (id) => {
      expectRefusal(await board.get(`/api/messages/${id}`), 404, "not_found");
    },
  );
  test("404 ambiguous_id with up to five candidates", async () => {
    const row = db.prepare("SELECT * FROM messages WHERE id = ?").get(note.id);
    if (row === undefined) throw new Error("The note is not in the database.");
    const columns = Object.keys(row).map((name) => `"${name}"`);
    const insert = db.prepare(`INSERT INTO messages (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`);
    const twins = ["a", "b", "c", "d", "e", "f"].filter((end) => !note.id.endsWith(end));
    for (const [i, end] of twins.entries()) insert.run(...Object.values({ ...row, seq: 1000 + i, id: note.id.slice(0, -1) + end }));
    const error = expectRefusal(await board.get(`/api/messages/${note.id.slice(0, 20)}`), 404, "ambiguous_id");
    const candidates = error.details?.["candidates"] as string[];
    expect(candidates).toHaveLength(5);
    for (const one of candidates) expect(one.slice(0, 20)).toBe(note.id.slice(0, 20));
    db.prepare("DELETE FROM messages WHERE seq >= 1000").run();
  });
  test("410 expired, from the very millisecond and for 30 days", async () => {
    const short = await board.put(agent, { kind: "note", body: "short", ttl: 60 });
    board.clock.advance(59_999);
    expect((await board.get(`/api/messages/${short.id}`)).status).toBe(200);
    board.clock.advance(1);
    const at = short.server.expires_at;
    expect(expectRefusal(await board.get(`/api/messages/${short.id}`), 410, "expired").details).toEqual({ at });
    await board.put(agent, { kind: "note", body: "sweeps" });
    expect(expectRefusal(await board.get(`/api/messages/${short.id.slice(0, 12)}`), 410, "expired").details).toEqual({ at });
  });
  test("410 retracted and 410 removed, with the operator's statement", async () => {
    const mine = await board.put(agent, { kind: "note", body: "mistake" });
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: mine.id }] });
    const now = new Date(board.clock.now()).toISOString();
    expect(expectRefusal(await board.get(`/api/messages/${mine.id}`), 410, "retracted").details).toEqual({ at: now });
    plantRemoved(db, "a".repeat(64), board.clock.now(), '{"category":"illegal"}');
    const removed = expectRefusal(await board.get(`/api/messages/${"a".repeat(64)}`), 410, "removed");
    expect(removed.details).toEqual({ at: now, statement: { category: "illegal" } });
  });
  test("404 when a message ended more than 30 days ago, also on a board without other activity", async () => {
    await using quiet = await TestBoard.start();
    const short = await quiet.put(quiet.agent(), { kind: "note", body: "short", ttl: 60 });
    quiet.clock.advance(MINUTE_MS + 30 * DAY_MS - 1);
    expectRefusal(await quiet.get(`/api/messages/${short.id}`), 410, "expired");
    quiet.clock.advance(2);
    expectRefusal(await quiet.get(`/api/messages/${short.id}`), 404, "not_found");
    expectRefusal(await quiet.get(`/api/messages/${short.id.slice(0, 12)}`), 404, "not_found");
  });
});

describe("an agent that has only the board to learn from", () => {
  interface Kinds {
    readonly kinds: { name: string; workable: boolean; requires: string; meaning: string; example: Record<string, unknown> }[];
    readonly rels: { name: string; thread: boolean; target: string; meaning: string }[];
    readonly signals: { name: string; meaning: string }[];
    readonly statuses: { name: string; meaning: string }[];
    readonly report_categories: string[];
    readonly errors: { code: string; status: number; meaning: string }[];
    readonly limits: Record<string, unknown>;
  }
  const kinds = async () => (await board.get<Kinds>("/api/kinds")).body;

  test("finds every kind, rel, signal, status and report category with its meaning", async () => {
    const { kinds: all, rels, signals, statuses, report_categories: categories } = await kinds();
    expect(all.map((one) => one.name).sort()).toEqual(
      // oxfmt-ignore
      [ "answer", "claim", "email", "finding", "note", "offer", "profile", "question", "result", "retraction", "signal", "subtask", "summary", "task",
        "verification", "x-example" ],
    );
    expect(all.filter((one) => one.workable).map((one) => one.name)).toEqual(["task", "question", "subtask"]);
    expect(rels.map((one) => one.name).sort()).toEqual(
      // oxfmt-ignore
      [ "answers", "builds_on", "cites", "claims", "duplicates", "on", "refutes", "reply", "retracts", "subtask_of", "summarizes", "supersedes",
        "verifies" ],
    );
    expect(signals.map((one) => one.name)).toEqual(["useful", "duplicate", "stale", "wrong-tags", "unclear", "spam", "resolved"]);
    expect(statuses.map((one) => one.name)).toEqual(["open", "claimed", "answered", "disputed", "verified", "resolved"]);
    expect(categories).toHaveLength(11);
    for (const one of [...all, ...rels, ...signals, ...statuses]) expect(one.meaning.length, one.name).toBeGreaterThan(5);
    for (const one of all) expect(one.requires.length, one.name).toBeGreaterThan(3);
    for (const one of rels) expect(typeof one.thread, one.name).toBe("boolean");
  });
  test("finds every error code with status and meaning", async () => {
    const { errors } = await kinds();
    expect(errors.map((one) => one.code).sort()).toEqual(Object.keys(ERRORS).sort());
    for (const { code, status, meaning } of errors) {
      expect(status, code).toBeGreaterThanOrEqual(400);
      expect(meaning.length, code).toBeGreaterThan(10);
    }
  });
  test("finds the limits in force", async () => {
    const { limits } = await kinds();
    expect(limits).toMatchObject({
      request_bytes: 1_048_576,
      payload_bytes: 524_288,
      attachment_bytes: 131_072,
      title_chars: 200,
      body_chars: 32_768,
      tags: 12,
      refs: 16,
      attachments: 4,
      data_depth: 16,
      ttl_max_s: 604_800,
      changes_limit: 1000,
    });
    expect(limits["rates"]).toContainEqual({ scope: "agent_writes", per: "agent", burst: 20, then_every_s: 3 });
  });
  test("can post each example once its refs point at something", async () => {
    const { kinds: all } = await kinds();
    const task = await board.put(agent, { kind: "task", title: "to point at" });
    const own = board.agent();
    const mine = await board.put(own, { kind: "note", body: "to retract" });
    for (const { name, example } of all) {
      if (name === "email") continue;
      const refs = (example["refs"] as { rel: string }[] | undefined)?.map(({ rel }) => ({
        rel,
        id: rel === "retracts" ? mine.id : task.id,
      }));
      const payload = { ...example, pk: own.pk, ...(refs === undefined ? {} : { refs }) };
      const answer = await board.send(JSON.stringify(own.seal(JSON.stringify(payload))), "/api/messages?dry_run=1");
      expect({ name, ...answer.body }).toMatchObject({ name, result: "valid" });
    }
  });
  test("can check the worked example of proof of work", async () => {
    const { body } = await board.get<Record<string, unknown> & { example: Record<string, string> & { bits: number } }>("/api/pow");
    expect(body).toMatchObject({
      algorithm: "sha256-leading-zero-bits",
      input: "<id>:<nonce>",
      id: "hex(sha256(utf8(payload)))",
      required_bits: 4,
      alias_bits: 7,
      ack_bits: 0,
      min_bits: 4,
      max_bits: 24,
      quote_valid_s: 600,
      nonce_pattern: "^[!-~]{1,64}$",
    });
    const { payload = "", id, nonce, hash, bits } = body.example;
    expect(sha256(payload)).toBe(id);
    expect(sha256(`${id}:${nonce}`)).toBe(hash);
    expect(256 - BigInt(`0x${hash}`).toString(2).length).toBe(bits);
    expect(nonce).toMatch(new RegExp(String(body["nonce_pattern"])));
  });
  test("can set its clock by the board's", async () => {
    const now = board.clock.now();
    const unix = Math.floor(now / 1000);
    expect((await board.get("/api/time")).body).toEqual({
      now: new Date(now).toISOString(),
      unix,
      unix_ms: now,
      accept_ts: { min: unix - 3600, max: unix + 300 },
    });
  });
});

describe("an attachment", () => {
  const text = "<script>alert(1)</script>\r\nZeile zwei: ü 🌍\n";
  const item = { sha256: sha256(text), name: "a.html", mime: "text/html", size: Buffer.byteLength(text) };
  test("is served byte for byte, as text that no browser runs, for a day", async () => {
    await board.put(agent, { kind: "note", body: "with attachment", attachments: [item] }, { [item.sha256]: text });
    const response = await fetch(`${board.url}/api/blobs/${item.sha256}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(text);
    board.clock.advance(24 * HOUR_MS - 1);
    expect((await board.get(`/api/blobs/${item.sha256}`)).status).toBe(200);
    board.clock.advance(1);
    expectRefusal(await board.get(`/api/blobs/${item.sha256}`), 404, "blob_unknown");
  });
  test.each(["f".repeat(64), "F".repeat(64), "abc", "f".repeat(65)])("that is not there is 404: %s", async (hash) => {
    expectRefusal(await board.get(`/api/blobs/${hash}`), 404, "blob_unknown");
  });
});

describe("browsers and probes", () => {
  test.each(["/api/time", "/api/kinds", "/healthz"])("HEAD %s answers like GET without a body", async (path) => {
    const get = await fetch(board.url + path);
    const seen = await fetch(board.url + path, { method: "HEAD" });
    expect(seen.status).toBe(200);
    expect(seen.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(await seen.text()).toBe("");
  });
  test("HEAD of an unknown address is 404", async () => {
    expect((await fetch(`${board.url}/api/messages/${"f".repeat(64)}`, { method: "HEAD" })).status).toBe(404);
  });
  test("a page of any origin may read, and may post after asking", async () => {
    const read = await fetch(`${board.url}/api/time`, { headers: { origin: "https://elsewhere.example" } });
    expect(read.headers.get("access-control-allow-origin")).toBe("*");
    const asked = await fetch(`${board.url}/api/messages`, {
      method: "OPTIONS",
      headers: {
        origin: "https://elsewhere.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe("*");
    expect(asked.headers.get("access-control-allow-methods")).toContain("POST");
    expect(asked.headers.get("access-control-allow-headers")).toContain("content-type");
    const refused = await board.send("nonsense");
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(refused.headers.get("access-control-expose-headers")).toMatch(/retry-after/i);
  });
  test("/healthz and /metrics speak of the board", async () => {
    expect(await board.get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    const metrics = await board.get<string>("/metrics");
    expect(metrics.headers.get("content-type")).toContain("text/plain");
    expect(metrics.body).toMatch(/^blackboard_log_seq \d+$/m);
  });
  test("/metrics is absent if it is switched off", async () => {
    await using off = await TestBoard.start({ flags: ["--metrics", "off"] });
    expectRefusal(await off.get("/metrics"), 404, "not_found");
  });
});
