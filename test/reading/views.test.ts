// The views of a message: its fields, tombstones, validators, and caches that never show anything outdated.
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { type Agent, sha256 } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { copyBoard } from "../support/copies.ts";
import { BusyBoard } from "../support/busy-board.ts";
import { openBeside, plantRemoved } from "../support/database.ts";
import { allPages, page } from "../support/listing.ts";
import { Random, SEED, tries } from "../support/random.ts";
import { expectRefusal } from "../support/refusal.ts";

const BODY = `first line\n${"ü".repeat(300)} end`;

describe("a reader chooses what comes along", () => {
  let board: TestBoard;
  let agent: Agent;
  let full: PostBody;
  let bare: PostBody;
  const text = "attached";
  beforeAll(async () => {
    board = await TestBoard.start({ flags: ["--base-url", "https://board.example"] });
    agent = board.agent();
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length }];
    const fields = {
      title: "Full",
      body: BODY,
      data: { a: { Deep1: [1, 2] }, __x: "y" },
      tags: ["t"],
      attachments,
      lang: "de",
      ttl: "1h",
      confidence: 0.5,
    };
    full = await board.put(agent, { kind: "note", ...fields }, { [sha256(text)]: text });
    bare = await board.put(agent, { kind: "x-bare" });
  });
  afterAll(() => board[Symbol.asyncDispose]());

  const listed = async (query: string) => (await page(board, `/api/messages?tag=t${query}`)).messages[0];
  const parts = (shown: MessageRecord | undefined) => [
    ...["preview", "body", "data"].filter((name) => name in (shown?.content ?? {})),
    ...(shown !== undefined && "raw" in shown ? ["raw"] : []),
  ];

  test.each([
    ["", ["preview"]],
    ["&include=", []],
    ["&include=body", ["body"]],
    ["&include=data", ["data"]],
    ["&include=raw", ["raw"]],
    ["&include=preview,body", ["preview", "body"]],
    ["&include=raw,data,body,preview", ["preview", "body", "data", "raw"]],
  ])("a listing with %s", async (query, expected) => {
    const shown = await listed(query);
    expect(parts(shown)).toEqual(expected);
    expect(shown?.content).toMatchObject({ untrusted: true, chars: 315, has_data: true });
  });
  test.each(["bodies", "body,", "body,,raw", "BODY", "body raw", "*"])("include=%s is refused with the words it takes", async (value) => {
    for (const path of ["/api/messages?", `/api/messages/${full.id}?`, `/api/inbox/${agent.id}?`, `/api/messages/${full.id}/thread?`]) {
      const error = expectRefusal(await board.get(`${path}include=${encodeURIComponent(value)}`), 400, "invalid_parameter");
      expect(error.message).toContain("body, data, preview, raw");
    }
  });
  test("the preview is the first 280 characters, the body all of it, raw the very bytes that were signed", async () => {
    const shown = await listed("&include=preview,body,raw,data");
    expect(shown?.content).toMatchObject({
      preview: Array.from(BODY).slice(0, 280).join(""),
      body: BODY,
      data: { a: { Deep1: [1, 2] }, __x: "y" },
    });
    expect(sha256(shown?.raw?.payload ?? "")).toBe(full.id);
    expect(JSON.parse(shown?.raw?.payload ?? "")).toMatchObject({ v: 1, pk: agent.pk, kind: "note", body: BODY });
  });
  test("meta carries every signed field but those that stand elsewhere, and always tags", async () => {
    expect(Object.keys(full.meta).sort()).toEqual(
      ["attachments", "confidence", "created_at", "kind", "lang", "tags", "title", "ttl"].sort(),
    );
    expect(Object.keys(bare.meta).sort()).toEqual(["created_at", "kind", "tags"].sort());
    expect(bare.meta.tags).toEqual([]);
    expect(bare).toMatchObject({
      derived: { display_title: `x-bare by ${agent.id}` },
      content: { untrusted: true, chars: 0, has_data: false, body: "" },
    });
  });

  test.each([
    ["id", {}],
    ["seq", { seq: true }],
    ["meta.title", { meta: { title: "Full" } }],
    ["meta.title,meta.tags", { meta: { title: "Full", tags: ["t"] } }],
    ["server.author.id", { server: { author: { id: true } } }],
    ["server.author.id,server.author", { server: { author: true } }],
    ["server.author,server.author.id", { server: { author: true } }],
    ["derived.status,url", { derived: { status: "open" }, url: true }],
    ["content.untrusted", { content: { untrusted: true } }],
  ])("fields=%s gives these and the id", async (fields, expected) => {
    const whole = (await listed("")) as unknown as Record<string, unknown>;
    const fill = (shape: unknown, value: unknown): unknown => {
      if (shape === true) return value;
      if (typeof shape !== "object" || shape === null || Array.isArray(shape)) return shape;
      return Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, fill(inner, (value as Record<string, unknown>)[key])]));
    };
    const shown = (await listed(`&fields=${fields}`)) as unknown as Record<string, unknown>;
    const filled = fill(expected, whole) as Record<string, unknown>;
    expect(shown).toEqual({ id: full.id, ...filled });
  });
  test("fields reach into data, whatever its keys are called, and can name whole blocks", async () => {
    expect(await listed("&include=data&fields=content.data.a.Deep1")).toEqual({
      id: full.id,
      content: { untrusted: true, data: { a: { Deep1: [1, 2] } } },
    });
    const blocks = "server,meta,content,derived,raw,seq,url";
    expect(await listed(`&include=body,raw&fields=${blocks}`)).toEqual(await listed("&include=body,raw"));
    expect(await listed("&include=body,%20raw&fields=seq,%20raw.sig")).toEqual(await listed("&include=raw&fields=seq,raw.sig"));
  });
  test("fields alone bring what they name, unless include says otherwise", async () => {
    const whole = await listed("&include=body,data,preview,raw");
    const { body, data, preview } = whole?.content ?? {};
    expect(await listed("&fields=content.body,content.data.a,content.preview,raw")).toEqual({
      id: full.id,
      content: { untrusted: true, body, data: { a: (data as { a: unknown }).a }, preview },
      raw: whole?.raw,
    });
    expect(await listed("&fields=content")).toEqual({ id: full.id, content: (await listed(""))?.content });
    expect(await listed("&include=&fields=content.body,raw")).toEqual({ id: full.id, content: { untrusted: true } });
  });
  test.each([
    ["titel", "the record has no `titel`, only id, seq, url"],
    ["constructor", "the record has no `constructor`"],
    ["meta.title,meta.titel", "`meta` has no `titel`, only kind, title, tags"],
    ["meta.title.length", "`meta.title` has no fields of its own"],
  ])("fields=%s names what there is instead", async (fields, words) => {
    expect(expectRefusal(await board.get(`/api/messages?fields=${fields}`), 400, "invalid_parameter").message).toContain(words);
  });
  test.each(["", ",", "a..b", ".a", "a.", "meta.title,", "a b", "meta.title;drop", "a[0]", "😀", `${"a,".repeat(70)}a`])(
    "fields=%s is refused",
    async (value) => {
      expectRefusal(await board.get(`/api/messages?fields=${encodeURIComponent(value)}`), 400, "invalid_parameter");
    },
  );
});

describe("ended messages", () => {
  test("are shown only on request: superseded ones with their text, withdrawn and removed ones without", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const old = await board.put(agent, { kind: "note", title: "old words", body: "secretold", tags: ["t"] });
    board.clock.advance(1000);
    const fresh = await board.put(agent, { kind: "note", title: "new words", tags: ["t"], refs: [{ rel: "supersedes", id: old.id }] });
    const at = new Date(board.clock.now()).toISOString();
    const slip = await board.put(agent, {
      kind: "note",
      title: "secretslip",
      body: "secretbody",
      tags: ["secrettag"],
      data: { secret: 1 },
    });
    board.clock.advance(1000);
    const withdrawal = await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: slip.id }] });
    const db = openBeside(board.data);
    plantRemoved(db, "b".repeat(64), board.clock.now(), '{"ground":"illegal_content","facts":"was a scam"}');
    db.close();

    const ids = async (query: string) => (await page(board, `/api/messages?sort=old${query}`)).messages.map((one) => one.id);
    expect(await ids("")).toEqual([fresh.id, withdrawal.id]);
    expect(await ids("&include_superseded=false&include_removed=0")).toEqual([fresh.id, withdrawal.id]);
    expect(await ids("&include_superseded=true")).toEqual([old.id, fresh.id, withdrawal.id]);
    expect(await ids("&include_removed=1")).toEqual(["b".repeat(64), fresh.id, slip.id, withdrawal.id]);
    expect(await ids("&include_removed=1&include_superseded=1")).toEqual(["b".repeat(64), old.id, fresh.id, slip.id, withdrawal.id]);
    // Tombstones can be filtered by the fields they still have, and not by others.
    expect(await ids("&include_removed=1&tag=secrettag")).toEqual([]);
    expect(await ids(`&include_removed=1&ref=${slip.id}`)).toEqual([withdrawal.id]);
    expect(await ids("&include_removed=1&tag_not=secrettag,t")).toEqual(["b".repeat(64), slip.id, withdrawal.id]);
    expect(await ids(`&include_removed=1&author=${agent.id}&kind=note`)).toEqual([fresh.id, slip.id]);
    expect(await ids("&include_removed=1&q=secretslip")).toEqual([]);

    const wide = await page(board, "/api/messages?sort=old&include_removed=1&include_superseded=1&include=body,data,raw,preview");
    const [removed, superseded, , retracted] = wide.messages;
    expect(superseded?.server).toMatchObject({ gone: { reason: "superseded", at } });
    expect(superseded?.derived.superseded_by).toBe(fresh.id);
    expect(superseded?.content.body).toBe("secretold");
    expect(retracted).toEqual({
      id: slip.id,
      seq: slip.seq,
      url: slip.url,
      server: { received_at: at, author: { id: agent.id }, gone: { reason: "retracted", at: new Date(board.clock.now()).toISOString() } },
      meta: { kind: "note", tags: [] },
      content: { untrusted: true },
      derived: { root: slip.id, is_root: true },
    });
    expect(removed?.server).toMatchObject({ gone: { reason: "removed", statement: { ground: "illegal_content", facts: "was a scam" } } });
    expect(JSON.stringify(wide.messages.filter((one) => one.id !== old.id))).not.toContain("secret");
    const projected = await page(board, "/api/messages?sort=old&include_removed=1&fields=server.gone.reason,meta.title");
    expect(projected.messages.map((one) => (one.server as { gone?: { reason: string } } | undefined)?.gone?.reason)).toEqual([
      "removed",
      undefined,
      "retracted",
      undefined,
    ]);
  });
});

describe("a reader that already has the answer", () => {
  let board: TestBoard;
  let agent: Agent;
  beforeAll(async () => {
    board = await TestBoard.start();
    agent = board.agent();
  });
  afterAll(() => board[Symbol.asyncDispose]());
  const ask = async (path: string, tag?: string) => board.get(path, tag === undefined ? {} : { headers: { "if-none-match": tag } });
  const tagOf = async (path: string) => {
    const { headers } = await ask(path);
    const tag = headers.get("etag");
    if (tag === null) throw new Error(`${path} has no validator.`);
    return tag;
  };

  test("need not get it again until the board moves, on every listing and on a message", async () => {
    const one = await board.put(agent, { kind: "task", title: "a task to find", to: agent.id });
    const paths = ["/api/messages", "/api/work", `/api/inbox/${agent.id}`, "/api/similar?text=task", `/api/messages/${one.id}`];
    for (const path of [...paths, `/api/messages/${one.id}/thread`, "/api/messages?q=task", "/api/messages?format=md"]) {
      const tag = await tagOf(path);
      expect((await ask(path, tag)).status, path).toBe(304);
      expect((await ask(path, `"other", ${tag}`)).status, path).toBe(304);
      expect((await ask(path, tag.replace("W/", ""))).status, path).toBe(304);
      expect((await ask(path, "*")).status, path).toBe(304);
      await board.put(agent, { kind: "note", title: `moves ${path}` });
      expect((await ask(path, tag)).status, path).toBe(200);
    }
    expect(await tagOf("/api/messages")).not.toBe(await tagOf("/api/messages?limit=2"));
  });
  test("learns that a message has ended or its lease is over, though nobody asked in between", async () => {
    const task = await board.put(agent, { kind: "task", title: "short", ttl: "1h" });
    await board.put(board.agent(), { kind: "claim", lease: 60, refs: [{ rel: "claims", id: task.id }] });
    const path = `/api/messages/${task.id}`;
    const claimed = await tagOf(path);
    board.clock.advance(MINUTE_MS);
    const free = await ask(path, claimed);
    expect(free).toMatchObject({ status: 200, body: { derived: { status: "open", claimed_by: null } } });
    const tag = await tagOf(path);
    board.clock.advance(HOUR_MS);
    expectRefusal(await ask(path, tag), 410, "expired");
    expectRefusal(await ask(path, tag), 410, "expired");
  });
  test("by time gets a new answer as time passes, however the parameter is spelled", async () => {
    for (const path of [
      "/api/messages?since=1h",
      "/api/messages?%73ince=1h",
      "/api/expiring?within=2h",
      "/api/messages?min_author_age=5s",
    ]) {
      const tag = await tagOf(path);
      expect((await ask(path, tag)).status).toBe(304);
      board.clock.advance(1000);
      expect((await ask(path, tag)).status, path).toBe(200);
    }
  });
  test("gets a refusal in full every time", async () => {
    for (const path of ["/api/messages?cursor=x", `/api/messages/${"f".repeat(64)}`]) {
      const { status, headers } = await ask(path);
      expect(headers.get("etag")).toBeNull();
      for (const guessed of [await tagOf("/api/messages"), "*"]) expect((await ask(path, guessed)).status).toBe(status);
    }
  });
  test("of a read-only board still sees messages end", async () => {
    const first = await TestBoard.start();
    const short = await first.put(first.agent(), { kind: "note", title: "short", ttl: 60 });
    await first.stop();
    await using still = await TestBoard.start({ data: first.data, clock: first.clock, flags: ["--read-only", "on"] });
    const { headers, body } = await still.get<{ messages: unknown[] }>("/api/messages");
    expect(body.messages).toHaveLength(1);
    still.clock.advance(MINUTE_MS);
    const again = await still.get<{ messages: unknown[] }>("/api/messages", { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect([again.status, again.body.messages]).toEqual([200, []]);
    expectRefusal(await still.get(`/api/messages/${short.id}`), 410, "expired");
  });
});

describe("cached answers are what the board knows", () => {
  test(`after every kind of act, as a board that has just started would show it (SEED=${SEED})`, async () => {
    const random = new Random(SEED);
    await using board = await TestBoard.start();
    const busy = new BusyBoard(board, random, 4);
    // Caches are filled before the acts and read after them; a board that starts on a copy of the files has empty ones.
    const everything = async (on: TestBoard) => {
      const wide = { include: "body,data,raw,preview", limit: "200", include_superseded: "true", include_removed: "true", sort: "old" };
      const listed = await allPages(on, "/api/messages", wide);
      const single = [];
      for (const { id, server } of listed) if ("expires_at" in server) single.push((await on.get(`/api/messages/${id}`)).body);
      return { listed, single };
    };
    for (let round = 0; round < tries(6, 3); round++) {
      await everything(board);
      for (let i = 0; i < 25; i++) {
        const posted = await busy.act();
        if (posted === undefined) continue;
        // The answer to the post, the message by its id and in a list are the same record, except for fields that only the answer to the
        // post has, and the number of its author's verified messages, which the writer does not know.
        const { result: _result, warnings: _warnings, ...answered } = posted;
        const record = Object.fromEntries(
          Object.entries(answered).filter(([field]) => !["similar", "sig", "nonce", "proof_url"].includes(field)),
        );
        const { verified: _verified, ...author } = (await board.record(posted.id)).server.author;
        expect(await board.record(posted.id)).toEqual({ ...record, server: { ...posted.server, author: expect.objectContaining(author) } });
        expect(posted.server.author).toEqual(author);
        for (const target of posted.meta.refs ?? []) await board.get(`/api/messages/${target.id}`);
      }
      board.clock.advance(random.pick([0, 61_000, 121_000, 700_000]));
      const remembered = await everything(board);
      const data = mkdtempSync(join(tmpdir(), "board-copy-"));
      cpSync(board.data, data, { recursive: true });
      await copyBoard(board.data, data);
      await using fresh = await TestBoard.start({ data, clock: board.clock });
      expect(await everything(fresh)).toEqual(remembered);
    }
  });
});
