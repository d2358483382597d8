// Phrases and prefixes on their way through the index: right in every text, and never long in the way of other searches.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { follow } from "../../../test/support/index-life.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { tries } from "../../../test/support/random.ts";
import { seeded } from "../../../test/support/search-cases.ts";
import { clausePostings } from "../../core/search/index/clause.ts";
import { type Clause, parseQuery, type Query } from "../../core/search/query.ts";
import { isPrefixOf, prefixForms } from "../../core/search/prefix.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import { SearchNode } from "./index-service.ts";
import { LocalIndex } from "./local-index.ts";
import { pace } from "./pace.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const query = (q: string): Query => parseQuery(q, "all");

/** How often a clause is in a field, looked for at every place. */
function times({ words, prefix }: Clause, field: readonly string[]): number {
  const forms = prefixForms(words.at(-1) ?? "");
  const fits = (word: string, i: number): boolean => (prefix && i === words.length - 1 ? isPrefixOf(forms, word) : word === words[i]);
  return field.filter((_, from) => words.every((_word, i) => fits(field[from + i] ?? "", i))).length;
}

describe("phrases", () => {
  test("are found as often as they are in a text, whatever repeats itself in it and in the phrase, in memory and in a file", async () => {
    const random = seeded(23);
    const text = (most: number, of = 1 + random(5)): string =>
      Array.from({ length: random(most) }, () => ["a", "b", "ab", "abc", "c"][random(of)]).join(" ");
    const log = new MemoryLog();
    const index = LocalIndex.open(dir);
    const clauses = Array.from({ length: tries(400, 80) }, () => {
      const words = text(7).split(" ");
      return query(words.length > 1 || words[0] !== "" ? `"${words.join(" ")}${random(3) === 0 ? "*" : ""}"` : "a*").clauses[0]!;
    });
    const check = (): void => {
      const documents = log.documents();
      for (const clause of clauses) {
        const found = index.parts().flatMap((part) => {
          const { docs, titles, bodies } = clausePostings(part, clause);
          return [...docs].map((doc, i) => [part.seqs[doc]!, titles[i]!, bodies[i]!]);
        });
        const counts = [...documents].map(([seq, { title, body }]) => [seq, times(clause, title), times(clause, body)] as const);
        expect(found, JSON.stringify(clause)).toEqual(counts.filter(([, title, body]) => title + body > 0));
      }
    };
    for (let round = 0; round < 3; round++) {
      // Asked again after each few texts: what was found before is kept.
      for (let i = 0; i < 8; i++) log.post({ title: text(6), body: text(i === 0 ? 400 : 30) });
      await follow(index, log);
      check();
    }
    await index.flush(pace(0));
    check();
    index.close();
  });

  test("of a word that fills a file are found in its first text and in its last", async () => {
    const log = new MemoryLog();
    const index = LocalIndex.open(dir);
    const ends = ["b c", "c", "b", "c b", "", "b c", "b"];
    for (const end of ends) log.post({ body: `${"a ".repeat(15_000)}${end}` });
    await follow(index, log);
    await index.flush(pace(0));
    const found = (q: string): number[] => index.parts().flatMap((part) => [...clausePostings(part, query(q).clauses[0]!).docs]);
    expect(found('"a b c"')).toEqual([0, 5]);
    expect(found('"a c b"')).toEqual([3]);
    expect(found('"a a b*"')).toEqual([0, 2, 5, 6]);
    expect(found(`"${"a ".repeat(120)}c"`)).toEqual([1, 3]);
    index.close();
  });
});

const TEXTS = 30;
/** Ten phrases with each of a tenth of the words that follow the word of which the texts are full. */
const MANY = Array.from("0123456789", (digit) => `"x a${digit}*"`).join(" ");

/** Texts of `x a0000 x a0007 …` in the memory of an index. */
async function longTexts(): Promise<{ readonly node: SearchNode; readonly log: MemoryLog } & AsyncDisposable> {
  const log = new MemoryLog();
  const node = new SearchNode(LocalIndex.open(dir), log, () => {});
  node.start();
  await eventually("an index", async () => ((await node.status()).ready ? true : undefined));
  for (let text = 0; text < TEXTS; text++)
    log.post({ body: Array.from({ length: 4000 }, (_, i) => `x a${String((text * 911 + i * 7) % 10_000).padStart(4, "0")}`).join(" ") });
  expect(await node.matching(query("x"), { upTo: log.head() })).toHaveLength(TEXTS);
  return { node, log, [Symbol.asyncDispose]: () => node.close() };
}

describe("while one caller has a long phrase looked up", () => {
  test("the words and the phrases of others are found before it", async () => {
    await using texts = await longTexts();
    const { node, log } = texts;
    const upTo = log.post({ body: "well-known" });
    await node.matching(query("known"), { upTo });
    const over: string[] = [];
    const search = (q: string) => node.matching(query(q), { upTo }).then((found) => void over.push(`${q}: ${found.length}`));
    await Promise.all([search(MANY), search("known"), search('"well known"'), search("well-kno*")]);
    expect(over.slice(0, 3).sort()).toEqual(['"well known": 1', "known: 1", "well-kno*: 1"]);
    expect(over[3]).toBe(`${MANY}: ${TEXTS}`);
  });

  test("it pays for each slice, and nothing more is done for it once it cannot pay", async () => {
    await using texts = await longTexts();
    const { node, log } = texts;
    const slices = async (q: string, most: number): Promise<number> => {
      let count = 0;
      const spend = (): void => {
        if (++count > most) throw new Error("used up");
      };
      await atTheCostOf({ lane: "", spend }, () => node.matching(query(q), { upTo: log.head() })).catch((error: unknown) => {
        expect(String(error)).toContain("used up");
      });
      return count;
    };
    expect(await slices(MANY, 3)).toBe(4);
    const all = await slices(MANY, Infinity);
    expect(all).toBeGreaterThan(30);
    // What was looked up is kept in the memory too, and an equal phrase is looked up once.
    expect(await slices(MANY, Infinity)).toBeLessThan(all / 2);
    const once = await slices('"x a*"', Infinity);
    log.post({ body: "another text, so that the caches are not enough" });
    expect(await slices('"x b*"', Infinity)).toBeLessThan(once);
  });

  test("an equal one of another caller is looked up once for both", async () => {
    await using texts = await longTexts();
    const { node, log } = texts;
    const slices = [0, 0];
    const search = (caller: 0 | 1) =>
      atTheCostOf({ lane: "", spend: () => void slices[caller]!++ }, () => node.matching(query('"x a*"'), { upTo: log.head() }));
    const [first, second] = await Promise.all([search(0), search(1)]);
    expect(second).toEqual(first);
    expect(Math.min(...slices) * 4).toBeLessThan(Math.max(...slices));
  });

  test("texts that arrive meanwhile are searched too", async () => {
    await using texts = await longTexts();
    const { node, log } = texts;
    const before = log.head();
    const search = node.matching(query(`${MANY} -"not this*"`), { upTo: before });
    const body = Array.from({ length: 10 }, (_, i) => `x a${i}`).join(" ");
    log.post({ body });
    log.post({ body: `${body} not this` });
    await node.matching(query("x"), { upTo: log.head() });
    const found = await search;
    expect([...found].filter((seq) => seq <= before)).toHaveLength(TEXTS);
    expect(found).not.toContain(before + 2);
  });
});
