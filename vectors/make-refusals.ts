// refusals.json: requests that a fresh board refuses, each for one reason, with the code it gives.
import { ERRORS, type ErrorCode } from "../src/core/errors.ts";
import { toBase64url, utf8Length } from "../src/core/protocol/encoding.ts";
import { sha256Hex } from "../src/core/protocol/node-sha256.ts";
import { encodeScalar } from "../test/support/ed25519.ts";
import { ackRefusals } from "./make-ack-refusals.ts";
import { aliasRefusals } from "./make-alias-refusals.ts";
import { type RefusalCase, shortOf } from "./refusal-case.ts";
import { ALICE, BOB, NOW, payloadText, REQUIRED_BITS, seal } from "./keys.ts";

const refusal = (code: ErrorCode, name: string, body: string): RefusalCase => ({ name, code, status: ERRORS[code].status, body });
const note = (fields: Readonly<Record<string, unknown>> = {}): string => payloadText(ALICE, { kind: "note", body: "Hello", ...fields });
/** A note with more members, written by hand. */
const noteWith = (members: string): string => `${note().slice(0, -1)},${members}}`;
const sealed = (payload: string, more: object = {}): string => JSON.stringify({ ...seal(ALICE, payload), ...more });
const UNKNOWN = "f".repeat(64);

const ofText = (): RefusalCase[] => [
  refusal("invalid_json", "the body is no JSON", "{"),
  refusal("invalid_json", "the payload is no JSON", sealed("{'v':1}")),
  refusal("invalid_json", "the payload has a number with a leading zero", sealed(note().replace('"v":1', '"v":01'))),
  refusal("invalid_field", "the body is an array", "[]"),
  refusal("invalid_field", "the payload is an object instead of a text", JSON.stringify({ ...seal(ALICE, note()), payload: {} })),
  refusal("invalid_field", "the nonce is a number", sealed(note(), { nonce: 1 })),
  refusal("invalid_field", "the signature is missing", JSON.stringify({ payload: note(), nonce: "0" })),
  refusal("duplicate_key", "a key stands twice", sealed(noteWith('"title":"a","title":"b"'))),
  refusal("duplicate_key", "a key stands twice, once escaped", sealed(noteWith('"title":"a","\\u0074itle":"b"'))),
  refusal("duplicate_key", "a key stands twice inside data", sealed(noteWith('"data":{"a":[{"b":1,"b":2}]}'))),
  refusal("forbidden_key", "__proto__ inside data", sealed(noteWith('"data":{"__proto__":1}'))),
  refusal("unknown_field", "of the envelope", sealed(note(), { extra: 1 })),
  refusal("unknown_field", "of the payload", sealed(note({ subject: "x" }))),
  refusal("unknown_field", "of a ref", sealed(note({ refs: [{ rel: "cites", id: UNKNOWN, note: "x" }] }))),
  refusal("invalid_unicode", "half of a surrogate pair", sealed(noteWith('"title":"\\ud800"'))),
  refusal("invalid_unicode", "U+0000", sealed(noteWith('"title":"a\\u0000"'))),
  refusal("too_deep", "17 levels of data", sealed(noteWith(`"data":${'{"a":'.repeat(16)}{}${"}".repeat(16)}`))),
  refusal("number_out_of_range", "an integer beyond 2^53-1", sealed(noteWith('"data":{"n":9007199254740992}'))),
  refusal("number_out_of_range", "a number that is not finite", sealed(noteWith('"data":{"n":1e999}'))),
];

const ofFields = (): RefusalCase[] => {
  const field = (name: string, fields: Readonly<Record<string, unknown>>) => refusal("invalid_field", name, sealed(note(fields)));
  const kind = (name: string, fields: Readonly<Record<string, unknown>>) =>
    refusal("kind_requirements", name, sealed(payloadText(ALICE, fields)));
  return [
    refusal("invalid_field", "ts with a fraction", sealed(note().replace(`"ts":${NOW}`, `"ts":${NOW}.0`))),
    field("a title of 201 characters", { title: "🌍".repeat(201) }),
    field("a body of 32769 characters", { body: "x".repeat(32_769) }),
    field("a body format that does not exist", { body_format: "html" }),
    field("data that is an array", { data: [] }),
    field("a tag with a comma", { tags: ["a,b"] }),
    field("a tag that begins with a blank", { tags: [" data"] }),
    field("a tag of 49 characters", { tags: ["é".repeat(49)] }),
    field("33 needs", { needs: Array.from({ length: 33 }, (_, i) => `t${i}`) }),
    field("13 tags", { tags: Array.from({ length: 13 }, (_, i) => `t${i}`) }),
    field("17 refs", { refs: Array.from({ length: 17 }, () => ({ rel: "cites", id: UNKNOWN })) }),
    field("a rel that does not exist", { refs: [{ rel: "likes", id: UNKNOWN }] }),
    field("a ref to a prefix", { refs: [{ rel: "cites", id: UNKNOWN.slice(0, 8) }] }),
    field("confidence above 1", { confidence: 1.01 }),
    field("a ttl of more than 7 days", { ttl: "8d" }),
    field("a ttl of nothing", { ttl: 0 }),
    field("a lease of more than 7 days", { lease: "169h" }),
    field("a duration without a unit", { ttl: "60" }),
    field("to an alias", { to: "alice" }),
    field("a language that is none", { lang: "english language" }),
    refusal("unsupported_version", "version 2", sealed(note({ v: 2 }))),
    refusal("unknown_kind", "a kind that does not exist", sealed(note({ kind: "shout" }))),
    refusal("kind_reserved", "an e-mail", sealed(note({ kind: "email" }))),
    kind("an answer to nothing", { kind: "answer", body: "Eight." }),
    kind("a claim of two", { kind: "claim", refs: [UNKNOWN, "e".repeat(64)].map((id) => ({ rel: "claims", id })) }),
    kind("a verification that does not say how", { kind: "verification", refs: [{ rel: "verifies", id: UNKNOWN }] }),
    kind("a signal without a word", { kind: "signal", refs: [{ rel: "on", id: UNKNOWN }] }),
    kind("a signal about nothing, on a note", { kind: "note", body: "x", signal: "useful" }),
    kind("two claims in a note", { kind: "note", refs: [UNKNOWN, "e".repeat(64)].map((id) => ({ rel: "claims", id })) }),
    kind("everything withdrawn, on no board in particular", { kind: "retraction", data: { scope: "all" } }),
    kind("an empty offer", { kind: "offer", offers: [] }),
    refusal("ts_out_of_range", "a second too old", sealed(note({ ts: NOW - 3601 }))),
    refusal("ts_out_of_range", "a second too early", sealed(note({ ts: NOW + 301 }))),
    refusal(
      "target_unknown",
      "an answer to what was never here",
      sealed(note({ kind: "answer", refs: [{ rel: "answers", id: UNKNOWN }] })),
    ),
  ];
};

const ofAttachments = (): RefusalCase[] => {
  const text = "Hello";
  const sha256 = sha256Hex(text);
  const attached = (change: object = {}) =>
    note({ attachments: [{ sha256, name: "a.txt", mime: "text/plain", size: utf8Length(text), ...change }] });
  return [
    refusal("blob_missing", "no text", sealed(attached())),
    refusal("blob_mismatch", "another size", sealed(attached({ size: 6 }), { blobs: { [sha256]: text } })),
    refusal("blob_mismatch", "another text", sealed(attached(), { blobs: { [sha256]: "Hallo" } })),
    refusal("blob_mismatch", "a text that no attachment names", sealed(note(), { blobs: { [sha256]: text } })),
    refusal("unsupported_attachment_type", "an image", sealed(attached({ mime: "image/png" }), { blobs: { [sha256]: text } })),
    refusal("too_large", "an attachment of more than 128 KiB", sealed(attached({ size: 131_073 }), { blobs: { [sha256]: text } })),
  ];
};

/** What anybody who checks an envelope must find out without a board: spelling, work, key, signature. */
const ofProof = (): RefusalCase[] => {
  const payload = note();
  const good = seal(ALICE, payload);
  const withPk = (pk: string) => sealed(note({ pk }));
  const lowOrder = toBase64url(encodeScalar(1n));
  return [
    refusal("bad_encoding", "pk with more padding than it has", withPk(`${ALICE.pk}==`)),
    refusal("bad_encoding", "pk with spare bits", withPk("A".repeat(42) + "B")),
    refusal("bad_encoding", "sig with half its padding", sealed(payload, { sig: `${good.sig}=` })),
    refusal("bad_encoding", "sig with spare bits", sealed(payload, { sig: "A".repeat(85) + "B" })),
    refusal("bad_encoding", "an empty nonce", sealed(payload, { nonce: "" })),
    refusal("bad_encoding", "a nonce with a space", sealed(payload, { nonce: "a b" })),
    refusal("bad_encoding", "a nonce of 65 characters", sealed(payload, { nonce: "0".repeat(65) })),
    refusal("pow_insufficient", "one bit short", sealed(payload, { nonce: shortOf(payload, REQUIRED_BITS) })),
    refusal("bad_key", "a key of low order", withPk(lowOrder)),
    refusal("bad_signature", "a signature of another text", sealed(payload, { sig: ALICE.sign(`${payload} `) })),
    refusal("bad_signature", "a signature by another key", sealed(payload, { sig: BOB.sign(payload) })),
  ];
};

export const refusalsFile = () => ({
  about:
    "Bodies of POST /api/messages (`board` and `proof`), POST /api/aliases (`alias`) and POST /api/acks (`ack`) that a fresh board refuses at the time `now`. " +
    "Those under `proof` any reader of an envelope can refuse without a board, with the same code.",
  now: NOW,
  required_bits: REQUIRED_BITS,
  board: [...ofText(), ...ofFields(), ...ofAttachments()],
  proof: ofProof(),
  alias: aliasRefusals(),
  ack: ackRefusals(),
});
