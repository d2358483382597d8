// What JSON.parse hides from the board and another reader of the same bytes would see.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { requireFewValues, scanText } from "./scan-json-text.ts";

const DEPTH = 5;
const scan = (text: string): string => {
  JSON.parse(text); // The grammar holds in every case here.
  return outcome(() => scanText(text, DEPTH));
};

describe("a key that stands twice would mean one thing to the board and another to a reader", () => {
  test.for([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"\\u0061":2}',
    '{"é":1,"\\u00e9":2}',
    '{"👋":1,"\\ud83d\\udc4b":2}',
    '{"a/b":1,"a\\/b":2}',
    '{"":1,"":2}',
    '{"x":{"a":1,"a":2}}',
    '{"x":[{"b":{"a":1,"a":2}}]}',
    '{"x":[[],{},{"a":[1,{}],"a":2}]}',
    '{ "a" : {} , "a" : {} }',
    '{"toString":1,"toString":2}',
  ])("%s", (text) => {
    expect(scan(text)).toBe("duplicate_key");
  });

  test.for([
    '{"a":1,"A":2}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":["a","a","a"],"b":[{"a":1},{"a":2}]}',
    '{"é":1,"e\\u0301":2}',
    '{"constructor":1,"toString":2,"hasOwnProperty":3}',
    '{"a\\\\":1,"a":2,"a\\"":3}',
    "{}",
    "[]",
    ' \n\t\r{"a" :\t[ 1 ,\n2 ] } \n',
  ])("different keys are left alone: %s", (text) => {
    expect(scan(text)).toBe("ok");
  });
});

describe("a key that changes an object's prototype is refused", () => {
  test.for(['{"__proto__":1}', '{"\\u005f_proto__":{}}', '{"a":[{"__proto__":null}]}'])("%s", (text) => {
    expect(scan(text)).toBe("forbidden_key");
  });
  test.for(['{"a":"__proto__"}', '["__proto__"]', '{"__proto":1,"proto__":2,"__PROTO__":3}'])("%s is harmless", (text) => {
    expect(scan(text)).toBe("ok");
  });
});

describe("text that cannot be written as UTF-8, or ends early in C, is refused", () => {
  test.for([
    '{"a":"\\ud800"}',
    '{"a":"\\udc00"}',
    '{"a":"\\uDBFFx"}',
    '{"a":"\\ud83d\\n\\udc4b"}',
    '{"a":"\\ud83d\\u0041"}',
    '{"a":"\\udc4b\\ud83d"}',
    '{"a":"\\ud83d\\ud83d\\udc4b"}',
    '{"\\ud800":1}',
    '{"a":[{"\\udfff":1}]}',
    '{"a":"\\u0000"}',
    '{"a":"x\\u0000y"}',
    '{"\\u0000":1}',
    '{"a":"\ud800"}',
    '{"a":"\udc4b\ud83d"}',
    '{"\udc00":1}',
    '{"a":"\ud83d\\udc4b"}',
    '{"a":"\\ud83d\udc4b"}',
  ])("%j", (text) => {
    expect(scan(text)).toBe("invalid_unicode");
  });

  test.for([
    '{"a":"\\ud83d\\udc4b"}',
    '{"a":"\\uD83D\\uDC4B\\ud83d\\udc4b"}',
    '{"a":"👋"}',
    '{"a":"\\\\ud800"}',
    '{"a":"\\\\u0000"}',
    '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t"}',
    '{"a":"\\u0001\\uffff\\ue000\\ud7ff"}',
  ])("whole characters pass: %j", (text) => {
    expect(scan(text)).toBe("ok");
  });
});

test.for(['"a \\"word\\""', "1.5", "{}", "[]", "true", "null"])("keys and values are bounded, whatever they are: %s", (value) => {
  // The list is a value too.
  const values = (count: number): string => `[${Array.from({ length: count - 1 }, () => value).join()}]`;
  const count = (text: string, most?: number) => outcome(() => requireFewValues(text, "The body", most));
  expect([count(values(25_000)), count(values(25_001))]).toEqual(["ok", "invalid_field"]);
  expect([count(values(100), 100), count(values(101), 100)]).toEqual(["ok", "invalid_field"]);
});

describe("nesting is bounded", () => {
  const arrays = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  const objects = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);

  test("the last allowed level passes and one more does not", () => {
    expect([scan(arrays(DEPTH)), scan(objects(DEPTH))]).toEqual(["ok", "ok"]);
    expect([scan(arrays(DEPTH + 1)), scan(objects(DEPTH + 1))]).toEqual(["too_deep", "too_deep"]);
  });
  test("siblings do not add up", () => {
    expect(scan(`[${Array.from({ length: 50 }, () => arrays(DEPTH - 1)).join()}]`)).toBe("ok");
  });
  test("brackets in strings do not count", () => {
    expect(scan(JSON.stringify({ a: arrays(50), b: objects(50) }))).toBe("ok");
  });
  test("a hundred thousand levels are refused, not a crash", () => {
    expect([scan(arrays(100_000)), scan(objects(100_000))]).toEqual(["too_deep", "too_deep"]);
  });
});

describe("a number that readers would round differently is refused", () => {
  test.for(["1e400", "-1e400", "1E+309", "9007199254740992", "-9007199254740992", "123456789012345678901234567890", `1${"0".repeat(400)}`])(
    "%s",
    (number) => {
      expect([scan(`[${number}]`), scan(`{"a":{"b":${number}}}`)]).toEqual(["number_out_of_range", "number_out_of_range"]);
    },
  );
  test.for(["9007199254740991", "-9007199254740991", "0", "-0", "1.5", "1e308", "6.02e23", "1e-999", "0.1"])("%s passes", (number) => {
    expect([scan(`[${number}]`), scan(`{"a":{"b": ${number} }}`)]).toEqual(["ok", "ok"]);
  });
});

describe("what the text says about itself", () => {
  test("numbers with a fraction or exponent are named by their path, down to the third level", () => {
    const { notIntegers } = scanText(
      '{"v":1.0,"ts":1,"a":[{"size":1e3},2,{"size":3},-0.0],"b":{"c":{"d":1.5}},"e":-1,"f":1E2,"g":[[[0.5]]]}',
      9,
    );
    expect([...notIntegers].sort()).toEqual(["a.0.size", "a.3", "b.c.d", "f", "v"]);
  });

  test("the span of each outermost value is its exact text", () => {
    const text = '{ "a" : [1, {"b":"}"}] ,"b":"x\\"]","c":-1.5e3\n,"d":true,"e":null ,"\\u0066":false,"g":{}}';
    const { spans } = scanText(text, 9);
    const values = Object.fromEntries([...spans].map(([key, [start, end]]) => [key, text.slice(start, end)]));
    expect(values).toEqual({ a: '[1, {"b":"}"}]', b: '"x\\"]"', c: "-1.5e3", d: "true", e: "null", f: "false", g: "{}" });
  });
});

describe("the refusal says where", () => {
  test.for([
    ['{"data":{"list":[{"x":1},{"x":1,"x":2}]}}', "data.list.1.x"],
    ['{"data":{"list":[1,2,"\\ud800"]}}', "data.list.2"],
    ['{"data":{"n":9007199254740992}}', "data.n"],
    ['{"data":{"a":{"b":{"c":{"d":[]}}}}}', "data.a.b.c.d"],
    ['{"data":{"__proto__":{}}}', "data.__proto__"],
  ] as const)("%s", ([text, field]) => {
    const refusal = refusalOf(() => scanText(text, DEPTH));
    expect(refusal.details).toEqual({ field });
    expect(refusal.message).toContain(`\`${field}\``);
  });

  test("without repeating a long key of the sender's", () => {
    const key = "👋".repeat(100_000);
    const refusal = refusalOf(() => scanText(JSON.stringify({ [key]: [1, 2 ** 53] }), DEPTH));
    expect(refusal.message.length).toBeLessThan(200);
    expect(refusal.message.isWellFormed()).toBe(true);
  });
});

test("a long key over many numbers costs no more than its text: paths do not multiply it", () => {
  const text = `{"${"k".repeat(200_000)}":[${Array.from({ length: 20_000 }, () => "1.5").join()}]}`;
  const { notIntegers } = scanText(text, DEPTH);
  expect([...notIntegers].reduce((sum, path) => sum + path.length, 0)).toBeLessThan(10 * text.length);
});

/** The rules again, on a tree of fast-check's own making instead of on text. */
type Node = null | boolean | number | string | { items: Node[] } | { entries: [string, Node][] };

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 7, depthIdentifier: "json" },
    fc.constantFrom<Node>(null, true, false, 0, -7, 2.5, 2 ** 53, -(2 ** 53), 2 ** 53 - 1),
    fc.string({ unit: fc.constantFrom("a", '"', "\\", "{", "]", ",", "é", "👋", "\u0001", "\n", "\ud83d", "\udc4b"), maxLength: 4 }),
    fc.record({ items: fc.array(tie("node"), { maxLength: 3, depthIdentifier: "json" }) }),
    fc.record({
      entries: fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d", "é", '"', "__proto__"), tie("node")), {
        maxLength: 3,
        depthIdentifier: "json",
      }),
    }),
  ),
}));

function faults(value: Node, depth = 1): Set<string> {
  const found = new Set<string>();
  if (typeof value === "string" && !value.isWellFormed()) found.add("invalid_unicode");
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) found.add("number_out_of_range");
  if (typeof value !== "object" || value === null) return found;
  if (depth > DEPTH) found.add("too_deep");
  if ("entries" in value) {
    const keys = value.entries.map(([key]) => key);
    if (new Set(keys).size < keys.length) found.add("duplicate_key");
    if (keys.includes("__proto__")) found.add("forbidden_key");
  }
  const children = "items" in value ? value.items : value.entries.map(([, child]) => child);
  return children.reduce((all, child) => all.union(faults(child, depth + 1)), found);
}

function write(value: Node, quote: (text: string) => string): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if ("items" in value) return `[ ${value.items.map((item) => write(item, quote)).join(" ,")}]`;
  return `{${value.entries.map(([key, child]) => `${quote(key)}: ${write(child, quote)}`).join(",\n")} }`;
}

const escapeAll = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")}"`;

test.for([
  ["as JSON.stringify writes it", JSON.stringify],
  ["with every character escaped", escapeAll],
] as const)("on any JSON text, %s, the scan finds a fault exactly where the rules name one", ([, quote]) => {
  fc.assert(
    fc.property(node, (value) => {
      const expected = faults(value);
      const found = scan(write(value, quote));
      if (expected.size === 0) expect(found).toBe("ok");
      else expect([...expected]).toContain(found);
    }),
    { numRuns: 2000 },
  );
});

test("keys and values are counted as they are: any JSON has as many as walking through it finds", () => {
  const walked = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    const inner = Object.values(value).reduce<number>((sum, one) => sum + walked(one), 1);
    return Array.isArray(value) ? inner : inner + Object.keys(value).length;
  };
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(4), (text, blanks) => {
      const spaced = JSON.stringify(JSON.parse(text), null, blanks);
      const count = walked(JSON.parse(text));
      expect(outcome(() => requireFewValues(spaced, "It", count))).toBe("ok");
      expect(outcome(() => requireFewValues(spaced, "It", count - 1))).toBe("invalid_field");
    }),
  );
});
