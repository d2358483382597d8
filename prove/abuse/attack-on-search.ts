// Searches that cost more to answer than to ask: for phrases and beginnings of words of which long texts are full.
import { setTimeout as pause } from "node:timers/promises";
import { wordOf } from "../../bench/support/generated-messages.ts";
import { Agent } from "../../test/support/agent.ts";
import { quantile } from "../support/memory-and-quantiles.ts";
import { type Attack, READER, READS } from "./attack.ts";
import { type Ask, Caller } from "./caller.ts";
import { posting, sealed } from "./sealed-posts.ts";

/** As many as one address can post at once, by its bytes. */
const TEXTS = 46;
const WORDS = 9362;
const AGENTS = 8;
/** Every so many searches there is another text: one in four seconds, as its address may. */
const TEXT_EVERY = 100;
/** The longest query. */
const CHARS = 256;
const TERMS = 16;
const HONEST_EVERY_MS = 600;
const MOST_MS = 250;

const base36 = (n: number): string => (n % 36 ** 3).toString(36).padStart(3, "0");
/** Half of them `x a000 x a007 …`, half of them `a a a …`. */
const bodyOf = (text: number): string =>
  text % 2 === 0
    ? Array.from({ length: WORDS / 2 }, (_, i) => `x a${base36(text * 911 + i * 7)}`).join(" ")
    : `${"a ".repeat(WORDS)}${text}`;

const quoted = (words: readonly string[]): string => `"${words.join(" ")}"`;
/** Each is another one, because what was found before is kept. */
const QUERIES: readonly ((i: number) => string)[] = [
  (i) => Array.from({ length: TERMS }, (_, n) => quoted(["x", `a${base36(i * TERMS + n).slice(1)}*`])).join(" "),
  (i) => `${`${quoted(["x", "a*"])} `.repeat(TERMS - 1)}-${i}`,
  (i) => quoted(Array.from({ length: CHARS / 2 - 8 - (i % 50) }, () => "a")),
  (i) => quoted([...Array.from({ length: CHARS / 2 - 8 - (i % 50) }, () => "a"), `${base36(i)}*`]),
];
const SORTS = ["", "&sort=new"];
const searchFor = (i: number): Ask => {
  const q = encodeURIComponent(QUERIES[i % QUERIES.length]!(i));
  return { path: `/api/messages?limit=1&q=${q}${SORTS[Math.floor(i / QUERIES.length) % SORTS.length]}` };
};

/** Somebody else at another address, who searches for phrases of two words until the returned function is called; it tells how long it took. */
function searchMeanwhile(port: number): () => Promise<{ readonly waitedMs: number; readonly refused: number }> {
  const other = new Caller(port, READER);
  const ms: number[] = [];
  const over = new AbortController();
  const searching = (async (): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n++) {
      const began = performance.now();
      await other.ask({ path: `/api/messages?limit=5&q=${encodeURIComponent(quoted([wordOf(n % 30), wordOf(30 + n)]))}` });
      ms.push(performance.now() - began);
      await pause(HONEST_EVERY_MS);
    }
  })();
  return async () => {
    over.abort();
    await searching;
    other.leave();
    return { waitedMs: Math.round(quantile(ms, 0.9)), refused: ms.length - (other.heard["200"] ?? 0) };
  };
}

export const PHRASES: Attack = {
  name: "phrases",
  sends: `searches for phrases and beginnings of words of which ${TEXTS} long texts are full, and more such texts`,
  meets: { least: 10, of: ["200", "429 half way"] },
  begin: async ({ caller, seconds }) => {
    const agents = Array.from({ length: AGENTS }, () => new Agent());
    const texts = Array.from({ length: TEXTS + Math.ceil(((READS.perSecond + 1) * seconds + READS.burst) / TEXT_EVERY) }, (_, i) =>
      posting(sealed(agents[i % AGENTS]!, { kind: "note", title: `text ${i}`, body: bodyOf(i) })),
    );
    for (const text of texts.splice(0, TEXTS)) await caller.ask(text);
    return async () => {
      const ended = searchMeanwhile(caller.port);
      await caller.pace(READS, seconds, (i) => (i % TEXT_EVERY === 0 ? texts[i / TEXT_EVERY] : undefined) ?? searchFor(i));
      const { waitedMs, refused } = await ended();
      return { waitedMs, refused, texts: caller.heard["201"] ?? 0 };
    };
  },
  judge: ({ notes: { waitedMs = 0, refused = 0, texts = 0 } }) => [
    { held: texts >= TEXTS, words: `${texts} texts accepted` },
    { held: waitedMs <= MOST_MS, words: `9 of 10 searches of another caller took at most ${waitedMs} ms (${MOST_MS} at most)` },
    { held: refused === 0, words: `${refused} of them refused` },
  ],
};
