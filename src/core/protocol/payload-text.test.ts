// The payload as text: JSON, spelling of integers, depth and size.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { ID, noteText, noteWith, paddedTo } from "../../../test/support/payload.ts";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { noVectors, vectorBytes, vectorFiles, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { readText } from "../../transports/http/body-text.ts";
import { LIMITS } from "./limits.ts";
import { parsePayload, payloadSchema } from "./payload.ts";

const read = (text: string): string => outcome(() => parsePayload(text));
const file = { sha256: ID, name: "a.txt", mime: "text/plain", size: 5 };

describe("integers are written as integers, because 1.0 and 1 sign to different bytes for the same value", () => {
  test.for(["ts", "v", "ttl", "lease"])("%s", (field) => {
    for (const spelling of ["60.0", "6e1", "6E+1", "600e-1", "60.5"]) {
      const text = noteText({ [field]: undefined }).slice(0, -1);
      const refusal = refusalOf(() => parsePayload(`${text},"${field}":${spelling}}`));
      expect([spelling, refusal.code, refusal.details]).toEqual([spelling, "invalid_field", { field }]);
    }
  });
  test("size", () => {
    const text = (size: string) => noteWith("attachments", JSON.stringify([file, { ...file, size: 77 }]).replace("77", size));
    expect(read(text("1000"))).toBe("ok");
    for (const size of ["1000.0", "1e3"]) {
      expect(refusalOf(() => parsePayload(text(size))).details).toEqual({ field: "attachments.1.size" });
    }
  });
  test("confidence and data may hold any number", () => {
    expect(read(noteWith("confidence", "1.0"))).toBe("ok");
    expect(read(noteWith("confidence", "5e-1"))).toBe("ok");
    expect(read(noteWith("data", '{"v":1.0,"ts":1e3,"attachments":[{"size":1.0}]}'))).toBe("ok");
  });
});

describe("the text of the payload", () => {
  test.for(["", "{", "{}x", "{'v':1}", '{"v":01}', '{"v":NaN}', "\ufeff{}", '{"a":"\u0001"}', "undefined", '{"a":1,}'])(
    "%j is not JSON",
    (text) => {
      expect(read(text)).toBe("invalid_json");
    },
  );
  test.for(["[]", "1", '"x"', "null", "true", "[{}]"])("%s is JSON but not an object", (text) => {
    expect(read(text)).toBe("invalid_field");
  });
  test.for([
    ["a repeated field", noteWith("kind", '"note"'), "duplicate_key"],
    ["a repeated field, escaped", `${noteText().slice(0, -1)},"\\u006bind":"task"}`, "duplicate_key"],
    ["a repeated key deep in data", noteWith("data", '{"a":[{"b":1,"\\u0062":2}]}'), "duplicate_key"],
    ["__proto__ as a field", noteWith("__proto__", "{}"), "forbidden_key"],
    ["__proto__ in data", noteWith("data", '{"a":{"__proto__":{}}}'), "forbidden_key"],
    ["a lone surrogate, escaped", noteWith("title", '"\\ud800"'), "invalid_unicode"],
    ["a lone surrogate, raw", noteWith("title", '"\ud800"'), "invalid_unicode"],
    ["a lone surrogate in a key", noteWith("data", '{"\\udc00":1}'), "invalid_unicode"],
    ["U+0000", noteWith("title", '"a\\u0000"'), "invalid_unicode"],
    ["an endless number", noteWith("data", '{"n":1e999}'), "number_out_of_range"],
    ["an integer beyond 2^53-1", noteWith("data", '{"n":9007199254740992}'), "number_out_of_range"],
    ["a ts beyond 2^53-1", noteText().replace("1767225600", "9007199254740993"), "number_out_of_range"],
  ] as const)("%s is %s", ([, text, code]) => {
    expect(read(text)).toBe(code);
  });

  test("data may nest 16 levels, itself included, and not 17", () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
    expect(read(noteWith("data", nested(16)))).toBe("ok");
    expect(read(noteWith("data", nested(17)))).toBe("too_deep");
    const arrays = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect([read(noteWith("data", arrays(16))), read(noteWith("data", arrays(17)))]).toEqual(["ok", "too_deep"]);
  });

  test("data may take 32 KiB of JSON text in UTF-8, white space included", () => {
    const padded = (bytes: number, filler: string) => `{"a":"${filler}${"x".repeat(bytes - 8 - Buffer.byteLength(filler))}"}`;
    for (const filler of ["", "日本語"]) {
      expect(Buffer.byteLength(padded(32_768, filler))).toBe(32_768);
      expect(read(noteWith("data", padded(32_768, filler)))).toBe("ok");
      expect(refusalOf(() => parsePayload(noteWith("data", padded(32_769, filler)))).details).toEqual({ field: "data" });
    }
    expect(read(noteWith("data", `{${" ".repeat(32_766)}}`))).toBe("ok");
    expect(read(noteWith("data", `{${" ".repeat(32_767)}}`))).toBe("invalid_field");
    expect(read(noteWith("data", ` ${" ".repeat(40_000)}{} `))).toBe("ok");
  });

  test("the payload may take 512 KiB in UTF-8, and is measured before it is parsed", () => {
    const padded = (bytes: number, title = "e") => paddedTo(noteText({ body: undefined, title }), bytes);
    expect(read(padded(LIMITS.payload_bytes))).toBe("ok");
    expect(read(padded(LIMITS.payload_bytes + 1))).toBe("too_large");
    expect(read(padded(LIMITS.payload_bytes, "é"))).toBe("too_large");
    expect(read("x".repeat(LIMITS.payload_bytes + 1))).toBe("too_large");
    expect(LIMITS.payload_bytes).toBe(524_288);
  });

  test("64 KiB of white space may stand between its values, before and after them: nobody fills a disk with nothing", () => {
    const spaced = (before: number, between: number, after: number) =>
      " ".repeat(before) + noteText().replace(",", `,${"\n".repeat(between)}`) + "\t".repeat(after);
    for (const where of [
      [65_536, 0, 0],
      [0, 65_536, 0],
      [0, 0, 65_536],
      [20_000, 25_536, 20_000],
    ] as const) {
      const [before, between, after] = where;
      expect(read(spaced(before, between, after))).toBe("ok");
      expect(read(spaced(before, between, after + 1))).toBe("too_large");
    }
    // Inside a string it is content.
    expect(read(noteText({ body: " ".repeat(32_768), title: "x", data: { a: " ".repeat(32_000) } }))).toBe("ok");
  });
});

describe.skipIf(noVectors)(`JSONTestSuite: the board and its readers agree on what JSON is ${WITH_VECTORS}`, () => {
  const files = noVectors ? [] : [...vectorFiles("json/JSONTestSuite/test_parsing"), ...vectorFiles("json/JSONTestSuite/test_transform")];
  const named = (prefix: string) => files.filter((path) => path.includes(`/${prefix}`));
  /** The file as the payload itself and as a value inside `data`. */
  const outcomes = (path: string): string[] => {
    const bytes = vectorBytes(path);
    return [outcome(() => parsePayload(readText(bytes))), outcome(() => parsePayload(noteWith("data", `{"value":${readText(bytes)}}`)))];
  };

  test("the suite is all there", () => {
    expect([named("y_").length, named("n_").length, named("i_").length]).toEqual([95, 188, 35]);
  });
  test.for(named("n_"))("refuses %s", (path) => {
    for (const code of outcomes(path)) expect(["invalid_json", "invalid_utf8"]).toContain(code);
  });
  test.for(named("y_"))("reads %s", (path) => {
    for (const code of outcomes(path)) expect(["invalid_json", "invalid_utf8"]).not.toContain(code);
    expect(["ok", "duplicate_key", "invalid_unicode", "number_out_of_range"]).toContain(outcomes(path)[1]);
  });
  test("takes or refuses the undefined cases and the transforms, and never breaks", () => {
    for (const path of files) expect(outcomes(path)).toHaveLength(2);
  });
});

test("no text whatever makes parsePayload throw anything but a refusal", () => {
  const json = fc.json();
  const fieldNames = [...Object.keys(payloadSchema.shape), "other"];
  const almost = fc.dictionary(fc.constantFrom(...fieldNames), fc.jsonValue()).map((fields) => noteText(fields as Record<string, unknown>));
  fc.assert(
    fc.property(fc.oneof(anyText, json, almost, almost), (text) => {
      expect(typeof read(text)).toBe("string");
    }),
    { numRuns: 1500 },
  );
});
