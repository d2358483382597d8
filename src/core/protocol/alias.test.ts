import { describe, expect, test } from "vitest";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { PK } from "../../../test/support/payload.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";
import { ALIAS, foldAlias, foldNamedAlias, isReserved, requireAlias } from "./alias-name.ts";
import { aliasDraftOf, aliasReader } from "./alias.ts";

const readAliasEnvelope = (text: string, emptyNonce = false) => aliasDraftOf(aliasReader.read(text), emptyNonce);

const SIG = `${"A".repeat(85)}A`;
const text = (fields: object = {}): string => JSON.stringify({ v: 1, pk: PK, ts: 1767225600, op: "claim", alias: "helper", ...fields });
const body = (payload: unknown, more: object = {}): string => JSON.stringify({ payload, sig: SIG, nonce: "0", ...more });
const read = (payload: unknown, more?: object) => outcome(() => readAliasEnvelope(body(payload, more)));

describe("a name", () => {
  test.each(["abc", "a1b", "a.b", "a-b.c-d", "abc123", "a".repeat(32), `a${".b".repeat(15)}c`])("%s can be claimed", (name) => {
    expect(outcome(() => requireAlias(name))).toBe("ok");
    expect(foldAlias(name.toUpperCase(), "board.example")).toBe(name);
  });
  // oxfmt-ignore
  test.each([
    "", "a", "ab", "1bc", ".bc", "-bc", "ab.", "ab-", "a..b", "a--b", "a.-b", "a-.b", "a_b", "a b", "a+b", "a@b", "Abc", "abC", "ábc", "аbc",
    "a".repeat(33), "abc\n", " abc", "ag_00000000000000000000",
  ])("%j cannot", (name) => {
    expect(outcome(() => requireAlias(name))).toBe("invalid_alias");
  });
  test("of any length costs no time to refuse", () => {
    expect(ALIAS.test(`a${".a".repeat(200_000)}!`)).toBe(false);
    expect(refusalOf(() => requireAlias("x".repeat(100_000))).message.length).toBeLessThan(100);
  });
  test("can be written as an address of this board, and of no other", () => {
    expect(foldAlias("Helper@Board.Example", "board.example")).toBe("helper");
    for (const other of ["helper@elsewhere.example", "helper@", "helper@board.example@board.example", "@board.example", "he lper", ""])
      expect(foldAlias(other, "board.example"), other).toBeUndefined();
  });

  test("can be named with the sign that pages put in front", () => {
    for (const name of ["@Helper", "helper", "@helper@board.example"]) expect(foldNamedAlias(name, "board.example"), name).toBe("helper");
    for (const other of ["@@helper", "@helper@elsewhere.example", "@"])
      expect(foldNamedAlias(other, "board.example"), other).toBeUndefined();
  });
});

// RFC 2142, sections 3 to 5, and the mailbox that RFC 5321 demands.
// oxfmt-ignore
test.each([
  "info", "marketing", "sales", "support", "abuse", "noc", "security", "postmaster", "hostmaster", "usenet", "news", "webmaster", "www", "uucp", "ftp",
  "admin", "root", "mailer-daemon", "no-reply", "api", "localhost",
  "sysadmin", "ssladmin", "guest", "www-data", "autodiscover",
])("nobody can pass for the service as %s", (name) => {
  expect(isReserved(name)).toBe(true);
  expect(isReserved(`${name}1`)).toBe(false);
});

describe("an operation", () => {
  test("is read with its id and its signer", () => {
    const payload = text({ op: "release" });
    expect(readAliasEnvelope(body(payload))).toEqual({
      id: messageId(payload),
      agent: agentId(PK),
      envelope: { payload, sig: SIG, nonce: "0" },
      payload: { v: 1, pk: PK, ts: 1767225600, op: "release", alias: "helper" },
    });
  });

  test.each<[string, unknown, object | undefined, string]>([
    ["a payload that is no text", { v: 1 }, undefined, "invalid_field"],
    ["a payload that is no JSON", "{", undefined, "invalid_json"],
    ["a payload that is a list", "[]", undefined, "invalid_field"],
    ["a field too many", text({ title: "x" }), undefined, "unknown_field"],
    ["a field twice", `${text().slice(0, -1)},"op":"release"}`, undefined, "duplicate_key"],
    ["no alias", text({ alias: undefined }), undefined, "invalid_field"],
    ["another operation", text({ op: "steal" }), undefined, "invalid_field"],
    ["another version", text({ v: 2 }), undefined, "unsupported_version"],
    ["a time with a fraction", text().replace("1767225600", "1767225600.0"), undefined, "invalid_field"],
    ["a time as text", text({ ts: "1767225600" }), undefined, "invalid_field"],
    ["another spelling of the key", text({ pk: `${PK}==` }), undefined, "bad_encoding"],
    ["a name in capitals", text({ alias: "Helper" }), undefined, "invalid_alias"],
    ["another spelling of the signature", text(), { sig: `${SIG}=` }, "bad_encoding"],
    ["an empty nonce", text(), { nonce: "" }, "bad_encoding"],
    ["a nonce with a space", text(), { nonce: "a b" }, "bad_encoding"],
    ["attachments", text(), { blobs: {} }, "unknown_field"],
    ["a payload without end", text({ alias: "x".repeat(600_000) }), undefined, "too_large"],
  ])("with %s is refused", (_what, payload, more, code) => {
    expect(read(payload, more)).toBe(code);
  });

  test("may leave the nonce for later in a dry run only", () => {
    expect(outcome(() => readAliasEnvelope(body(text(), { nonce: "" }), true))).toBe("ok");
    expect(outcome(() => readAliasEnvelope(body(text(), { nonce: " " }), true))).toBe("bad_encoding");
  });
});
