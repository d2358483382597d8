// words.json: keys as 24 words to write down, and words that are no key.
import { keyWords } from "../src/client/words.ts";
import { toBase64url } from "../src/core/protocol/encoding.ts";
import { ALICE, BOB } from "./keys.ts";

/** As BIP 39 has them for these 32 bytes. */
const PUBLISHED: readonly (readonly [byte: number, words: string])[] = [
  [0x00, `${"abandon ".repeat(23)}art`],
  [
    0x7f,
    "legal winner thank year wave sausage worth useful "
      .repeat(3)
      .trim()
      .replace(/useful$/, "title"),
  ],
  [
    0x80,
    "letter advice cage absurd amount doctor acoustic avoid "
      .repeat(3)
      .trim()
      .replace(/avoid$/, "bless"),
  ],
  [0xff, `${"zoo ".repeat(23)}vote`],
];

export function wordsFile() {
  const own = [ALICE, BOB].map(({ seed }) => ({ seed, words: keyWords({ secret: () => seed }) }));
  const published = PUBLISHED.map(([byte, words]) => ({ seed: toBase64url(new Uint8Array(32).fill(byte)), words }));
  const [first] = own;
  const words = first?.words ?? "";
  return {
    about:
      "The secret key (base64url of its 32 bytes) and the 24 words that stand for it, as BIP 39 has them in English. `spellings` are of the " +
      "first key too; `bad` are words that no reader takes.",
    words: [...own, ...published],
    spellings: [
      words.toUpperCase(),
      words
        .split(" ")
        .map((word, i) => `${i + 1}. ${word}`)
        .join("\n"),
      words.replaceAll(/(\w{4})\w+/g, "$1"),
    ],
    bad: [
      { name: "one is missing", words: words.replace(/ \w+$/, "") },
      { name: "one too many", words: `${words} zoo` },
      { name: "none of the list's", words: words.replace(/^\w+/, "blackboard") },
      { name: "in another order", words: words.split(" ").toReversed().join(" ") },
      { name: "another last word", words: `${"abandon ".repeat(23)}zoo` },
      { name: "no words", words: "" },
    ],
  };
}
