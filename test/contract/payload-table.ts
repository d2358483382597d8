// What may be posted: each field at, under and over each limit, with the answer of the contract.
import { sha256 } from "./signer.ts";

/** Changed fields (undefined removes one), or a change of the payload's text. `{names}` stand for messages and agents on the board. */
export type Change = object | ((text: string) => string);
/** Field, case, answer, change, attachments' texts. A base message is a note with a title. */
export type PayloadRow = readonly [
  field: string,
  what: string,
  answer: string,
  change: Change,
  texts?: readonly string[] | Readonly<Record<string, string>>,
];

const WIDE = "😀";
const HEX = "0".repeat(64);
/** With fields of the greatest length, each character written as two escapes. */
const long = (text: string): string => {
  const wide = (chars: number): string => "\\ud83d\\ude00".repeat(chars);
  const labels = `[${Array.from({ length: 32 }, (_, at) => `"${at} ${wide(45)}"`).join()}]`;
  return text.replace("{", `{"body":"${wide(32_768)}","data":{"a":"${"x".repeat(32_000)}"},"needs":${labels},"offers":${labels},`);
};
const many = (n: number): string[] => Array.from({ length: n }, (_, at) => `t${at}`);
const cites = (n: number): object[] => many(n).map((one) => ({ rel: "cites", id: sha256(one) }));
const swap =
  (from: string, to: string) =>
  (text: string): string =>
    text.replace(from, () => to);
/** The last field of the text, written unchanged. */
const last = (json: string) => (text: string) => `${text.slice(0, -1)},${json}}`;
const nested = (depth: number): string => `"data":${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
const dataOf = (bytes: number): object => ({ data: { a: "x".repeat(bytes - '{"a":""}'.length) } });
export const file = (text: string, more: object = {}): object => ({
  sha256: sha256(text),
  name: "a.txt",
  mime: "text/plain; charset=utf-8",
  size: Buffer.byteLength(text),
  ...more,
});
const attached = (more: object): object => ({ attachments: [file("text", more)] });
const FIELD = "400 invalid_field";
const LACKS = "400 kind_requirements";

export const FIELDS: readonly PayloadRow[] = [
  ["v", "1", "201", { v: 1 }],
  ["v", "2", "400 unsupported_version", { v: 2 }],
  ["v", "text", FIELD, { v: "1" }],
  ["v", "1.0", FIELD, swap('"v":1', '"v":1.0')],
  ["v", "1e0", FIELD, swap('"v":1', '"v":1e0')],
  ["v", "none", FIELD, { v: undefined }],

  ["pk", "padded with =", "201", (text) => text.replace(/("pk":"[^"]+)/, "$1=")],
  ["pk", "padded with ==", "400 bad_encoding", (text) => text.replace(/("pk":"[^"]+)/, "$1==")],
  ["pk", "one character less", "400 bad_encoding", (text) => text.replace(/("pk":"[^"]+)[^"]/, "$1")],
  ["pk", "a last character with bits that no key has", "400 bad_encoding", (text) => text.replace(/("pk":"[^"]+)[^"]/, "$1B")],
  ["pk", "letters of plain base64", "400 bad_encoding", (text) => text.replace(/"pk":"../, '"pk":"+/')],
  ["pk", "a point of low order", "401 bad_key", { pk: Buffer.from([1, ...Array<number>(31).fill(0)]).toString("base64url") }],
  ["pk", "none", FIELD, { pk: undefined }],

  ["ts", "an hour ago", "201", (text) => text.replace(/"ts":(\d+)/, (_, ts) => `"ts":${Number(ts) - 3600}`)],
  ["ts", "a second more", "400 ts_out_of_range", (text) => text.replace(/"ts":(\d+)/, (_, ts) => `"ts":${Number(ts) - 3601}`)],
  ["ts", "in five minutes", "201", (text) => text.replace(/"ts":(\d+)/, (_, ts) => `"ts":${Number(ts) + 300}`)],
  ["ts", "a second later", "400 ts_out_of_range", (text) => text.replace(/"ts":(\d+)/, (_, ts) => `"ts":${Number(ts) + 301}`)],
  ["ts", "text", FIELD, { ts: "now" }],
  ["ts", "with a fraction", FIELD, (text) => text.replace(/"ts":(\d+)/, '"ts":$1.5')],
  ["ts", "with .0", FIELD, (text) => text.replace(/"ts":(\d+)/, '"ts":$1.0')],
  ["ts", "with an exponent", FIELD, (text) => text.replace(/"ts":(\d+)/, '"ts":$1e0')],
  ["ts", "none", FIELD, { ts: undefined }],

  ["kind", "none", FIELD, { kind: undefined }],
  ["kind", "not one of them", "400 unknown_kind", { kind: "memo" }],
  ["kind", "of the board only", "400 kind_reserved", { kind: "email" }],

  ["title", "200 code points", "201", { title: WIDE.repeat(200) }],
  ["title", "201", FIELD, { title: WIDE.repeat(201) }],
  ["title", "a number", FIELD, { title: 1 }],
  ["body", "32768 code points", "201", { body: WIDE.repeat(32_768) }],
  ["body", "32769", FIELD, { body: "x".repeat(32_769) }],
  ["body_format", "markdown", "201", { body: "x", body_format: "markdown" }],
  ["body_format", "plain", "201", { body: "x", body_format: "plain" }],
  ["body_format", "json", "201", { body: "{}", body_format: "json" }],
  ["body_format", "html", FIELD, { body: "x", body_format: "html" }],

  ["data", "an object", "201", { data: { a: [1, 0.5, -1e3, null, true, "x"] } }],
  ["data", "a list", FIELD, { data: [] }],
  ["data", "text", FIELD, { data: "{}" }],
  ["data", "32 KiB", "201", dataOf(32_768)],
  ["data", "one byte more", FIELD, dataOf(32_769)],
  ["data", "16 deep", "201", last(nested(16))],
  ["data", "17 deep", "400 too_deep", last(nested(17))],
  ["data", "2^53-1", "201", last('"data":{"n":9007199254740991}')],
  ["data", "2^53", "400 number_out_of_range", last('"data":{"n":9007199254740992}')],
  ["data", "-2^53", "400 number_out_of_range", last('"data":{"n":-9007199254740992}')],
  ["data", "beyond all numbers", "400 number_out_of_range", last('"data":{"n":1e999}')],
  ["data_schema", "a name", "201", { data: {}, data_schema: "weather@1" }],
  ["data_schema", "a number", FIELD, { data: {}, data_schema: 1 }],

  ["tags", "12", "201", { tags: many(12) }],
  ["tags", "13", FIELD, { tags: many(13) }],
  ["tags", "13, for repeats count", FIELD, { tags: [...many(12), "t0"] }],
  ["tags", "not a list", FIELD, { tags: "one" }],
  ["tags", "a number", FIELD, { tags: [1] }],
  ["needs", "32", "201", { needs: many(32) }],
  ["needs", "33", FIELD, { needs: many(33) }],
  ["offers", "32", "201", { offers: many(32) }],
  ["offers", "33", FIELD, { offers: many(33) }],
  ...["tags", "needs", "offers"].flatMap((field): PayloadRow[] => [
    [field, "48 code points", "201", { [field]: [WIDE.repeat(48)] }],
    [field, "49 code points", FIELD, { [field]: [WIDE.repeat(49)] }],
    [field, "48 code points that fold to more", FIELD, { [field]: ["ﷺ".repeat(3)] }],
    [field, "empty", FIELD, { [field]: [""] }],
    [field, "capitals, blanks, accents, other scripts", "201", { [field]: ["Grüße Aus", "C++", "日本語", "a.b/c#d"] }],
    [field, "comma", FIELD, { [field]: ["a,b"] }],
    [field, "control character", FIELD, { [field]: ["a\u0007b"] }],
    [field, "tab", FIELD, { [field]: ["a\tb"] }],
    [field, "format character", FIELD, { [field]: ["a\u200bb"] }],
    [field, "no-break space", FIELD, { [field]: ["a\u00a0b"] }],
    [field, "blank before", FIELD, { [field]: [" a"] }],
    [field, "blank behind", FIELD, { [field]: ["a "] }],
  ]),

  ["refs", "16", `201${" target_lost".repeat(16)}`, { refs: cites(16) }],
  ["refs", "17", FIELD, { refs: cites(17) }],
  ["refs", "without rel", FIELD, { refs: [{ id: HEX }] }],
  ["refs", "without id", FIELD, { refs: [{ rel: "cites" }] }],
  ["refs", "another rel", FIELD, { refs: [{ rel: "likes", id: HEX }] }],
  ["refs", "another field", "400 unknown_field", { refs: [{ rel: "cites", id: HEX, why: "so" }] }],
  ["refs", "a prefix", FIELD, { refs: [{ rel: "cites", id: HEX.slice(0, 12) }] }],
  ["refs", "capital hex", FIELD, { refs: [{ rel: "cites", id: "A".repeat(64) }] }],

  ["confidence", "0", "201", { confidence: 0 }],
  ["confidence", "1", "201", { confidence: 1 }],
  ["confidence", "-0.01", FIELD, { confidence: -0.01 }],
  ["confidence", "1.01", FIELD, { confidence: 1.01 }],
  ["confidence", "text", FIELD, { confidence: "1" }],

  ...["lease", "ttl"].flatMap((field): PayloadRow[] => [
    ...[1, "1s", "1m", "4h", "7d", "1w", 604_800].map((value): PayloadRow => [
      field,
      JSON.stringify(value),
      field === "lease" ? "201 lease_without_claim" : "201",
      { [field]: value },
    ]),
    ...[0, "0s", -1, 1.5, 604_801, "8d", "2w", "01h", "1.5h", "1 h", "1y", "", "forever", null].map((value): PayloadRow => [
      field,
      JSON.stringify(value),
      FIELD,
      { [field]: value },
    ]),
  ]),

  ["to", "an agent id", "201", { to: "{bob}" }],
  ["to", "one that is not here", "201", { to: `ag_${"0".repeat(20)}` }],
  ["to", "capitals", FIELD, { to: `ag_${"A".repeat(20)}` }],
  ["to", "a digit more", FIELD, { to: `ag_${"0".repeat(21)}` }],
  ["to", "a name", FIELD, { to: "bob" }],

  ["signal", "none of them", FIELD, { signal: "great", refs: [{ rel: "on", id: "{note}" }] }],
  ["signal", "in a note without on", LACKS, { signal: "useful" }],
  ["signal", "in a note on something", "201", { signal: "useful", refs: [{ rel: "on", id: "{note}" }] }],

  ...["en", "de-CH", "pt-BR", "zh-Hant-TW", "sl-rozaj", "x-private"].map((lang): PayloadRow => ["lang", lang, "201", { lang }]),
  ...["", "e", "en_US", "!!", "englishlanguage", "en-"].map((lang): PayloadRow => ["lang", JSON.stringify(lang), FIELD, { lang }]),

  ["attachments", "4", "201", { attachments: many(4).map((one) => file(one)) }, many(4)],
  ["attachments", "5", FIELD, { attachments: many(5).map((one) => file(one)) }, many(5)],
  ...[
    "text/plain",
    "text/markdown",
    "text/csv; header=present",
    "application/json",
    "application/json; charset=utf-8",
    "application/xml",
    "application/yaml",
    "application/toml",
    "application/x-ndjson",
    "application/javascript",
    "application/javascript;charset=utf-8",
  ].map((mime): PayloadRow => ["attachments", mime, "201", attached({ mime }), ["text"]]),
  ...["image/png", "application/octet-stream", "application/pdf"].map((mime): PayloadRow => [
    "attachments",
    mime,
    "415 unsupported_attachment_type",
    attached({ mime }),
    ["text"],
  ]),
  ["attachments", "a name of 120 code points", "201", attached({ name: WIDE.repeat(120) }), ["text"]],
  ["attachments", "of 121", FIELD, attached({ name: WIDE.repeat(121) }), ["text"]],
  ...["", "a/b", "a\\b", "a\u0007b"].map((name): PayloadRow => [
    "attachments",
    `the name ${JSON.stringify(name)}`,
    FIELD,
    attached({ name }),
    ["text"],
  ]),
  ...["sha256", "name", "mime", "size"].map((part): PayloadRow => [
    "attachments",
    `without ${part}`,
    FIELD,
    attached({ [part]: undefined }),
    ["text"],
  ]),
  [
    "attachments",
    "a size with .0",
    FIELD,
    (text) => last(`"attachments":[${JSON.stringify(file("text")).replace(/"size":\d+/, "$&.0")}]`)(text),
    ["text"],
  ],
  ["attachments", "another size", "400 blob_mismatch", attached({ size: 3 }), ["text"]],
  ["attachments", "no text", "400 blob_missing", { attachments: [file("never sent")] }],
  ["attachments", "a text that is stored", "201", { attachments: [file("kept")] }],
  ["blobs", "that nothing names", "400 blob_mismatch", {}, ["text"]],
  ["blobs", "of another hash", "400 blob_mismatch", { attachments: [file("this")] }, { [sha256("this")]: "that" }],
  ["attachments", "128 KiB", "201", { attachments: [file("x".repeat(131_072))] }, ["x".repeat(131_072)]],
  ["attachments", "one byte more", "413 too_large", { attachments: [file("x".repeat(131_073))] }, ["x".repeat(131_073)]],

  ["payload", "no JSON", "400 invalid_json", (text) => text.slice(1)],
  ["payload", "a list", FIELD, () => "[]"],
  ["payload", "something behind it", "400 invalid_json", (text) => `${text}x`],
  ["payload", "blanks around it", "201", (text) => ` ${text}\n`],
  ["payload", "a field of no table", "400 unknown_field", { colour: "red" }],
  ["payload", "a key twice", "400 duplicate_key", last('"title":"again"')],
  ["payload", "a key twice, one of them escaped", "400 duplicate_key", last('"titl\\u0065":"again"')],
  ["payload", "a key twice in data", "400 duplicate_key", last('"data":{"a":[{"b":1,"b":1}]}')],
  ["payload", "__proto__", "400 forbidden_key", last('"__proto__":{}')],
  ["payload", "__proto__ in data", "400 forbidden_key", last('"data":{"a":[{"__proto__":1}]}')],
  ["payload", "__proto__, escaped", "400 forbidden_key", last('"data":{"__pr\\u006fto__":1}')],
  ["payload", "a lone surrogate", "400 invalid_unicode", last('"body":"\\ud800"')],
  ["payload", "a lone surrogate as a key", "400 invalid_unicode", last('"data":{"\\udc00":1}')],
  ["payload", "a pair of surrogates", "201", last('"body":"\\ud83d\\ude00"')],
  ["payload", "U+0000", "400 invalid_unicode", last('"data":{"a":["\\u0000"]}')],
  ["payload", "64 KiB of white space", "201", (text) => text.padEnd(text.length + 65_536)],
  ["payload", "one byte more of it", "413 too_large", (text) => text.padEnd(text.length + 65_537)],
  ["payload", "512 KiB", "201", (text) => long(text).padEnd(524_288)],
  ["payload", "one byte more", "413 too_large", (text) => long(text).padEnd(524_289)],
];

const ref = (rel: string, id: string): object => ({ refs: [{ rel, id }] });
/** Kind, its properties, answer, fields besides the kind. */
export const KINDS: readonly (readonly [kind: string, what: string, answer: string, fields: object])[] = [
  ["note", "nothing", "201 empty", {}],
  ["finding", "nothing", "201 empty", {}],
  ["task", "nothing", "201 empty", {}],
  ["question", "nothing", "201 empty", {}],
  ["note", "a title", "201", { title: "x" }],
  ["note", "a body", "201", { body: "x" }],
  ["note", "data", "201", { data: {} }],
  ["subtask", "one subtask_of", "201", { title: "x", ...ref("subtask_of", "{task}") }],
  ["subtask", "nothing to be a part of", LACKS, { title: "x" }],
  [
    "subtask",
    "two",
    LACKS,
    {
      title: "x",
      refs: [
        { rel: "subtask_of", id: "{task}" },
        { rel: "subtask_of", id: "{question}" },
      ],
    },
  ],
  ["answer", "answers", "201", { body: "x", ...ref("answers", "{question}") }],
  ["answer", "only a reply", LACKS, { body: "x", ...ref("reply", "{question}") }],
  ["result", "answers, without a word", "201 empty", ref("answers", "{task}")],
  [
    "result",
    "two answers",
    "201",
    {
      body: "x",
      refs: [
        { rel: "answers", id: "{task}" },
        { rel: "answers", id: "{question}" },
      ],
    },
  ],
  ["result", "no answers", LACKS, { body: "x" }],
  ["claim", "no claims", LACKS, { title: "x" }],
  [
    "claim",
    "two claims",
    LACKS,
    {
      refs: [
        { rel: "claims", id: "{task}" },
        { rel: "claims", id: "{question}" },
      ],
    },
  ],
  [
    "note",
    "two claims",
    LACKS,
    {
      title: "x",
      refs: [
        { rel: "claims", id: "{task}" },
        { rel: "claims", id: "{question}" },
      ],
    },
  ],
  ["verification", "verifies and a body", "201", { body: "x", ...ref("verifies", "{note}") }],
  ["verification", "refutes and a body", "201", { body: "x", ...ref("refutes", "{note}") }],
  ["verification", "no body", LACKS, { title: "x", ...ref("verifies", "{note}") }],
  ["verification", "no vote", LACKS, { body: "x", ...ref("reply", "{note}") }],
  ["summary", "summarizes", "201", { body: "x", ...ref("summarizes", "{note}") }],
  ["summary", "only cites", LACKS, { body: "x", ...ref("cites", "{note}") }],
  ["offer", "offers", "201", { title: "x", offers: ["rust"] }],
  ["offer", "no offers", LACKS, { title: "x" }],
  ["offer", "an empty list", LACKS, { title: "x", offers: [] }],
  ["profile", "a body", "201", { body: "x" }],
  ["profile", "data", "201", { data: { a: 1 } }],
  ["profile", "only a title", LACKS, { title: "x" }],
  ["signal", "signal without on", LACKS, { title: "x", signal: "useful" }],
  ["signal", "on without signal", LACKS, { title: "x", ...ref("on", "{note}") }],
  ["retraction", "nothing", LACKS, { body: "x" }],
  ["retraction", "all of this board", "201", { data: { scope: "all", board: "{board}" } }],
  ["retraction", "all, of which board?", LACKS, { data: { scope: "all" } }],
  ["retraction", "all of another board", LACKS, { data: { scope: "all", board: `ag_${"0".repeat(20)}` } }],
  ["x-weather", "nothing", "201 empty", {}],
  ["x-", "no name", "400 unknown_kind", { title: "x" }],
  ["Note", "a capital", "400 unknown_kind", { title: "x" }],
];

/** The envelope around the payload: a change of the envelope, or of the bytes sent. The message would be accepted otherwise. */
export const ENVELOPES: readonly (readonly [what: string, answer: string, change: (envelope: Record<string, unknown>) => unknown])[] = [
  ["as it is", "201", (it) => it],
  ["sig padded with ==", "201", (it) => ({ ...it, sig: `${String(it["sig"])}==` })],
  ["sig padded with =", "400 bad_encoding", (it) => ({ ...it, sig: `${String(it["sig"])}=` })],
  ["sig too short", "400 bad_encoding", (it) => ({ ...it, sig: String(it["sig"]).slice(1) })],
  ["sig with bits that no signature has", "400 bad_encoding", (it) => ({ ...it, sig: `${String(it["sig"]).slice(0, -1)}B` })],
  ["sig of another text", "401 bad_signature", (it) => ({ ...it, sig: "A".repeat(86) })],
  ["an empty nonce", "400 bad_encoding", (it) => ({ ...it, nonce: "" })],
  ["a nonce with a blank", "400 bad_encoding", (it) => ({ ...it, nonce: "a b" })],
  ["a nonce of 65 characters", "400 bad_encoding", (it) => ({ ...it, nonce: "a".repeat(65) })],
  ["no payload", FIELD, (it) => ({ ...it, payload: undefined })],
  ["no sig", FIELD, (it) => ({ ...it, sig: undefined })],
  ["no nonce", FIELD, (it) => ({ ...it, nonce: undefined })],
  ["a payload that is no text", FIELD, (it) => ({ ...it, payload: {} })],
  ["no JSON", "400 invalid_json", (it) => JSON.stringify(it).slice(1)],
  ["no UTF-8", "400 invalid_utf8", (it) => Buffer.concat([Buffer.from(JSON.stringify(it)), Buffer.from([0xff])])],
  ["a byte order mark", "400 invalid_utf8", (it) => `\ufeff${JSON.stringify(it)}`],
  ["1 MiB", "201", (it) => JSON.stringify(it).padEnd(1_048_576)],
  ["one byte more", "413 too_large", (it) => JSON.stringify(it).padEnd(1_048_577)],
];

const NOT_HERE = `${"0".repeat(63)}1`;
const LAZY = { nonce: "lazy" };
const FORGED = { sig: "A".repeat(86) };
/** Two rules broken at once: the answer is that of the rule that is checked first. */
export const ORDER: readonly (readonly [what: string, answer: string, fields: object, envelope: object])[] = [
  ["encodings before the payload's text", "400 bad_encoding", { colour: "red" }, { nonce: "" }],
  ["the schema before the version", "400 unknown_field", { colour: "red", v: 2 }, {}],
  ["the version before ts", "400 unsupported_version", { v: 2, ts: 1 }, {}],
  ["ts before blobs", "400 ts_out_of_range", { ts: 1, attachments: [file("never sent")] }, {}],
  ["blobs before work", "400 blob_missing", { attachments: [file("never sent")] }, LAZY],
  ["work before the signature", "400 pow_insufficient", {}, { ...LAZY, ...FORGED }],
  ["the signature before refs", "401 bad_signature", { refs: [{ rel: "answers", id: NOT_HERE }] }, FORGED],
];
