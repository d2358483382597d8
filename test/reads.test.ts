// What readers are promised: records, vocabulary, clock, work and attachments, and an error object whatever they ask for.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ERRORS } from "../src/core/errors.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../src/core/spans.ts";
import type { MessageRecord } from "../src/core/view/record.ts";
import { type Agent, sha256 } from "./support/agent.ts";
import { type PostBody, TestBoard } from "./support/board.ts";
import { type Beside, openBeside, plantRemoved } from "./support/database.ts";
import { head, rawRequest } from "./support/raw-request.ts";
import { expectRefusal } from "./support/refusal.ts";

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

describe("a reader who cannot get a message learns why", () => {
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
  test("404 once a message has been gone for more than 30 days, also on a board where nothing else happens", async () => {
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

describe("a caller with a wrong parameter is shown the right one", () => {
  test.each([
    [`/api/changes?afetr=1`, "after"],
    [`/api/changes?lim=1`, "limit"],
    [`/api/changes?Include=raw`, "include"],
  ])("%s", async (path, near) => {
    const error = expectRefusal(await board.get(path), 400, "unknown_parameter");
    expect(error.hint).toContain(`\`${near}\``);
  });
  test("names what there is where nothing is near, and says so where there is nothing", async () => {
    const far = expectRefusal(await board.get("/api/changes?something_else=1"), 400, "unknown_parameter");
    expect(far.details).toEqual({ parameter: "something_else", known: ["after", "limit", "include"] });
    expect(far.hint).toContain("details.known");
    const none = expectRefusal(await board.get("/api/time?zone=utc"), 400, "unknown_parameter");
    expect(none.hint).toContain("no parameters");
  });
  test.each(["zz", "foo", "x", "abc", "colour"])("does not guess where little was kept of a name: %s", async (name) => {
    const error = expectRefusal(await board.get(`/api/messages?${name}=1`), 400, "unknown_parameter");
    expect(error.hint).not.toContain("Did you mean");
    expect(error.hint.length).toBeLessThan(80);
    expect(error.details?.["known"]).toContain("tag");
  });
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
    ["athor", "author"],
  ])("what other services call %s is here %s", async (names, meant) => {
    for (const name of names.split(" ")) {
      const error = expectRefusal(await board.get(`/api/messages?${name}=1`), 400, "unknown_parameter");
      expect(error.hint).toBe(`Did you mean \`${meant}\`?`);
    }
  });
  test("a synonym is only offered where it exists", async () => {
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
  test("future_cursor tells where the log ends", async () => {
    const error = expectRefusal(await board.get("/api/changes?after=1000000"), 400, "future_cursor");
    expect(error.details).toEqual({ latest_seq: (await board.get("/api/changes")).body["latest_seq"] });
  });
});

describe("a caller at a wrong address or with a wrong method is shown the way", () => {
  test.each([
    ["/api/messages/", "/api/messages"],
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
    expect(error.hint).toBe(`Did you mean ${meant}? Addresses are listed in /openapi.json.`);
  });
  test.each(["/wp-login.php", "/api/nothing", `/${"a".repeat(3000)}`, "/a/b/c/d/e/f/g/h/i/j"])(
    "nothing is guessed for %s",
    async (path) => {
      expect(expectRefusal(await board.get(path), 404, "not_found").hint).toBe("Addresses are listed in /openapi.json.");
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

test("a poller whose seq is beyond the newest entry learns that the board began anew, also while it waits", async () => {
  const latest = (await board.get("/api/changes")).body["latest_seq"] as number;
  expect((await board.get(`/api/messages?after_seq=${latest}`)).body).toMatchObject({ messages: [], latest_seq: latest });
  for (const wait of ["", "&wait=0", "&wait=30", "&q=word&wait=30"]) {
    const error = expectRefusal(await board.get(`/api/messages?after_seq=${latest + 1}${wait}`), 400, "future_cursor");
    expect(error.details).toEqual({ latest_seq: latest });
    expect(error.message).toContain("after_seq");
  }
});

describe("whatever is asked, the answer is the error object", () => {
  test.each([
    "/api",
    "/api/",
    "/api/nothing",
    "/api/messages/",
    "/api/messages/a/b/c",
    "/favicon.ico",
    "//api/time",
    "/api/time/",
    "/API/TIME",
  ])("404 at %s", async (path) => {
    expectRefusal(await rawRequest(board.url, head(`GET ${path}`)), 404, "not_found");
  });
  test.each([
    ["DELETE", "/api/messages/12345678", "GET, HEAD"],
    ["PUT", "/api/time", "GET, HEAD"],
    ["PATCH", "/api/kinds", "GET, HEAD"],
    ["POST", "/api/pow", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
    ["POST", "/metrics", "GET, HEAD"],
    ["PROPFIND", "/api/time", "GET, HEAD"],
    ["TRACE", "/api/time", "GET, HEAD"],
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
    expectRefusal(await rawRequest(board.url, head(`GET /${"a".repeat(100_000)}`)), 431, "too_large");
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
  test("HTTP/1.1 without a Host, and what is odd but harmless", async () => {
    expectRefusal(await rawRequest(board.url, "GET /api/time HTTP/1.1\r\nconnection: close\r\n\r\n"), 400, "invalid_parameter");
    expectRefusal(await rawRequest(board.url, head("OPTIONS *")), 404, "not_found");
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

describe("browsers and probes", () => {
  test.each(["/api/time", "/api/kinds", "/healthz"])("HEAD %s answers like GET without a body", async (path) => {
    const get = await fetch(board.url + path);
    const seen = await fetch(board.url + path, { method: "HEAD" });
    expect(seen.status).toBe(200);
    expect(seen.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(await seen.text()).toBe("");
  });
  test("HEAD of what is not there is 404", async () => {
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
  test("/metrics is absent where it is switched off", async () => {
    await using off = await TestBoard.start({ flags: ["--metrics", "off"] });
    expectRefusal(await off.get("/metrics"), 404, "not_found");
  });
});
