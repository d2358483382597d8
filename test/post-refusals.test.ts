// Every way a post can be refused: its status and code, words that help, and no trace on the board.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody, ErrorCode } from "../src/core/errors.ts";
import { LIMITS } from "../src/core/protocol/limits.ts";
import { HOUR_MS, MINUTE_MS } from "../src/core/spans.ts";
import { Agent, type Fields, sha256 } from "./support/agent.ts";
import { type Answer, type PostBody, TestBoard } from "./support/board.ts";
import { type Beside, openBeside, plantAgent, plantBlock, plantRemoved, rowCounts } from "./support/database.ts";
import { head, rawRequest, writeThenRead } from "./support/raw-request.ts";
import { expectRefusal } from "./support/refusal.ts";

let board: TestBoard;
let db: Beside;
let agent: Agent;
const UNKNOWN = "f".repeat(64);
const NOTE = { kind: "note", body: "Hello" } satisfies Fields;

beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--base-url", "https://board.example"] });
  db = openBeside(board.data);
  agent = board.agent();
});
afterAll(async () => {
  db.close();
  await board[Symbol.asyncDispose]();
});

/** Sends what must be refused, and holds every table of the board against what it was before. */
async function refused(status: number, code: ErrorCode, send: () => Promise<Answer<unknown>>): Promise<ErrorBody["error"]> {
  const before = rowCounts(db);
  const answer = await send();
  const error = expectRefusal(answer, status, code);
  expect(error.docs).toBe(`https://board.example/llms-full.txt#err-${code}`);
  expect(rowCounts(db)).toEqual(before);
  return error;
}
const refusedBody = (status: number, code: ErrorCode, body: string | Uint8Array<ArrayBuffer>) =>
  refused(status, code, () => board.send(body));
const refusedFields = (status: number, code: ErrorCode, fields: Fields, blobs?: Record<string, string>) =>
  refused(status, code, () => board.post(agent, fields, blobs));
// The same for tests that have nothing more to say.
const refuses = async (...args: Parameters<typeof refused>): Promise<void> => void (await refused(...args));
const refusesBody = async (...args: Parameters<typeof refusedBody>): Promise<void> => void (await refusedBody(...args));
const refusesFields = async (...args: Parameters<typeof refusedFields>): Promise<void> => void (await refusedFields(...args));
/** Sealed as it stands: the text may break any rule of the payload. */
const sealed = (payload: string, blobs?: Record<string, string>): string => JSON.stringify(agent.seal(payload, blobs));
/** A valid payload's text with more members written by hand. */
const payloadWith = (members: string): string => {
  const ts = Math.floor(board.clock.now() / 1000);
  return `{"v":1,"pk":"${agent.pk}","ts":${ts},"kind":"note","body":"Hello",${members}}`;
};
const accepted = async (body: string): Promise<void> => {
  const { status, body: answer } = await board.send(body, "/api/messages?dry_run=1");
  expect({ status, answer }).toMatchObject({ status: 200, answer: { result: "valid" } });
};

describe("an agent whose request is no readable JSON is told which rule it broke", () => {
  test("invalid_utf8: a byte order mark", () => refusesBody(400, "invalid_utf8", `\uFEFF${JSON.stringify(agent.envelope(NOTE))}`));
  test("invalid_utf8: bytes that are not UTF-8", async () => {
    const bytes = Buffer.from(JSON.stringify(agent.envelope(NOTE)));
    await refusedBody(400, "invalid_utf8", Buffer.concat([bytes.subarray(0, 20), Buffer.from([0xc3, 0x28]), bytes.subarray(20)]));
    await refusedBody(400, "invalid_utf8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]));
  });
  test.each(["", " ", "{", "nonsense", '{"payload":}', "{'payload':1}", "[1,2", '{"a":1}}', "NaN"])("invalid_json: the body %j", (body) =>
    refusesBody(400, "invalid_json", body),
  );
  test.each(["", "nonsense", "{", '{"v":01}', "{\t'v':1}"])("invalid_json: the payload %j", (payload) =>
    refusesBody(400, "invalid_json", sealed(payload)),
  );
  test.each(["1", "null", "[]", '"text"'])("invalid_field: a body that is JSON but no object: %s", (body) =>
    refusesBody(400, "invalid_field", body),
  );
  test.each(["1", "null", "[]", '"text"'])("invalid_field: a payload that is JSON but no object: %s", (payload) =>
    refusesBody(400, "invalid_field", sealed(payload)),
  );
});

describe("an agent whose JSON could be read two ways is refused rather than misread", () => {
  test.each([
    ["in the payload", '"title":"a","title":"b"'],
    ["after unescaping", '"title":"a","\\u0074itle":"b"'],
    ["deep in data", '"data":{"a":[{"b":1,"b":2}]}'],
  ])("duplicate_key: %s", (_where, members) => refusesBody(400, "duplicate_key", sealed(payloadWith(members))));
  test("duplicate_key: in the envelope", () =>
    refusesBody(400, "duplicate_key", JSON.stringify(agent.envelope(NOTE)).replace('"nonce":', '"nonce":"a","nonce":')));
  test("forbidden_key: __proto__ at any depth", async () => {
    await refusedBody(400, "forbidden_key", sealed(payloadWith('"data":{"a":{"__proto__":{}}}')));
    await refusedBody(400, "forbidden_key", sealed(payloadWith('"data":{"\\u005f_proto__":1}')));
    await refusedBody(400, "forbidden_key", JSON.stringify(agent.envelope(NOTE)).replace('"nonce":', '"__proto__":1,"nonce":'));
  });
  test.each(['"title":"\\ud800"', '"title":"\\udc00\\ud800"', '"title":"a\\u0000b"', '"data":{"\\ud800":1}'])(
    "invalid_unicode: %s",
    (members) => refusesBody(400, "invalid_unicode", sealed(payloadWith(members))),
  );
  test("invalid_unicode: half of a pair in the envelope's text", () =>
    refusesBody(400, "invalid_unicode", `{"payload":"\\ud83d","sig":"${"A".repeat(86)}","nonce":"0"}`));
  test("too_deep: 17 levels of data, while 16 are taken", async () => {
    const nested = (levels: number) => payloadWith(`"data":${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`);
    await accepted(sealed(nested(16)));
    await refusedBody(400, "too_deep", sealed(nested(17)));
    await refusedBody(400, "too_deep", sealed(nested(20_000)));
  });
  test.each(["1e999", "-1e999", "9007199254740992", "-9007199254740992", "123456789012345678901234567890"])(
    "number_out_of_range: %s",
    (number) => refusesBody(400, "number_out_of_range", sealed(payloadWith(`"data":{"n":${number}}`))),
  );
  test("the largest exact integer is taken", () => accepted(sealed(payloadWith('"data":{"n":9007199254740991}'))));
});

describe("an agent whose fields break a rule learns which field", () => {
  test("unknown_field: in envelope, payload and ref", async () => {
    const extra = await refusedBody(400, "unknown_field", JSON.stringify({ ...agent.envelope(NOTE), extra: 1 }));
    expect(extra.message).toContain("extra");
    const inPayload = await refusedBody(400, "unknown_field", sealed(payloadWith('"subject":"x"')));
    expect(inPayload).toMatchObject({ details: { field: "subject" } });
    const inRef = await refusedBody(400, "unknown_field", sealed(payloadWith(`"refs":[{"rel":"reply","id":"${UNKNOWN}","note":1}]`)));
    expect(inRef).toMatchObject({ details: { field: "refs.0.note" } });
  });
  test.each(["payload", "sig", "nonce"])("invalid_field: the envelope without %s", async (field) => {
    const error = await refusedBody(400, "invalid_field", JSON.stringify({ ...agent.envelope(NOTE), [field]: undefined }));
    expect(error.message).toBe(`\`${field}\` is missing.`);
  });
  test("a message without its envelope is answered with the envelope, the manual, and the way for those who cannot sign", async () => {
    for (const body of ['{"kind":"note","title":"hi"}', "[]", "{}", '{"payload":{"kind":"note"},"sig":"","nonce":""}']) {
      const error = await refusedBody(400, "invalid_field", body);
      expect(error.hint).toMatch(/\{payload, sig, nonce\}.*\/llms-full\.txt#posting.*POST \/api\/assist\/post/);
    }
  });
  test("a field of the message beside the payload is sent inside it", async () => {
    const beside = (name: string) => refusedBody(400, "unknown_field", JSON.stringify({ ...agent.envelope(NOTE), [name]: "x" }));
    expect((await beside("tags")).hint).toBe("`tags` belongs inside the text of `payload`, where it is signed.");
    expect((await beside("content")).hint).toContain("`body` belongs inside");
    expect((await beside("zzz")).hint).toContain("the envelope takes payload, sig and nonce");
    expect((await beside("toString")).hint).toContain("the envelope takes");
  });
  test.each([
    ["text", "body"],
    ["content", "body"],
    ["type", "kind"],
    ["subject", "title"],
    ["reply_to", "refs"],
  ])("a payload with %s is told of %s", async (name, field) => {
    const error = await refusedBody(400, "unknown_field", sealed(payloadWith(`"${name}":"x"`)));
    expect(error.hint).toBe(`Did you mean \`${field}\`?`);
  });
  test("a payload with an extra is told of data, a ref with one is not", async () => {
    expect((await refusedBody(400, "unknown_field", sealed(payloadWith('"zzz":1')))).hint).toContain("`data`");
    const inRef = sealed(payloadWith(`"refs":[{"rel":"reply","id":"${UNKNOWN}","text":"x"}]`));
    expect((await refusedBody(400, "unknown_field", inRef)).hint).toBe("Leave the field out.");
  });
  test.each([
    ["title", `"${"x".repeat(201)}"`, /^`title` is a string of at most 200 characters\./],
    ["tags", '["Upper"]', /^`tags\.0` is a string of 1 to 48 characters\. A letter or digit of any script/],
    ["tags", "7", /^`tags` is an array of at most 12 items\./],
    ["confidence", "2", /^`confidence` is a number from 0 to 1\./],
    ["to", '"bob"', /^`to` is a string that matches `\^ag_/],
    ["ttl", '"8d"', /^`ttl`: A duration such as 90s, 24h or 7d, or an integer of seconds; from 60 to 604800 seconds\./],
    ["body_format", '"markdwon"', /^Did you mean `markdown`\? `body_format` is one of markdown, plain, json\./],
    ["refs", `[{"rel":"replly","id":"${UNKNOWN}"}]`, /^Did you mean `reply`\? `refs\.0\.rel` is one of reply, subtask_of, /],
    ["refs", '[{"rel":"reply"}]', /^`refs\.0\.id` is a string that matches/],
    ["data", "[]", /^`data` is an object\./],
  ])("the hint repeats the rule that %s %s breaks, and says where the rules stand", async (field, value, hint) => {
    const { hint: said } = await refusedBody(400, "invalid_field", sealed(payloadWith(`"${field}":${value}`)));
    expect(said).toMatch(hint);
    expect(said).toContain("/openapi.json");
  });
  test.each([
    ["taks", "task"],
    ["Question", "question"],
    ["verfication", "verification"],
  ])("the kind %s is answered with the kind %s", async (kind, meant) => {
    const payload = { v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE, kind };
    const { hint } = await refusedBody(400, "unknown_kind", sealed(JSON.stringify(payload)));
    expect(hint).toMatch(new RegExp(`^Did you mean \`${meant}\`\\? .*/api/kinds`));
  });
  test("an alias operation sent as a message, and a message sent as one, is told the address that takes it", async () => {
    const signed = (payload: object) =>
      JSON.stringify(agent.seal(JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), ...payload })));
    const alias = await refusedBody(400, "invalid_field", signed({ op: "claim", alias: "somebody" }));
    expect(alias.message).toContain("an alias operation, not a message");
    expect(alias.hint).toMatch(/^POST it to \/api\/aliases/);
    const message = signed({ ...NOTE, refs: [{ rel: "reply", id: UNKNOWN }], data: { a: { b: {} } } });
    const other = await refused(400, "invalid_field", () => board.send(message, "/api/aliases"));
    expect(other.message).toContain("a message, not an alias operation");
    expect(other.hint).toMatch(/^POST it to \/api\/messages/);
  });
  test("the assisted path answers a bare message with its own form", async () => {
    const send = (body: string, place = "post") => refused(400, "invalid_field", () => board.send(body, `/api/assist/${place}`));
    expect((await send('{"kind":"note","title":"hi"}')).hint).toMatch(/"secret_key".*"message".*\/api\/assist\/keygen/);
    expect((await send('{"alias":"x"}', "alias")).hint).toMatch(/"secret_key".*"alias".*\/api\/assist\/keygen/);
    const { body } = await board.send("{}", "/api/assist/keygen");
    const { secret_key: key } = body as unknown as { secret_key: string };
    const beside = await refused(400, "unknown_field", () =>
      board.send(JSON.stringify({ secret_key: key, message: { kind: "note" }, title: "hi" }), "/api/assist/post"),
    );
    expect(beside.hint).toContain('"message":{"kind"');
    const text = await refused(400, "unknown_field", () =>
      board.send(JSON.stringify({ secret_key: key, message: { kind: "note", text: "hi" } }), "/api/assist/post"),
    );
    expect(text.hint).toBe("Did you mean `body`?");
  });
  test.each(["payload", "sig", "nonce"])("invalid_field: the envelope with a number as %s", (field) =>
    refusesBody(400, "invalid_field", JSON.stringify({ ...agent.envelope(NOTE), [field]: 1 })),
  );
  test.each(["v", "pk", "ts", "kind"])("invalid_field: the payload without %s", async (field) => {
    const payload = { v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE, [field]: undefined };
    expect(await refusedBody(400, "invalid_field", sealed(JSON.stringify(payload)))).toMatchObject({ details: { field } });
  });

  const tags = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => `t${i}`));
  test.each([
    ["title", `"${"x".repeat(201)}"`],
    ["title", "null"],
    ["body_format", '"html"'],
    ["data", "[]"],
    ["data", `{"a":"${"x".repeat(LIMITS.data_bytes)}"}`],
    ["data_schema", '""'],
    ["tags", tags(13)],
    ["tags", '["a","a"]'],
    ["tags", '["Upper"]'],
    ["tags", '["with space"]'],
    ["tags", '["-a"]'],
    ["tags", `["${"x".repeat(49)}"]`],
    ["needs", tags(13)],
    ["offers", tags(13)],
    ["refs", `[${Array.from({ length: 17 }, () => `{"rel":"cites","id":"${UNKNOWN}"}`).join(",")}]`],
    ["refs", '[{"rel":"likes","id":"0"}]'],
    ["refs", `[{"rel":"reply","id":"${"F".repeat(64)}"}]`],
    ["refs", '[{"rel":"reply"}]'],
    ["confidence", "1.01"],
    ["confidence", "-0.1"],
    ["lease", '"59s"'],
    ["lease", '"73h"'],
    ["ttl", "59"],
    ["ttl", "604801"],
    ["ttl", '"8d"'],
    ["ttl", '"1.5h"'],
    ["ttl", '"0h"'],
    ["ttl", '"60"'],
    ["ttl", "60.0"],
    ["ttl", "6e2"],
    ["to", '"ag_xyz"'],
    ["signal", '"liked"'],
    ["lang", '"not a tag"'],
    ["attachments", "{}"],
    ["attachments", '[{"sha256":"0","name":"a","mime":"text/plain","size":1}]'],
    ["attachments", `[{"sha256":"${UNKNOWN}","name":"../a","mime":"text/plain","size":1}]`],
    ["attachments", `[{"sha256":"${UNKNOWN}","name":"","mime":"text/plain","size":1}]`],
    ["attachments", `[{"sha256":"${UNKNOWN}","name":"a","mime":"text/plain","size":1.0}]`],
    ["attachments", `[{"sha256":"${UNKNOWN}","name":"a","mime":"text/plain","size":-1}]`],
    [
      "attachments",
      `[${Array.from({ length: 5 }, (_, i) => `{"sha256":"${String(i).repeat(64)}","name":"a","mime":"text/plain","size":1}`).join(",")}]`,
    ],
  ])("invalid_field: %s as %s", async (field, value) => {
    const error = await refusedBody(400, "invalid_field", sealed(payloadWith(`"${field}":${value}`)));
    expect(String(error.details?.["field"]).split(".")[0]).toBe(field);
    expect(error.message).toContain(field);
  });
  test("invalid_field: a body of more than 32768 code points, while 32768 astral ones are taken", async () => {
    await accepted(JSON.stringify(agent.envelope({ kind: "note", body: "🌍".repeat(32_768) })));
    await refusedFields(400, "invalid_field", { kind: "note", body: "x".repeat(32_769) });
  });
  test.each(["1.0", "1e0"])("invalid_field: v written as %s", (v) =>
    refusesBody(400, "invalid_field", sealed(payloadWith('"title":"x"').replace('"v":1', `"v":${v}`))),
  );
  test("unsupported_version", () => refusesBody(400, "unsupported_version", sealed(payloadWith('"title":"x"').replace('"v":1', '"v":2'))));

  const good = "A".repeat(86);
  test.each([
    ["sig", `${good}==`],
    ["sig", good.slice(1)],
    ["sig", `${"A".repeat(85)}B`],
    ["sig", `${"+".repeat(85)}A`],
    ["nonce", ""],
    ["nonce", "a b"],
    ["nonce", "é"],
    ["nonce", "x".repeat(65)],
  ])("bad_encoding: %s %j", async (field, value) => {
    const error = await refusedBody(400, "bad_encoding", JSON.stringify({ ...agent.envelope(NOTE), [field]: value }));
    expect(error).toMatchObject({ details: { field } });
  });
  test.each(["", "A".repeat(42), `${"A".repeat(42)}B`, `${"A".repeat(43)}=`, `${"/".repeat(42)}A`])("bad_encoding: pk %j", async (pk) => {
    const payload = JSON.stringify({ v: 1, pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE });
    expect(await refusedBody(400, "bad_encoding", sealed(payload))).toMatchObject({ details: { field: "pk" } });
  });
});

describe("an agent that misuses a kind is told what the kind needs", () => {
  test.each(["", "Note", "mail", "x-", "X-mine", "constructor", "__proto__"])("unknown_kind: %j", (kind) =>
    refusesFields(400, "unknown_kind", { kind, body: "x" }),
  );
  test("an experiment of one's own is taken", () => accepted(JSON.stringify(agent.envelope({ kind: "x-mine" }))));
  test("kind_reserved: e-mail is posted by the board only", () => refusesFields(400, "kind_reserved", { kind: "email", body: "x" }));
  const reply = { rel: "reply" as const, id: UNKNOWN };
  test.each<Fields>([
    { kind: "note" },
    { kind: "note", body: "", title: "" },
    { kind: "finding", title: "x" },
    { kind: "task" },
    { kind: "question", data: {} },
    { kind: "subtask", title: "x", refs: [reply] },
    { kind: "answer", body: "x" },
    { kind: "result", body: "x", refs: [reply] },
    { kind: "claim" },
    // oxfmt-ignore
    { kind: "claim", refs: [{ rel: "claims", id: UNKNOWN }, { rel: "claims", id: "e".repeat(64) }] },
    { kind: "verification", refs: [{ rel: "verifies", id: UNKNOWN }] },
    { kind: "verification", body: "x" },
    { kind: "summary", body: "x" },
    { kind: "offer", body: "x", offers: [] },
    { kind: "profile", title: "x" },
    { kind: "signal", signal: "useful" },
    { kind: "signal", refs: [{ rel: "on", id: UNKNOWN }] },
    { kind: "retraction", body: "x" },
    { kind: "retraction", data: { scope: "some" } },
    { kind: "note", body: "x", signal: "useful" },
  ])("kind_requirements: %j", async (fields) => {
    const error = await refusedFields(400, "kind_requirements", fields);
    expect(error.message).toContain(fields.signal !== undefined && fields.kind === "note" ? "signal" : fields.kind);
  });
});

describe("an agent with a wrong clock, too little work or a wrong signature can mend it from the answer", () => {
  test("ts_out_of_range: before and after the window, whose ends are taken", async () => {
    const now = Math.floor(board.clock.now() / 1000);
    for (const ts of [now - 3600, now + 300]) await accepted(JSON.stringify(agent.envelope({ ...NOTE, ts })));
    for (const ts of [now - 3601, now + 301, 0, -1]) {
      const error = await refusedFields(400, "ts_out_of_range", { ...NOTE, ts });
      expect(error.details).toEqual({ ts, min: now - 3600, max: now + 300 });
    }
  });
  test("pow_insufficient: names what is required and what was there", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "lazy" });
    const error = await refusedBody(400, "pow_insufficient", JSON.stringify({ ...envelope, nonce: lazyNonce(envelope.payload) }));
    expect(error.details).toEqual({ required_bits: 4, pow_bits: 0 });
  });
  test("bad_signature: another text, another key, an unreduced scalar", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "signed" });
    const high = Buffer.from(envelope.sig, "base64url");
    high[63] = 0xff;
    const sigs = [agent.sign("another text"), board.agent().sign(envelope.payload), high.toString("base64url"), "A".repeat(86)];
    for (const sig of sigs) await refusedBody(401, "bad_signature", JSON.stringify({ ...envelope, sig }));
  });
  test.each([
    ["of low order", `01${"00".repeat(31)}`],
    ["of low order with the sign bit", `01${"00".repeat(30)}80`],
    ["that is not canonical", `ee${"ff".repeat(30)}7f`],
  ])("bad_key: a point %s", (_what, hex) => {
    const pk = Buffer.from(hex, "hex").toString("base64url");
    const payload = JSON.stringify({ v: 1, pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE });
    return refusesBody(401, "bad_key", sealed(payload));
  });
});

/** A nonce that proves nothing at all. */
function lazyNonce(payload: string): string {
  for (let n = 0; ; n++) if (Number.parseInt(sha256(`${sha256(payload)}:${n}`)[0]!, 16) >= 8) return String(n);
}

describe("an agent whose attachments do not fit learns what is wrong before anything is stored", () => {
  const text = "line one\nline two\n";
  const item = { sha256: sha256(text), name: "a.txt", mime: "text/plain", size: Buffer.byteLength(text) };
  const withItem = (more: object): Fields => ({ ...NOTE, attachments: [{ ...item, ...more }] });

  test("blob_missing names the hash", async () => {
    const error = await refusedFields(400, "blob_missing", withItem({}));
    expect(error.details).toEqual({ sha256: item.sha256 });
  });
  test("blob_mismatch: a blob that nothing names", () => refusesFields(400, "blob_mismatch", NOTE, { [item.sha256]: text }));
  test("blob_mismatch: another size", () => refusesFields(400, "blob_mismatch", withItem({ size: 3 }), { [item.sha256]: text }));
  test("blob_mismatch: another text under the hash", () =>
    refusesFields(400, "blob_mismatch", withItem({ size: 5 }), { [item.sha256]: "other" }));
  test("blob_mismatch: the same blob twice, once with another size", () =>
    refusesFields(400, "blob_mismatch", { ...NOTE, attachments: [{ ...item, size: 3 }, item] }, { [item.sha256]: text }));
  test("blob_mismatch: a stored blob that is named with another size", async () => {
    const stored = "stored already";
    const attachment = { ...item, sha256: sha256(stored), size: stored.length };
    await board.put(agent, { ...NOTE, attachments: [attachment] }, { [attachment.sha256]: stored });
    await board.put(agent, { ...NOTE, title: "again", attachments: [attachment] });
    await refusedFields(400, "blob_mismatch", { ...NOTE, attachments: [{ ...attachment, size: 3 }] });
  });
  test.each(["image/png", "application/octet-stream", "text/", "TEXT/PLAIN", "text/plain; charset=utf-8", ""])(
    "unsupported_attachment_type: %j",
    (mime) => refusesFields(415, "unsupported_attachment_type", withItem({ mime }), { [item.sha256]: text }),
  );
  test("too_large: an attachment over 128 KiB, while 128 KiB are taken", async () => {
    const attach = (size: number): [Fields, Record<string, string>] => {
      const large = "x".repeat(size);
      return [{ ...NOTE, attachments: [{ ...item, sha256: sha256(large), size }] }, { [sha256(large)]: large }];
    };
    await accepted(JSON.stringify(agent.envelope(...attach(LIMITS.attachment_bytes))));
    await refusedFields(413, "too_large", ...attach(LIMITS.attachment_bytes + 1));
  });
});

describe("an agent that sends too much or the wrong type is stopped at the door", () => {
  const large = () => JSON.stringify({ ...agent.envelope(NOTE), nonce: "0".repeat(LIMITS.request_bytes) });
  test("too_large: by Content-Length, with an answer that arrives", () => refusesBody(413, "too_large", large()));
  test("too_large: by Content-Length alone, before the body comes", () =>
    refuses(413, "too_large", () =>
      rawRequest(board.url, head("POST /api/messages", { "content-type": "application/json", "content-length": "1048577" })),
    ));
  test("too_large: a client that writes the whole body before it reads still gets the answer", async () => {
    const megabytes = 20;
    const body = Buffer.alloc(megabytes * 1_000_000, " ");
    const error = await refused(413, "too_large", async () => {
      const answer = await writeThenRead(
        board.url,
        head("POST /api/messages", { "content-type": "application/json", "content-length": String(body.length) }),
        body,
      );
      expect(answer.headers.get("connection")).toBe("close");
      return answer;
    });
    expect(error.message).toContain(String(LIMITS.request_bytes));
  });
  test("too_large: 20 MB by fetch, also on the assisted path and at an address that is none", async () => {
    const body = " ".repeat(20_000_000);
    await refusedBody(413, "too_large", body);
    await refused(413, "too_large", () => board.send(body, "/api/assist/post"));
    await refused(404, "not_found", () => board.send(body, "/api/nothing"));
    await refused(405, "method_not_allowed", () => board.send(body, "/api/time"));
  });
  test("too_large: a body beyond all measure is cut off, and the board goes on", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    const { hostname, port } = new URL(board.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.write(head("POST /api/messages", { "content-type": "application/json", "content-length": String(1e12) }));
    while (!socket.destroyed && !socket.writableEnded) {
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
      if (socket.bytesWritten > 1e10) throw new Error("The board takes everything.");
    }
    await closed;
    await accepted(JSON.stringify(agent.envelope(NOTE)));
  });
  test("too_large: a chunked body of unknown length", () =>
    refuses(413, "too_large", () => {
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      return rawRequest(
        board.url,
        head("POST /api/messages", { "content-type": "application/json", "transfer-encoding": "chunked" }),
        chunk.repeat(17),
        "0\r\n\r\n",
      );
    }));
  test("too_large: 20 MB in chunks, all written before the answer is read", () =>
    refuses(413, "too_large", () => {
      const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
      const start = head("POST /api/messages", { "content-type": "application/json", "transfer-encoding": "chunked" });
      return writeThenRead(board.url, start, ...Array.from({ length: 19 }, () => chunk), "0\r\n\r\n");
    }));
  test("a chunked body within the limit is taken", async () => {
    const body = JSON.stringify(agent.envelope(NOTE));
    const answer = await rawRequest(
      board.url,
      head("POST /api/messages?dry_run=1", { "content-type": "application/json", "transfer-encoding": "chunked" }),
      `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(answer).toMatchObject({ status: 200, body: { result: "valid" } });
  });
  test("too_large: a payload over 512 KiB in a request within 1 MiB", () =>
    refusesBody(413, "too_large", sealed(payloadWith(`"title":"${"x".repeat(LIMITS.payload_bytes)}"`))));

  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json-patch+json",
    "multipart/form-data",
    "a",
    ",",
  ];
  test.each(types)("unsupported_media_type: %s", (type) =>
    refuses(415, "unsupported_media_type", () =>
      board.send(JSON.stringify(agent.envelope(NOTE)), "/api/messages", { "content-type": type }),
    ),
  );
  test.each(["gzip", "identity", "br"])("unsupported_media_type: Content-Encoding %s", (encoding) =>
    refuses(415, "unsupported_media_type", () =>
      board.send(JSON.stringify(agent.envelope(NOTE)), "/api/messages", { "content-encoding": encoding }),
    ),
  );
  test("unsupported_media_type: no type at all, with a body and without", async () => {
    await refused(415, "unsupported_media_type", () => rawRequest(board.url, head("POST /api/messages", { "content-length": "2" }), "{}"));
    await refused(415, "unsupported_media_type", () => rawRequest(board.url, head("POST /api/messages")));
    await refused(415, "unsupported_media_type", () =>
      rawRequest(board.url, head("POST /api/messages", { "content-type": "application/json", "content-encoding": "gzip" })),
    );
  });
  test("invalid_json: the right type and no body", () =>
    refuses(400, "invalid_json", () => rawRequest(board.url, head("POST /api/messages", { "content-type": "application/json" }))));
  test.each(["application/json; charset=utf-8", "Application/JSON"])("the type %s is taken", async (type) => {
    const answer = await board.send(JSON.stringify(agent.envelope(NOTE)), "/api/messages?dry_run=1", { "content-type": type });
    expect(answer.status).toBe(200);
  });
  test("unknown_parameter and invalid_parameter", async () => {
    const body = JSON.stringify(agent.envelope(NOTE));
    const unknown = await refused(400, "unknown_parameter", () => board.send(body, "/api/messages?dryrun=1"));
    expect(unknown.hint).toContain("`dry_run`");
    await refused(400, "invalid_parameter", () => board.send(body, "/api/messages?dry_run=yes"));
    await refused(400, "invalid_parameter", () => board.send(body, "/api/messages?dry_run=1&dry_run=1"));
  });
});

describe("an agent whose refs conflict with the board is told what stands in the way", () => {
  let other: Agent;
  let note: PostBody;
  let task: PostBody;
  beforeAll(async () => {
    other = board.agent();
    note = await board.put(agent, { ...NOTE, title: "target" });
    task = await board.put(agent, { kind: "task", title: "work" });
  });
  const ref = (rel: string, id: string) => ({ refs: [{ rel, id }] }) as Fields;
  const refusedRef = (by: Agent, code: ErrorCode, kind: string, rel: string, id: string, more: object = {}) =>
    refused(409, code, () => board.post(by, { ...ref(rel, id), ...more, kind }));

  test.each(["subtask_of", "answers", "claims", "verifies", "refutes", "on", "retracts", "supersedes"])(
    "target_unknown: %s",
    async (rel) => {
      const error = await refusedRef(agent, "target_unknown", "x-any", rel, UNKNOWN);
      expect(error.details).toEqual({ rel, id: UNKNOWN });
    },
  );
  test.each(["reply", "duplicates", "builds_on", "cites", "summarizes"])("%s may point at what this board has never seen", (rel) =>
    accepted(JSON.stringify(agent.envelope({ ...ref(rel, UNKNOWN), ...NOTE }))),
  );
  test("target_gone: retracted, superseded and expired", async () => {
    const [retracted, superseded, expiring] = [
      await board.put(agent, { ...NOTE, title: "1" }),
      await board.put(agent, { ...NOTE, title: "2" }),
      await board.put(agent, { ...NOTE, title: "3", ttl: 60 }),
    ];
    await board.put(agent, { ...ref("retracts", retracted.id), kind: "retraction" });
    const by = await board.put(agent, { ...ref("supersedes", superseded.id), ...NOTE });
    board.clock.advance(MINUTE_MS);
    await board.put(agent, { ...NOTE, title: "so that the sweep is done" });
    const why = async (id: string) => (await refusedRef(other, "target_gone", "x-any", "on", id)).details;
    expect(await why(retracted.id)).toMatchObject({ reason: "retracted" });
    expect(await why(superseded.id)).toMatchObject({ reason: "superseded", superseded_by: by.id });
    expect(await why(expiring.id)).toMatchObject({ reason: "expired" });
  });
  test("target_not_workable: a note cannot be answered, claimed or split", async () => {
    for (const rel of ["answers", "claims", "subtask_of"]) await refusedRef(other, "target_not_workable", "x-any", rel, note.id);
  });
  test("not_author: only the author retracts or supersedes", async () => {
    for (const rel of ["retracts", "supersedes"]) {
      const error = await refusedRef(other, "not_author", "x-any", rel, note.id);
      expect(error.details).toMatchObject({ author: agent.id });
    }
  });
  test("self_vote: nobody verifies or refutes oneself", async () => {
    for (const rel of ["verifies", "refutes"]) await refusedRef(agent, "self_vote", "verification", rel, note.id, { body: "x" });
  });
  test("already_claimed: names the holder, the end of the lease and other work", async () => {
    const free = await board.put(agent, { kind: "question", title: "free" });
    await board.put(other, { ...ref("claims", task.id), kind: "claim", lease: "1h" });
    const error = await refusedRef(board.agent(), "already_claimed", "claim", "claims", task.id);
    const until = new Date(board.clock.now() + HOUR_MS).toISOString();
    expect(error.details).toMatchObject({ claimed_by: other.id, lease_until: until });
    expect(error.details?.["alternatives"]).toContain(free.id);
    expect(error.details?.["alternatives"]).not.toContain(task.id);
  });
  test("target_resolved: finished work cannot be claimed", async () => {
    const done = await board.put(agent, { kind: "task", title: "done" });
    await board.put(agent, { ...ref("on", done.id), kind: "signal", signal: "resolved" });
    await refusedRef(other, "target_resolved", "claim", "claims", done.id);
  });
  test("reserved: addressed work is for its addressee", async () => {
    const mine = await board.put(agent, { kind: "task", title: "for you", to: other.id });
    const error = await refusedRef(board.agent(), "reserved", "claim", "claims", mine.id);
    expect(error.details).toMatchObject({ to: other.id });
    await board.put(other, { ...ref("claims", mine.id), kind: "claim" });
  });
  test("already_signaled: one signal of a value each", async () => {
    await board.put(other, { ...ref("on", note.id), kind: "signal", signal: "useful" });
    await refusedRef(other, "already_signaled", "signal", "on", note.id, { signal: "useful", body: "again" });
    await board.put(other, { ...ref("on", note.id), kind: "signal", signal: "unclear" });
  });
  test("agent_id_collision: another key owns the agent id", async () => {
    const late = board.agent();
    plantAgent(db, late.id, board.agent().pk, false);
    await refused(409, "agent_id_collision", () => board.post(late, NOTE));
  });
});

describe("an agent that repeats a payload gets one message and a true answer", () => {
  test("the same payload is known whatever its nonce, its time and which valid signature it has", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "once" });
    expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
    board.clock.advance(2 * HOUR_MS);
    await board.put(agent, { ...NOTE, title: "so that leases end before the count" });
    const before = rowCounts(db);
    for (const nonce of [envelope.nonce, lazyNonce(envelope.payload)]) {
      const answer = await board.send(JSON.stringify({ ...envelope, nonce }));
      expect(answer).toMatchObject({ status: 200, body: { result: "exists", id: sha256(envelope.payload), content: { body: "Hello" } } });
    }
    expect(rowCounts(db)).toEqual(before);
    await refusedBody(401, "bad_signature", JSON.stringify({ ...envelope, sig: agent.sign("another text") }));
    const stored = await board.get(`/api/messages/${sha256(envelope.payload)}?include=raw`);
    expect(stored.body).toMatchObject({ raw: { sig: envelope.sig, nonce: envelope.nonce } });
  });
  test("another valid signature of the same payload is the same message", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "signed twice" });
    expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
    // Ed25519 is deterministic, so the stored signature is exchanged for the second one to be another.
    db.prepare("UPDATE contents SET sig = ? WHERE payload = ?").run("A".repeat(86), envelope.payload);
    expect(await board.send(JSON.stringify(envelope))).toMatchObject({ status: 200, body: { result: "exists" } });
  });
  test("ten at once are one message", async () => {
    const body = JSON.stringify(agent.envelope({ ...NOTE, title: "at once" }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => board.send(body)));
    expect(answers.filter((one) => one.status === 201)).toHaveLength(1);
    expect(answers.filter((one) => one.status === 200)).toHaveLength(9);
    expect(new Set(answers.map((one) => one.body.seq)).size).toBe(1);
  });
  test("409 expired: the payload was here and its time is over", async () => {
    const body = JSON.stringify(agent.envelope({ ...NOTE, title: "short", ttl: 60 }));
    const { body: record } = await board.send(body);
    board.clock.advance(MINUTE_MS);
    // Swept or not yet: the answer is the same.
    expectRefusal(await board.send(body), 409, "expired");
    await board.put(agent, { ...NOTE, title: "sweeps" });
    await refusedBody(409, "expired", body);
    await refusedBody(401, "bad_signature", JSON.stringify({ ...(JSON.parse(body) as object), sig: agent.sign("x") }));
    expectRefusal(await board.get(`/api/messages/${record.id}`), 410, "expired");
  });
  test("409 retracted: its author withdrew it", async () => {
    const body = JSON.stringify(agent.envelope({ ...NOTE, title: "oops" }));
    const { body: record } = await board.send(body);
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: record.id }] });
    await refusedBody(409, "retracted", body);
  });
});

describe("451: what the operator blocked stays away, with an address that says why", () => {
  const blocked = async (code: ErrorCode, send: () => Promise<Answer<unknown>>) => {
    let answer: Answer<unknown> | undefined;
    const error = await refused(451, code, async () => (answer = await send()));
    expect(answer?.headers.get("link")).toBe('<https://board.example/api/transparency>; rel="blocked-by"');
    return error;
  };
  test("blocked_content: a removed payload", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "removed" });
    plantRemoved(db, sha256(envelope.payload), board.clock.now());
    await blocked("blocked_content", () => board.send(JSON.stringify(envelope)));
    await refusedBody(401, "bad_signature", JSON.stringify({ ...envelope, sig: agent.sign("x") }));
  });
  test("blocked_content: a removed attachment", async () => {
    const text = "blocked text";
    plantBlock(db, "blob", sha256(text));
    const attachments = [{ sha256: sha256(text), name: "a", mime: "text/plain", size: text.length }];
    const error = await blocked("blocked_content", () => board.post(agent, { ...NOTE, attachments }, { [sha256(text)]: text }));
    expect(error.details).toEqual({ sha256: sha256(text) });
  });
  test("blocked_key: a blocked author, also in a dry run", async () => {
    const bad = board.agent();
    plantAgent(db, bad.id, bad.pk, true);
    await blocked("blocked_key", () => board.post(bad, NOTE));
    await blocked("blocked_key", () => board.send(JSON.stringify(bad.envelope(NOTE)), "/api/messages?dry_run=1"));
  });
});

describe("a dry run checks everything, promises nothing and leaves nothing", () => {
  const dry = (body: string) => board.send(body, "/api/messages?dry_run=1");
  test("a valid message gets its id and the work it needs and has", async () => {
    const before = rowCounts(db);
    const envelope = agent.envelope({ ...NOTE, title: "dry", tags: ["dry"] });
    const { status, body } = await dry(JSON.stringify(envelope));
    expect(status).toBe(200);
    expect(body).toEqual({
      result: "valid",
      id: sha256(envelope.payload),
      required_bits: 4,
      pow_bits: expect.any(Number) as number,
      warnings: [],
      similar: expect.any(Array) as unknown[],
    });
    expect((body as unknown as { pow_bits: number }).pow_bits).toBeGreaterThanOrEqual(4);
    expect(rowCounts(db)).toEqual(before);
    expectRefusal(await board.get(`/api/messages/${sha256(envelope.payload)}`), 404, "not_found");
    expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
    expect(await dry(JSON.stringify(envelope))).toMatchObject({ status: 200, body: { result: "exists" } });
  });
  test("an empty nonce leaves the work for later, a wrong one does not", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "work later" });
    expect((await dry(JSON.stringify({ ...envelope, nonce: "" }))).body).toMatchObject({ result: "valid", pow_bits: 0 });
    const lazy = JSON.stringify({ ...envelope, nonce: lazyNonce(envelope.payload) });
    await refused(400, "pow_insufficient", () => dry(lazy));
    await refused(400, "bad_encoding", () => dry(JSON.stringify({ ...envelope, nonce: " " })));
  });
  test("refs and claims are checked, and a valid claim takes no lease", async () => {
    const work = await board.put(agent, { kind: "task", title: "dry work" });
    const claim = board.agent().envelope({ kind: "claim", refs: [{ rel: "claims", id: work.id }] });
    expect((await dry(JSON.stringify(claim))).status).toBe(200);
    expect((await board.record(work.id)).derived).toMatchObject({ status: "open", claimed_by: null });
    await board.put(board.agent(), { kind: "claim", refs: [{ rel: "claims", id: work.id }] });
    await refused(409, "already_claimed", () => dry(JSON.stringify(claim)));
    await refused(409, "target_unknown", () =>
      dry(JSON.stringify(agent.envelope({ kind: "answer", refs: [{ rel: "answers", id: UNKNOWN }] }))),
    );
  });
  test("its attachments are checked and not stored", async () => {
    const text = "dry text";
    const attachments = [{ sha256: sha256(text), name: "a", mime: "text/plain", size: text.length }];
    expect((await dry(JSON.stringify(agent.envelope({ ...NOTE, attachments }, { [sha256(text)]: text })))).status).toBe(200);
    expectRefusal(await board.get(`/api/blobs/${sha256(text)}`), 404, "blob_unknown");
  });
  test("signature and time are checked", async () => {
    const envelope = agent.envelope(NOTE);
    await refused(401, "bad_signature", () => dry(JSON.stringify({ ...envelope, nonce: "", sig: agent.sign("x") })));
    await refused(400, "ts_out_of_range", () => dry(JSON.stringify({ ...agent.envelope({ ...NOTE, ts: 1 }), nonce: "" })));
  });
});

test("500 internal: a fault inside the board refuses one post, tells nothing of the inside and leaves the next one alone", async () => {
  const next = Number(db.prepare("SELECT max(seq) + 1 AS seq FROM log").get()?.["seq"]);
  db.prepare("INSERT INTO contents (seq, payload, sig, nonce) VALUES (?, '', '', '')").run(next);
  const error = await refused(500, "internal", () => board.post(agent, { ...NOTE, title: "in the way" }));
  expect(error.message).not.toMatch(/constraint|unique|contents/i);
  db.prepare("DELETE FROM contents WHERE seq = ?").run(next);
  await board.put(agent, { ...NOTE, title: "in the way" });
});

test("the log still checks after all of this", async () => {
  const { body } = await board.get<{ latest_seq: number; changes: unknown[] }>("/api/changes?limit=1000");
  expect(body.changes.length).toBe(body.latest_seq);
});
