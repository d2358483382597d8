import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { Refusal } from "../errors.ts";
import { documentOf } from "./document.ts";
import { matches, parseQuery } from "./query.ts";

const message = documentOf({
  v: 1,
  pk: "",
  ts: 0,
  kind: "note",
  title: "Sorting networks",
  body: "Running a bitonic sort on foo-bar in 東京都庁. The universities agreed: it's café-proof.",
  tags: ["simd/avx2", "c++"],
  data: { note: "quantum leap" },
});
const finds = (q: string, mode: "all" | "any" = "all"): boolean => matches(parseQuery(q, mode), message);
const refusal = (q: string): Refusal => {
  try {
    parseQuery(q, "all");
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error(`${JSON.stringify(q)} was taken`);
};

test("words are found in title, body, tags and data, in whatever case, accent or English form", () => {
  for (const q of ["network", "RUNS", "sorted", "CAFE", "c++", "avx2", "quantum", "university", "agreeing"]) expect(finds(q), q).toBe(true);
  for (const q of ["java", "c", "network java", "sor"]) expect(finds(q), q).toBe(false);
});

test("all wants every term, any wants one", () => {
  expect(finds("network java", "any")).toBe(true);
  expect(finds("java cobol", "any")).toBe(false);
  expect(finds("network quantum 東京")).toBe(true);
});

test("a phrase wants its words side by side, in one place", () => {
  expect(finds('"bitonic sort"')).toBe(true);
  expect(finds('"bitonic sorting on"')).toBe(true);
  expect(finds('"sort bitonic"')).toBe(false);
  expect(finds('"networks running"'), "title and body are two places").toBe(false);
  expect(finds('"proof simd"'), "body and tag are two places").toBe(false);
  expect(finds('"avx2 c++"'), "two tags are two places").toBe(false);
  expect(finds("“quantum leap”"), "typographic quotes").toBe(true);
  expect(finds('"quantum leap'), "a quote left open").toBe(true);
});

test("a phrase is found wherever it begins, whatever repeats itself in it and in the text", () => {
  const text = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 2, maxLength: 14 });
  const stands = (words: readonly string[], body: readonly string[], prefix: boolean): boolean =>
    body.some((_, from) =>
      words.every((word, i) => (prefix && i === words.length - 1 ? body[from + i]?.startsWith(word) : body[from + i] === word)),
    );
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), fc.boolean(), (words, parts, prefix) => {
      const body = [...parts.flat(), ...(parts.length === 3 ? words : [])];
      const document = documentOf({ v: 1, pk: "", ts: 0, kind: "note", body: body.join(" ") });
      const query = parseQuery(`"${words.join(" ")}${prefix ? "*" : ""}"`, "all");
      expect(matches(query, document)).toBe(stands(words, body, prefix));
    }),
  );
});

test("equal terms are one, so that they are looked up once; they count as several", () => {
  const { clauses, not } = parseQuery('"a b" a-b "a b*" x "A b" -"a b"', "all");
  expect(clauses).toHaveLength(5);
  expect(new Set([...clauses, ...not]).size).toBe(3);
  expect(refusal("w ".repeat(17)).message).toContain("17");
});

test("what the tokenizer splits is a phrase", () => {
  expect(parseQuery("foo-bar 東京都庁", "all").clauses.map(({ words }) => words)).toEqual([
    ["foo", "bar"],
    ["東京", "都庁"],
  ]);
  expect(finds("foo-bar")).toBe(true);
  expect(finds("bar-foo")).toBe(false);
  expect(finds("simd/avx2")).toBe(true);
});

test("pre* finds words by their beginning, also where the word was stemmed or the prefix runs past the stem", () => {
  for (const q of [
    "bito*",
    "runn*",
    "running*",
    "run*",
    "universi*",
    "universities*",
    "univ*",
    "agreein*",
    "東*",
    '"bitonic so*"',
    "foo-b*",
    "c++*",
    "CAF*",
  ]) {
    expect(finds(q), q).toBe(true);
  }
  for (const q of ["xbito*", "runner*", "sortx*", '"sort bito*"', "~*x"]) expect(finds(q), q).toBe(false);
});

test("a minus leaves out, and alone leaves everything else", () => {
  expect(finds("network -java")).toBe(true);
  expect(finds("network -quantum")).toBe(false);
  expect(finds('network -"bitonic sort"')).toBe(false);
  expect(finds('network -"sort bitonic"')).toBe(true);
  expect(finds("network -quant*")).toBe(false);
  expect(finds("java network -quantum", "any")).toBe(false);
  expect(finds("-java")).toBe(true);
  expect(finds("-java", "any")).toBe(true);
  expect(finds("-network")).toBe(false);
});

test("operators of search engines are plain text and never fail", () => {
  for (const q of [
    "network AND",
    "a OR b",
    "NEAR(sort network, 5)",
    "title:network",
    "^network",
    "(sort",
    "sort)",
    "{a b} : x",
    "* network",
    "sort NOT x",
    '""x',
  ]) {
    expect(() => finds(q), q).not.toThrow();
  }
  expect(finds("^network (sorting) :quantum")).toBe(true);
  expect(finds("* network")).toBe(true);
});

test("a query without a word is refused with a hint", () => {
  for (const q of ["", "   ", '""', "-", "***", '- "" ( ) : ^', '-""']) {
    const { code, hint } = refusal(q);
    expect(code, q).toBe("invalid_query");
    expect(hint).toContain("pre*");
  }
});

test("the bounds are 256 characters and 16 terms, both inclusive", () => {
  expect(() => parseQuery("é".repeat(256), "all")).not.toThrow();
  expect(() => parseQuery("𐐨".repeat(256), "all")).not.toThrow();
  expect(refusal("x".repeat(257)).message).toContain("256");
  expect(() => parseQuery("w ".repeat(16), "all")).not.toThrow();
  expect(refusal(`${"w ".repeat(15)} -n "p q"`).message).toContain("17");
});

test("any text is taken or refused as invalid_query, and the words of a message find it", () => {
  const taken = (q: string): void => {
    try {
      matches(parseQuery(q, "all"), message);
    } catch (error) {
      expect(error).toMatchObject({ code: "invalid_query" });
    }
  };
  fc.assert(fc.property(anyText, taken));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', "-", "*", " ", "a", "b'", "東京", "(", "c++"), { maxLength: 40 }).map((parts) => parts.join("")),
      taken,
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), (text) => {
      const document = documentOf({ v: 1, pk: "", ts: 0, kind: "note", body: text });
      if (document.body.length > 0) expect(matches(parseQuery(`"${text.replaceAll(/["“”„«»*]/g, " ")}"`, "all"), document)).toBe(true);
    }),
  );
});

test.skipIf(noVectors)(`naughty strings as queries are taken or refused ${WITH_VECTORS}`, () => {
  for (const q of vectorJson<string[]>("strings/blns.json")) {
    try {
      matches(parseQuery(q, "any"), message);
    } catch (error) {
      expect(error).toMatchObject({ code: "invalid_query" });
    }
  }
});
