// The assisted path refuses a message that cannot be posted before any work is spent on it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/core/errors.ts";
import { Agent, sha256 } from "../support/agent.ts";
import { alias, ask, ENDLESS, expectPrivate, post } from "../support/assist.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside, plantAgent } from "../support/database.ts";
import { emptyDirectory } from "../support/process.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("a message that cannot be posted is refused before any work is spent on it", () => {
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
    ["a kind without what it needs", { kind: "profile", title: "x" }, 400, "kind_requirements"],
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

  test.each(["message", "alias", "blobs"])("a secret that also occurs in %s would become public", async (place) => {
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
