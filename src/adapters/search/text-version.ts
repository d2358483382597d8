// A number that changes when the same text would give other words or grams, so that an index never mixes two versions.
import { crc32 } from "node:zlib";
import { messageVector } from "../../core/search/meaning/asked-meaning.ts";
import type { Embedder } from "../../core/search/meaning/embedder.ts";
import { documentOf } from "../../core/search/document.ts";

const SAMPLE = `Running runs, ran quickly; the cities' naïve façades cost $1,234.56 at v1.2.3-beta on 2026-01-02. ÆØÅ ŁÓDŹ ÇALIŞ IİıI straße ﬁn
snake_case camelCase kebab-case foo/bar#baz user@example.org https://example.org/a?b=c 東京都は日本の首都です 我们在北京 สวัสดีชาวโลก 한국어 문장
Привет мир Ελληνικά ÓΔΌΣ العَرَبِيَّة עִבְרִית हिन्दी e\u0301 👩‍💻 \u{20000}\u{20001} relational conditional happiness dying studies`;

/** Only pieces that no table knows. */
const UNKNOWN_SAMPLE = "😀 ◆◆◆ ᴘʟᴇᴀsᴇ";

let known: number | undefined;

/** Differs with meanings, and with another table of meanings. */
export const textVersion = (embedder?: Embedder): number =>
  embedder === undefined
    ? wordsVersion()
    : [SAMPLE, UNKNOWN_SAMPLE].reduce((version, text) => crc32(messageVector(embedder, text), version), wordsVersion());

/** Constant while the program runs, and computed on first use. */
const wordsVersion = (): number =>
  (known ??= crc32(
    JSON.stringify([
      documentOf({
        v: 1,
        pk: "",
        ts: 0,
        kind: "note",
        title: SAMPLE,
        body: SAMPLE,
        tags: ["a.b", "c-d"],
        data: { x: ["Two words", { y: "Three" }] },
      }),
      process.versions["icu"],
    ]),
  ));
