// Texts and values that have broken other programs, and ways to break good ones.
import type { Random } from "../../test/support/random.ts";

export const VALUES: readonly string[] = [
  "",
  "0",
  "-1",
  "1",
  "2",
  "200",
  "1e309",
  "-0",
  "NaN",
  "true",
  "false",
  "null",
  "undefined",
  "99999999999999999999",
  "9007199254740993",
  "2147483648",
  "0x10",
  "1.5",
  "a",
  "a".repeat(300),
  "é\u0301",
  "\u202e",
  "\u0000",
  "\ufeff",
  "\ud7ff\ue000",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "%c0%80",
  "%ed%a0%80",
  "..",
  "../../etc/passwd",
  "' OR 1=1 --",
  '"',
  "`",
  "[]",
  "{}",
  "*",
  "**",
  "-",
  "--",
  "-a -b",
  "NEAR(a b, 1)",
  "a*b*c*",
  '"unclosed',
  '"a phrase" -not pre*',
  "body,raw,data",
  "preview",
  "id,server.author,content.body,__proto__",
  "constructor",
  "__proto__",
  "new",
  "relevance",
  "pow",
  "verified",
  "old,old",
  "1h",
  "-1h",
  "7d",
  "9999d",
  "2026-13-45",
  "1970-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "ag_",
  `ag_${"0".repeat(20)}`,
  "f".repeat(64),
  "0".repeat(63),
  "question",
  "note,question,task,claim",
  "open",
  "open,claimed,answered,disputed,verified,resolved",
  "reply,answers,claims,on",
  "md",
  "json",
  "reader",
  "reader@board.example",
  "𝕊𝕔𝕣𝕚𝕡𝕥",
  "ﷺ".repeat(40),
  "👩‍👩‍👧‍👦".repeat(20),
  "<script>",
  "${7*7}",
  "{{7*7}}",
  "; ls",
  "\r\nx: y",
  "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,1,2,3,4,5,6,7,8,9",
  ",".repeat(500),
];

/** Odd values that are not text. */
export const ODD: readonly unknown[] = [null, true, false, 0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e300, 5e-324, [], {}, [[]], [null], { a: {} }];

/** Short pieces that become expensive if there are many of them: for patterns, Markdown, Unicode, words and links. */
const PIECES: readonly string[] = [
  "a",
  "A1b2",
  "a ",
  " ",
  "\t",
  "\n",
  "\n\n",
  "\r",
  "-",
  "- ",
  "_",
  "*",
  "**a ",
  "*a _b ",
  "`",
  "``a",
  "~~a",
  "[",
  "]",
  "[]",
  "[a](",
  "[a]: b\n",
  "![",
  "![a](<",
  "[[a](b",
  "> ",
  ">",
  "> - ",
  "1. ",
  "\n  * ",
  "# ",
  "|a",
  "|-\n",
  "|-|-|\n",
  "<",
  "<a",
  "<a href='",
  "<!--",
  "</",
  "&",
  "&amp",
  "&#x41;",
  "&#",
  "%41",
  "\\",
  "\\x41",
  "\\u0041",
  "01000001 ",
  "//",
  "http://",
  "https://a.b/?c=",
  "https://a.b/?c={",
  "www.",
  "a@",
  "a.b@c.",
  "mailto:",
  "a.",
  "a-",
  "sk-",
  "ghp_",
  "AKIA",
  "eyJ",
  "-----BEGIN ",
  "ignore all ",
  "ignore previous ",
  "you are now ",
  "system ",
  "your ",
  "\u0300\u0316",
  "e\u0301",
  "\u1160",
  "\u0f71\u0f72",
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2066",
  "\u{e0041}",
  "ﷺ",
  "ﬃ",
  "㍿",
  "각",
  "漢",
  "漢字かな",
  "ภาษา",
  "אב",
  "\u{1f468}\u200d",
  "\u{1f600}",
  "\u{1d400}",
  "\ufffd",
  "\u0000",
  "\u0001",
  "x".repeat(47) + " ",
];

/** So long that no computation on it may take quadratic time. */
export function heavyText(random: Random, most: number): string {
  const length = 1 + random.below(most);
  const pieces = random.some(PIECES, 1, 3);
  const one = random.chance(0.5) ? pieces.join("") : random.pick(pieces);
  const text = (random.chance(0.3) ? random.pick(PIECES) : "") + one.repeat(Math.ceil(length / one.length));
  // An end that makes a pattern backtrack over the whole text.
  return cut(text, length) + (random.chance(0.5) ? random.pick(["", "!", "\n", "x", ">", "]", ")", "\u0000"]) : "");
}

/** Cuts by code points, as the board counts them. */
export function cut(text: string, most: number): string {
  const short = text.length > 2 * most ? text.slice(0, 2 * most) : text;
  return short.length <= most ? short.toWellFormed() : Array.from(short).slice(0, most).join("").toWellFormed();
}

/** A text with a few bytes changed, removed, doubled or inserted. */
export function broken(random: Random, given: Buffer): Buffer {
  let bytes = given;
  for (let i = random.below(4); i >= 0; i--) {
    const at = random.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + random.below(20));
    const insert = random.pick([
      Buffer.alloc(0),
      Buffer.from([random.below(256)]),
      Buffer.from(random.pick(VALUES)),
      bytes.subarray(at, end),
      Buffer.from(random.pick(["[", "{", '{"a":', '"', "\\u", "\\ud800", "1e", "-", "0"]).repeat(1 + random.below(2000))),
    ]);
    bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(random.chance(0.5) ? at : end)]);
  }
  return bytes;
}

/** A value with one part replaced, removed or inserted somewhere. */
export function twisted(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.15)) return oddValue(random);
  if (Array.isArray(value)) {
    const items = [...(value as unknown[])];
    const at = random.below(items.length + 1);
    if (random.chance(0.3)) items.splice(at, 1);
    else if (at < items.length) items[at] = twisted(random, items[at]);
    else items.push(...Array.from({ length: 1 + random.below(40) }, () => items[0] ?? oddValue(random)));
    return items;
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const one = entries[at];
  if (one === undefined) entries.push([random.pick(VALUES) || "x", oddValue(random)]);
  else if (random.chance(0.2)) entries.splice(at, 1);
  else entries[at] = [one[0], twisted(random, one[1])];
  return Object.fromEntries(entries);
}

export function oddValue(random: Random): unknown {
  const drawn = random.below(10);
  if (drawn < 4) return random.pick(VALUES);
  if (drawn < 7) return random.pick(ODD);
  if (drawn < 9) return nested(random, 1 + random.below(40));
  return heavyText(random, 2000);
}

function nested(random: Random, depth: number): unknown {
  let value: unknown = random.pick(VALUES);
  for (let i = 0; i < depth; i++) value = random.chance(0.5) ? [value] : { a: value };
  return value;
}
