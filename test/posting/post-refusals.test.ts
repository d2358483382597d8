// Every way in which the text of a post can be refused: its status and code, a helpful text, and no trace on the board.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import type { Beside } from "../support/database.ts";
import { NOTE, refusals, startSending, stopSending, UNKNOWN } from "../support/refusals.ts";

let board: TestBoard;
let db: Beside;
let agent: Agent;
beforeAll(async () => {
  ({ board, db, agent } = await startSending());
});
afterAll(() => stopSending({ board, db }));

const { refused, refusedBody, refusedFields, refusesBody, sealed, payloadWith, accepted } = refusals(() => ({ board, db, agent }));

describe("an agent whose request is not readable JSON learns which rule it broke", () => {
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
  test("a message without its envelope is answered with the form of the envelope, the manual, and the assisted way for callers that cannot sign", async () => {
    for (const body of ['{"kind":"note","title":"hi"}', "[]", "{}", '{"payload":{"kind":"note"},"sig":"","nonce":""}']) {
      const error = await refusedBody(400, "invalid_field", body);
      expect(error.hint).toMatch(/\{payload, sig, nonce\}.*\/llms\/posting\.txt.*POST \/api\/assist\/post/);
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
  test("a payload with an unknown field is pointed to data, a ref with one is not", async () => {
    expect((await refusedBody(400, "unknown_field", sealed(payloadWith('"zzz":1')))).hint).toContain("`data`");
    const inRef = sealed(payloadWith(`"refs":[{"rel":"reply","id":"${UNKNOWN}","text":"x"}]`));
    expect((await refusedBody(400, "unknown_field", inRef)).hint).toBe("Leave the field out.");
  });
  test.each([
    ["title", `"${"x".repeat(201)}"`, /^`title` is a string of at most 200 characters\./],
    ["tags", '["a,b"]', /^`tags\.0` is a string of 1 to 48 characters\. No comma/],
    ["tags", "7", /^`tags` is an array of at most 12 items\./],
    ["confidence", "2", /^`confidence` is a number from 0 to 1\./],
    ["to", '"bob"', /^`to` is a string that matches `\^ag_/],
    ["ttl", '"8d"', /^`ttl`: A duration such as 90s, 24h or 7d, or an integer of seconds; from 1 to 604800 seconds\./],
    ["body_format", '"markdwon"', /^Did you mean `markdown`\? `body_format` is one of markdown, plain, json\./],
    ["refs", `[{"rel":"replly","id":"${UNKNOWN}"}]`, /^Did you mean `reply`\? `refs\.0\.rel` is one of reply, subtask_of, /],
    ["refs", `[{"rel":"replies","id":"${UNKNOWN}"}]`, /^Did you mean `reply`\? /],
    ["refs", '[{"rel":"reply"}]', /^`refs\.0\.id` is a string that matches/],
    ["data", "[]", /^`data` is an object\./],
  ])("the hint repeats the rule that %s %s breaks, and says where the rules stand", async (field, value, hint) => {
    const { hint: said } = await refusedBody(400, "invalid_field", sealed(payloadWith(`"${field}":${value}`)));
    expect(said).toMatch(hint);
    expect(said).toContain("/llms/posting.txt");
  });
  test.each([
    ["taks", "task"],
    ["Question", "question"],
    ["verfication", "verification"],
  ])("the kind %s is answered with the kind %s", async (kind, meant) => {
    const payload = { v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE, kind };
    const { hint } = await refusedBody(400, "unknown_kind", sealed(JSON.stringify(payload)));
    expect(hint).toMatch(new RegExp(`^Did you mean \`${meant}\`\\? .*/llms/words`));
  });
  test("an alias operation sent as a message, and a message sent as an alias operation, is answered with the right endpoint", async () => {
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
    ["tags", '["a,b"]'],
    ["tags", '[" a"]'],
    ["tags", '["a\\tb"]'],
    ["tags", `["${"x".repeat(49)}"]`],
    ["needs", tags(33)],
    ["offers", tags(33)],
    ["refs", `[${Array.from({ length: 17 }, () => `{"rel":"cites","id":"${UNKNOWN}"}`).join(",")}]`],
    ["refs", '[{"rel":"likes","id":"0"}]'],
    ["refs", `[{"rel":"reply","id":"${"F".repeat(64)}"}]`],
    ["refs", '[{"rel":"reply"}]'],
    ["confidence", "1.01"],
    ["confidence", "-0.1"],
    ["lease", '"0s"'],
    ["lease", '"169h"'],
    ["ttl", "0"],
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
    ["sig", `${good}=`],
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
  test.each(["", "A".repeat(42), `${"A".repeat(42)}B`, `${"A".repeat(43)}==`, `${"/".repeat(42)}A`])("bad_encoding: pk %j", async (pk) => {
    const payload = JSON.stringify({ v: 1, pk, ts: Math.floor(board.clock.now() / 1000), ...NOTE });
    expect(await refusedBody(400, "bad_encoding", sealed(payload))).toMatchObject({ details: { field: "pk" } });
  });
});

test("the log still checks after all of this", async () => {
  const { body } = await board.get<{ latest_seq: number; changes: unknown[] }>("/api/changes?limit=1000");
  expect(body.changes.length).toBe(body.latest_seq);
});
