// The request's body: from any text to a draft or a refusal, and attachments against their texts.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { Agent, sha256 } from "../../../test/support/agent.ts";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { ID, noteText } from "../../../test/support/payload.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { checkBlobs, draftOf, envelopeReader } from "./envelope.ts";

const agent = new Agent();
const SIG = `${"A".repeat(85)}w`;
const PAYLOAD = noteText({ body: "Grüße, 世界 👋" });
const good = { payload: PAYLOAD, sig: SIG, nonce: "0" };
const readEnvelope = (text: string, emptyNonce = false) => draftOf(envelopeReader.read(text), emptyNonce);
const read = (body: string): string => outcome(() => readEnvelope(body));
const sent = (fields: Readonly<Record<string, unknown>>): string => read(JSON.stringify({ ...good, ...fields }));

describe("a good envelope", () => {
  test("gives the id of the payload, the id of its author, and the payload", () => {
    const draft = readEnvelope(JSON.stringify(good));
    expect([draft.id, draft.author, draft.envelope]).toEqual([ID, "ag_21fe31dfa154a261626b", good]);
    expect(draft.payload).toEqual(JSON.parse(PAYLOAD));
  });
  test("has the same id whatever its signature, nonce and blobs: posting it again is the same message", () => {
    const again = readEnvelope(JSON.stringify({ payload: PAYLOAD, sig: "A".repeat(86), nonce: "other", blobs: {} }));
    expect(again.id).toBe(ID);
  });
  test("keeps the payload byte for byte, however the body escapes it", () => {
    const escaped = JSON.stringify(good).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    expect(escaped).not.toContain("世");
    expect(readEnvelope(escaped)).toEqual(readEnvelope(JSON.stringify(good)));
    expect(readEnvelope(` {"nonce" : "0",\n"sig":"${SIG}", "payload":${JSON.stringify(`  ${PAYLOAD}\n`)}}`).envelope.payload).toBe(
      `  ${PAYLOAD}\n`,
    );
  });
});

describe("the body", () => {
  test.for(["", "{", "payload=1", '{"payload":"x",}', "\ufeff{}"])("%j is not JSON", (body) => {
    expect(read(body)).toBe("invalid_json");
  });
  test.for(["[]", "null", "1", '"x"'])("%s is not an envelope", (body) => {
    expect(read(body)).toBe("invalid_field");
  });
  test.for(["payload", "sig", "nonce"])("without %s says so", (field) => {
    const refusal = refusalOf(() => readEnvelope(JSON.stringify({ ...good, [field]: undefined })));
    expect([refusal.code, refusal.message]).toEqual(["invalid_field", `\`${field}\` is missing.`]);
  });
  test("with the payload as an object says that a string is wanted", () => {
    const refusal = refusalOf(() => readEnvelope(JSON.stringify({ ...good, payload: { v: 1 } })));
    expect([refusal.code, refusal.message]).toEqual([
      "invalid_field",
      "`payload` must be a string that holds the JSON text of the payload, not the object itself.",
    ]);
  });
  test.for([
    ["another field", { extra: 1 }, "unknown_field"],
    ["an inherited name", { constructor: 1 }, "unknown_field"],
    ["a signature that is no string", { sig: 1 }, "invalid_field"],
    ["a nonce that is no string", { nonce: 1 }, "invalid_field"],
    ["blobs that are no object", { blobs: [] }, "invalid_field"],
    ["a blob that is no string", { blobs: { [ID]: 1 } }, "invalid_field"],
    ["a payload that is not JSON", { payload: "x" }, "invalid_json"],
    ["a payload that is no object", { payload: "[]" }, "invalid_field"],
    ["a payload in JSON twice", { payload: JSON.stringify(PAYLOAD) }, "invalid_field"],
    ["deep nesting where nothing nests", { extra: JSON.parse("[".repeat(20) + "]".repeat(20)) as unknown }, "too_deep"],
  ] as const)("with %s is refused", ([, fields, code]) => {
    expect(sent(fields)).toBe(code);
  });
  test.for([
    ["a key twice", JSON.stringify(good).replace("{", '{"nonce":"1",'), "duplicate_key"],
    ["a key twice, escaped", JSON.stringify(good).replace("{", '{"\\u006eonce":"1",'), "duplicate_key"],
    ["__proto__", JSON.stringify(good).replace("{", '{"__proto__":{},'), "forbidden_key"],
    [
      "half a surrogate pair in the payload",
      JSON.stringify({ ...good, payload: noteText().replace("Hello", "\ud800") }),
      "invalid_unicode",
    ],
    ["U+0000 in a blob", JSON.stringify({ ...good, blobs: { [ID]: "a\0" } }), "invalid_unicode"],
  ] as const)("with %s is refused", ([, body, code]) => {
    expect(read(body)).toBe(code);
  });
});

describe("encodings", () => {
  interface Spelling {
    readonly field: string;
    readonly value: string;
    readonly ok: boolean;
    readonly why: string;
  }
  test.skipIf(noVectors)(`of signatures have one spelling ${WITH_VECTORS}`, () => {
    for (const { value, ok, why } of vectorJson<Spelling[]>("local/base64url_cases.json").filter((one) => one.field === "sig")) {
      expect([why, sent({ sig: value })]).toEqual([why, ok || why === "padding" ? "ok" : "bad_encoding"]);
    }
  });
  test.for(["", " ", "x".repeat(65), "é", "a\n"])("the nonce %j is refused", (nonce) => {
    expect(sent({ nonce })).toBe("bad_encoding");
  });
  test("only a dry run may leave the nonce empty", () => {
    const body = JSON.stringify({ ...good, nonce: "" });
    expect(outcome(() => readEnvelope(body, true))).toBe("ok");
    expect(outcome(() => readEnvelope(JSON.stringify({ ...good, nonce: " " }), true))).toBe("bad_encoding");
    expect(read(body)).toBe("bad_encoding");
  });
  test("are checked before the payload, and the field is named", () => {
    expect(refusalOf(() => readEnvelope(JSON.stringify({ ...good, sig: "x", payload: "x" }))).details).toEqual({ field: "sig" });
    expect(refusalOf(() => readEnvelope(JSON.stringify({ ...good, nonce: "", payload: "x" }))).details).toEqual({ field: "nonce" });
  });
});

describe("attachments and blobs", () => {
  const text = "name,grüße\n1,👋\n";
  const other = "other";
  const named = (content: string) => ({ sha256: sha256(content), name: "a.csv", mime: "text/csv", size: Buffer.byteLength(content) });
  const check = (attachments: readonly unknown[] | undefined, blobs?: Record<string, string>) => {
    const payload = noteText({ attachments });
    return checkBlobs(readEnvelope(JSON.stringify({ ...agent.seal(payload), ...(blobs && { blobs }) })));
  };

  test("a text that fits its hash and its size in bytes is taken", () => {
    expect(check([named(text), named(other)], { [sha256(text)]: text, [sha256(other)]: other })).toEqual([]);
    expect(check([named("")], { [sha256("")]: "" })).toEqual([]);
    expect(check(undefined)).toEqual([]);
    expect(check(undefined, {})).toEqual([]);
  });
  test("a text that was not sent is asked for, once", () => {
    expect(check([named(text), named(other)], { [sha256(text)]: text })).toEqual([sha256(other)]);
    expect(check([named(text), named(text)])).toEqual([sha256(text)]);
  });
  test.for([
    ["a blob that no attachment names", [named(text)], { [sha256(text)]: text, [sha256(other)]: other }],
    ["a blob on a message without attachments", undefined, { [sha256(text)]: text }],
    ["a blob under another hash", [named(text)], { [sha256(text)]: text.replace("1", "2") }],
    ["a hash in upper case", [named(text)], { [sha256(text).toUpperCase()]: text }],
    ["a size in characters instead of bytes", [{ ...named(text), size: text.length }], { [sha256(text)]: text }],
    ["a second attachment of the same text with another size", [{ ...named(text), size: 1 }, named(text)], { [sha256(text)]: text }],
    ["a name that every object has", [named(text)], { constructor: text }],
  ] as const)("%s is refused", ([, attachments, blobs]) => {
    expect(outcome(() => check(attachments, blobs))).toBe("blob_mismatch");
  });
  test("128 KiB is taken and one byte more is not, whatever the attachment says", () => {
    const large = `${"é".repeat(65_535)}ab`;
    expect(Buffer.byteLength(large)).toBe(131_072);
    expect(check([named(large)], { [sha256(large)]: large })).toEqual([]);
    expect(outcome(() => check([named(`${large}c`)], { [sha256(`${large}c`)]: `${large}c` }))).toBe("too_large");
    expect(outcome(() => check([{ ...named(`${large}c`), size: 5 }], { [sha256(`${large}c`)]: `${large}c` }))).toBe("too_large");
  });
});

test("no body whatever makes readEnvelope throw anything but a refusal", () => {
  const mutated = fc.tuple(fc.nat(JSON.stringify(good).length), fc.string({ maxLength: 3 }), fc.nat(3)).map(([at, insert, drop]) => {
    const body = JSON.stringify(good);
    return body.slice(0, at) + insert + body.slice(at + drop);
  });
  const fields = fc.record(
    { payload: fc.oneof(anyText, fc.json()), sig: fc.constant(SIG), nonce: fc.string(), blobs: fc.jsonValue() },
    { requiredKeys: ["payload", "sig"] },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.json(),
        mutated,
        fields.map((value) => JSON.stringify(value)),
      ),
      (body) => {
        expect(typeof read(body)).toBe("string");
      },
    ),
    { numRuns: 2000 },
  );
});
