// Phrases of common words: looked for in steps, and kept where the part does not change.
import { expect, test } from "vitest";
import { BoundedCache } from "../../bounded-cache.ts";
import { documentOfText } from "../document.ts";
import type { Clause } from "../query.ts";
import { clausePostings, clauseSteps } from "./clause.ts";
import { Memtable } from "./memtable.ts";
import type { IndexPart, Postings } from "./index-part.ts";

const TEXTS = ["alpha beta alpha beta", "beta alpha", "alpha gamma beta", "gamma alpha beta", "gamma"];
const DOCUMENTS = 40_000;

test("a phrase of common words, also with an open end, lets other work run between its steps, and is not searched twice", () => {
  const memtable = new Memtable();
  const documents = TEXTS.map((text) => documentOfText(text));
  for (let i = 0; i < DOCUMENTS; i++) memtable.add(i + 1, documents[i % TEXTS.length]!);
  const phrases = new BoundedCache<string, Postings>(2 * DOCUMENTS, ({ docs }) => docs.length);
  const part: IndexPart = Object.assign(memtable, { phrases, prepared: new WeakMap<Clause, Postings>() });
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
