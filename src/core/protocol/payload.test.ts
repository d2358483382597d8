// Every field of the payload: the last value that passes and the first that does not.
import { describe, expect, test } from "vitest";
import { ID, noteText, PK } from "../../../test/support/payload.ts";
import { outcome, refusalOf } from "../../../test/support/outcome.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../../../test/support/vectors.ts";
import { parsePayload } from "./payload.ts";

const note = (fields: Readonly<Record<string, unknown>>): string => outcome(() => parsePayload(noteText(fields)));

/** Values that a field takes, and values that it refuses with `invalid_field`. */
interface FieldRule {
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
}
const tag48 = "a".repeat(48);
const aRef = { rel: "cites", id: ID };
const file = { sha256: ID, name: "a.txt", mime: "text/plain", size: 5 };

const labels = (most: number): FieldRule => ({
  takes: [
    [],
    ["a"],
    ["data", "ops"],
    Array.from({ length: most }, (_, n) => `t${n}`),
    [tag48],
    ["grün", "日本語", "עברית", "ⅻ", "٣", "0"],
    ["c++", "c#", "a.b_c:d/e+f#g-h", "ª"],
    ["𠀀".repeat(48)],
    ["Data", "GRÜN", "ǅ", "a b", "two  blanks", "e\u0301", "👋", "-a", ".a", "#a", "a'b"],
    ["a", "a", "A"],
  ],
  refuses: [
    Array.from({ length: most + 1 }, (_, n) => `t${n}`),
    Array.from({ length: most + 1 }, () => "the same"),
    [""],
    [" "],
    [" a"],
    ["a "],
    [`${tag48}a`],
    ["𠀀".repeat(49)],
    // Longer, or with a comma or a blank at an end, once it is folded.
    ["ﷺ".repeat(3)],
    ["a，b"],
    ["´a"],
    ["a\n"],
    ["a\tb"],
    ["a\u00a0b"],
    ["a\u2028b"],
    ["a,b"],
    ["a\u200b"],
    ["a\u202eb"],
    ["a\ufeff"],
    [1],
    [null],
    "a",
    { 0: "a" },
    null,
  ],
});

const FIELDS: Readonly<Record<string, FieldRule>> = {
  ts: { takes: [0, 1767225600, -1], refuses: ["1767225600", null, true] },
  v: { takes: [1], refuses: ["1", null, true, []] },
  kind: { takes: ["note"], refuses: [1, null, ["note"]] },
  pk: { takes: [PK], refuses: [1, null] },
  title: { takes: ["", "a".repeat(200), "👋".repeat(200)], refuses: ["a".repeat(201), "👋".repeat(201), 1, null, ["a"]] },
  body: { takes: ["a", "a".repeat(32_768), "👋".repeat(32_768)], refuses: ["a".repeat(32_769), "👋".repeat(32_769), 1, null, {}] },
  body_format: { takes: ["markdown", "plain", "json"], refuses: ["html", "Markdown", "", null] },
  data: { takes: [{}, { a: [1, { b: null }] }, { constructor: 1, toString: 2 }], refuses: [[], "{}", 1, true, null] },
  data_schema: { takes: ["email@1", "x", "👋".repeat(200)], refuses: ["", "a".repeat(201), 1, null] },
  tags: labels(12),
  needs: labels(32),
  offers: labels(32),
  refs: {
    takes: [[], [aRef], Array.from({ length: 16 }, () => aRef)],
    refuses: [
      Array.from({ length: 17 }, () => aRef),
      [{ ...aRef, rel: "likes" }],
      [{ ...aRef, rel: "Reply" }],
      [{ ...aRef, rel: "toString" }],
      [{ ...aRef, id: ID.slice(1) }],
      [{ ...aRef, id: `${ID}0` }],
      [{ ...aRef, id: ID.toUpperCase() }],
      [{ rel: "cites" }],
      [{ id: ID }],
      [ID],
      [null],
      aRef,
    ],
  },
  confidence: { takes: [0, 1, 0.5, 1e-9], refuses: [-0.001, 1.001, 2, "0.5", null] },
  ttl: {
    takes: [1, "1s", 60, "60s", "1m", "7d", "1w", 604_800, "24h"],
    refuses: [604_801, "604801s", "8d", "2w", 0, -60, "0d", "7D", "7", "", "1h30m", true, null, ["7d"]],
  },
  lease: { takes: [1, "1s", 60, "1m", "72h", "7d", "1w", 604_800], refuses: [604_801, "169h", "8d", "2w", 0, "0s", -1, "", null] },
  to: { takes: [`ag_${"0".repeat(20)}`], refuses: ["ag_0", `ag_${"A".repeat(20)}`, `ag_${"0".repeat(21)}`, PK, "", null] },
  // oxfmt-ignore
  lang: {
    takes: [
      "en", "EN", "pt-BR", "zh-Hant-TW", "de-CH-1901", "sl-rozaj-biske-1994", "es-419", "yue", "zh-yue-HK", "de-DE-u-co-phonebk", "ar-a-aaa-b-bbb",
      "en-a-bbb-x-a-ccc", "x-whatever", "hy-Latn-IT-arevela", "i-klingon", "en-GB-oed", "sgn-BE-FR", "art-lojban", "zh-min-nan", "qaa-Qaaa-QM-x-southern",
    ],
    refuses: [
      "", "e", "englishly", "en_US", "en-", "-en", "en--US", "de-419-DE", "a-DE", "en-u", "en-x", "x-", "deutschland", "de-DE-1", "i-unknown", "en us",
      "en\n", "ën", "ſn", `x${"-abcdefgh".repeat(8)}`, 1, null,
    ],
  },
  attachments: {
    takes: [
      [],
      [file],
      [file, file, file, file],
      [{ ...file, size: 0 }],
      [{ ...file, name: "👋".repeat(120) }],
      [{ ...file, name: "ä b.txt" }],
    ],
    refuses: [
      [file, file, file, file, file],
      [{ ...file, sha256: ID.toUpperCase() }],
      [{ ...file, sha256: "" }],
      [{ ...file, name: "" }],
      [{ ...file, name: "a".repeat(121) }],
      [{ ...file, name: "a/b" }],
      [{ ...file, name: "a\\b" }],
      [{ ...file, name: "a\nb" }],
      [{ ...file, name: "a\u007f" }],
      [{ ...file, name: "a\u0085" }],
      [{ ...file, size: -1 }],
      [{ ...file, size: "5" }],
      [{ ...file, mime: 1 }],
      ...["sha256", "name", "mime", "size"].map((missing) => [{ ...file, [missing]: undefined }]),
      file,
    ],
  },
};

describe("each field takes what its rule allows and refuses the rest", () => {
  for (const [field, { takes, refuses }] of Object.entries(FIELDS)) {
    test(field, () => {
      for (const value of takes) expect([value, note({ [field]: value })]).toEqual([value, "ok"]);
      for (const value of refuses) expect([value, note({ [field]: value })]).toEqual([value, "invalid_field"]);
    });
  }

  test.for(["v", "pk", "ts", "kind"])("%s cannot be left out, and the refusal says that it was", (field) => {
    const refusal = refusalOf(() => parsePayload(noteText({ [field]: undefined })));
    expect([refusal.code, refusal.message, refusal.details]).toEqual(["invalid_field", `\`${field}\` is missing.`, { field }]);
  });

  test("what passes comes back as it was signed", () => {
    const fields = { title: "T", tags: ["b", "a"], data: { z: 1, a: { constructor: [] } }, ttl: "1w", refs: [aRef], attachments: [file] };
    expect(parsePayload(noteText(fields))).toEqual(JSON.parse(noteText(fields)));
  });
});

describe("a field that does not exist is refused by name, so that a typing error is not lost", () => {
  test.for(["tag", "Title", "", "constructor", "toString", "hasOwnProperty", "id", "sig", "expires_at"])("%j", (field) => {
    const refusal = refusalOf(() => parsePayload(noteText({ [field]: 1 })));
    expect([refusal.code, refusal.details]).toEqual(["unknown_field", { field }]);
  });
  test("also inside refs and attachments", () => {
    expect(note({ refs: [{ ...aRef, note: "x" }] })).toBe("unknown_field");
    const refusal = refusalOf(() => parsePayload(noteText({ attachments: [{ ...file, url: "x" }] })));
    expect([refusal.code, refusal.details]).toEqual(["unknown_field", { field: "attachments.0.url" }]);
  });
  test("a very long name is not repeated in full", () => {
    expect(refusalOf(() => parsePayload(noteText({ ["👋".repeat(9000)]: 1 }))).message.length).toBeLessThan(300);
  });
});

describe("the key has one spelling, with its padding or without", () => {
  test.for([`${PK}==`, `=${PK}`, PK.slice(1), `${PK}A`, PK.replace("_", "/"), `${PK.slice(0, -1)}p`, "", ` ${PK}`, `${PK}\n`])(
    "%j",
    (pk) => {
      expect(note({ pk })).toBe("bad_encoding");
    },
  );

  interface Spelling {
    readonly field: string;
    readonly value: string;
    readonly ok: boolean;
    readonly why: string;
  }
  test.skipIf(noVectors)(`every case of the vectors ${WITH_VECTORS}`, () => {
    for (const { value, ok, why } of vectorJson<Spelling[]>("local/base64url_cases.json").filter((one) => one.field === "pk")) {
      // U+0000 is refused as text before anyone asks what it spells.
      expect([why, note({ pk: value })]).toEqual([
        why,
        ok || why === "padding" ? "ok" : value.includes("\0") ? "invalid_unicode" : "bad_encoding",
      ]);
    }
  });
});

describe("only version 1 is spoken", () => {
  test.for([0, 2, -1, 1767225600])("%i", (v) => {
    expect(note({ v })).toBe("unsupported_version");
  });
});

describe("attachments are text", () => {
  const typed = (mime: string): string => note({ attachments: [{ ...file, mime }] });

  // oxfmt-ignore
  const TAKEN = [
    "text/plain", "text/markdown", "text/csv", "text/html", "text/x-python", "text/vnd.a.b+c", "text/x_y", "Text/Plain", "text/plain; charset=utf-8", "text/plain;charset=UTF-8;", "application/json; a=\"b; c\"",
    "application/json", "application/xml", "application/yaml", "application/toml", "application/x-ndjson", "application/javascript",
  ];
  test.for(TAKEN)("%s is taken", (mime) => {
    expect(typed(mime)).toBe("ok");
  });

  // oxfmt-ignore
  const REFUSED = [
    "image/png", "application/octet-stream", "application/pdf", "application/jsonx", "application/ld+json", "text/", "text", "",
    "text/plain; charset", "text/plain; charset=a b", "text/plain, text/html", `text/plain; a=${"b".repeat(256)}`, "text/plain\n", "text/a/b", " text/plain", "x-text/plain", `text/${"a".repeat(128)}`,
  ];
  test.for(REFUSED)("%j is not", (mime) => {
    const refusal = refusalOf(() => parsePayload(noteText({ attachments: [file, { ...file, mime }] })));
    expect([refusal.code, refusal.status]).toEqual(["unsupported_attachment_type", 415]);
  });
  test("a type made to be read in many ways is read once, and refused", () => {
    for (const hostile of [";  ", "; ;\t", ';a="', "; a=b ", '; a="\\\\"']) {
      const mime = `text/plain${hostile.repeat(Math.floor(240 / hostile.length))}@`;
      expect(typed(mime)).toBe("unsupported_attachment_type");
    }
  });
  test("one may take 128 KiB", () => {
    expect(note({ attachments: [{ ...file, size: 131_072 }] })).toBe("ok");
    expect(note({ attachments: [{ ...file, size: 131_073 }] })).toBe("too_large");
  });
});

test("a misspelt field is refused with the name that was meant", () => {
  const text = JSON.stringify({ v: 1, pk: "x", ts: 1, kind: "note", titel: "t" });
  expect(refusalOf(() => parsePayload(text)).hint).toBe("Did you mean `title`?");
});
