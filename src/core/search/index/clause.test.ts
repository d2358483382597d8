// Phrases of common words: looked for in steps, and kept where the part does not change.
import { expect, test } from "vitest";
import { BoundedCache } from "../../bounded-cache.ts";
import { documentOfText } from "../document.ts";
import type { Clause } from "../query.ts";
import { parseQuery } from "../query.ts";
import { clausePostings, clauseSteps } from "./clause.ts";
import { Memtable } from "./memtable.ts";
import type { FoundClause, IndexPart, Postings } from "./index-part.ts";

const TEXTS = ["alpha beta alpha beta", "beta alpha", "alpha gamma beta", "gamma alpha beta", "gamma"];
const DOCUMENTS = 40_000;

test("a phrase of common words, also with an open end, lets other work run between its steps, and is not searched twice", () => {
  const memtable = new Memtable();
  const documents = TEXTS.map((text) => documentOfText(text));
  for (let i = 0; i < DOCUMENTS; i++) memtable.add(i + 1, documents[i % TEXTS.length]!);
  const phrases = new BoundedCache<string, FoundClause>(2 * DOCUMENTS, ({ postings: { docs } }) => docs.length);
  const part: IndexPart = Object.assign(memtable, { phrases, prepared: new WeakMap<Clause, FoundClause>() });
  const inSteps = (clause: Clause): Postings => {
    const steps = clauseSteps(part, clause);
    let turns = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) turns++;
    expect(turns).toBeGreaterThan(clause.words.length === 1 ? 0 : 5);
    return step.value;
  };
  const found = inSteps({ words: ["alpha", "beta"], prefix: false });
  expect(found.docs).toHaveLength((DOCUMENTS * 2) / TEXTS.length);
  expect([...found.docs.subarray(0, 4)]).toEqual([0, 3, 5, 8]);
  expect([...found.bodies.subarray(0, 4)].map((count, i) => count + found.titles[i]!)).toEqual([2, 1, 2, 1]);
  expect(clausePostings(part, { words: ["alpha", "beta"], prefix: false })).toBe(found);
  expect(clauseSteps(part, { words: ["alpha", "beta"], prefix: false }).next()).toEqual({ done: true, value: found });
  expect(clausePostings(part, { words: ["beta", "gamma"], prefix: false }).docs).toHaveLength(0);
  const query = ["a", "b", "g"].map((start) => ({ words: [start], prefix: true }));
  const prepared = query.map(inSteps);
  // What a query has prepared is not put together again, however much more than the cache keeps it is.
  for (const [n, clause] of query.entries()) expect(clausePostings(part, clause)).toBe(prepared[n]);
  const begun = inSteps({ words: ["alpha", "b"], prefix: true });
  expect(begun).toEqual(found);
  expect(clausePostings(part, { words: ["alpha", "b"], prefix: true })).toBe(begun);
});

/** A part with these texts, that notes of which words the positions are read. */
function partOf(...texts: string[]): { readonly part: IndexPart; readonly read: string[] } {
  const memtable = new Memtable();
  for (const [i, text] of texts.entries()) memtable.add(i + 1, documentOfText(text));
  const read: string[] = [];
  const positions = memtable.positions.bind(memtable);
  return { part: Object.assign(memtable, { positions: (word: string) => (read.push(word), positions(word)) }), read };
}
const clause = (q: string): Clause => parseQuery(q, "all").clauses[0]!;

test("a word is read once, however often a phrase repeats it, and not at all if another word is missing", () => {
  const { part, read } = partOf("b a ".repeat(300), "a b ".repeat(10));
  expect([...clausePostings(part, clause(`"${"a b ".repeat(60)}"`)).bodies]).toEqual([240]);
  expect(read.toSorted()).toEqual(["a", "b"]);
  expect(clausePostings(part, clause('"a b absent"')).docs).toHaveLength(0);
  expect(clausePostings(part, clause('"a b absent*"')).docs).toHaveLength(0);
  expect(read).toHaveLength(2);
});

test("a text of which every second word may end the phrase takes four times the steps if it is four times as long, not sixteen times", () => {
  const turns = (pairs: number): number => {
    const text = Array.from({ length: pairs }, (_, i) => `x a${i}`).join(" ");
    const steps = clauseSteps(partOf(text, text).part, clause('"x a*"'));
    let count = 0;
    for (; steps.next().done !== true; count++);
    return count;
  };
  const short = turns(2000);
  expect(short).toBeGreaterThan(20);
  expect(turns(8000)).toBeLessThan(5 * short);
});

test("of a text that came later only itself is looked at, and what was found before is kept", () => {
  const memtable = new Memtable();
  const found = (q: string): (readonly number[])[] => {
    const { docs, titles, bodies } = clausePostings(memtable, clause(q));
    return [...docs].map((doc, i) => [doc, titles[i]! + bodies[i]!]);
  };
  for (const [i, text] of ["a b a b", "b a", "a bb"].entries()) {
    memtable.add(i + 1, documentOfText(text));
    for (const q of ['"a b"', '"a b*"', "b*"]) found(q);
  }
  expect(found('"a b"')).toEqual([[0, 2]]);
  expect(found('"a b*"')).toEqual([
    [0, 2],
    [2, 1],
  ]);
  expect(found("b*")).toEqual([
    [0, 2],
    [1, 1],
    [2, 1],
  ]);
});
