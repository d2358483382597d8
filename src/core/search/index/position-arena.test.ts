import { expect, test } from "vitest";
import { seeded } from "../../../../test/support/search-cases.ts";
import { BODY, TITLE, PositionArena } from "./position-arena.ts";

type Posting = [doc: number, title: number, body: number, positions: number[]];

test("every place of every word is found again, of words that stand once and of those that stand everywhere", () => {
  const random = seeded(5);
  const words = ["one", "a", "b", "c", "\ud800", ...Array.from({ length: 3000 }, (_, n) => `rare${n}`)];
  const places = new PositionArena();
  const expected = new Map<string, Posting[]>();
  const add = (word: string, doc: number, field: typeof TITLE | typeof BODY, position: number): void => {
    const postings = expected.get(word) ?? [];
    expected.set(word, postings);
    const known = postings.at(-1)?.[0] === doc;
    const posting: Posting = (known ? postings.at(-1) : undefined) ?? [doc, 0, 0, []];
    if (!known) postings.push(posting);
    posting[field === TITLE ? 1 : 2]++;
    posting[3].push(position);
    expect(places.add(word, doc, field, position)).toBe(!known);
  };
  let count = 0;
  for (let doc = 0; doc < 1500; doc++) {
    for (const field of [TITLE, BODY] as const) {
      const length = doc === 700 ? 2000 : random(8);
      for (let position = 0; position < length; position++, count++) {
        add(words[random(3) === 0 ? random(words.length) : random(4)] ?? "", doc, field, position);
      }
    }
  }
  expect(places.count).toBe(count);
  expect(new Set(places.words())).toEqual(new Set([...expected.keys()].map((word) => word.toWellFormed())));
  for (const [word, postings] of expected) {
    const found: Posting[] = [];
    places.each(word, (doc, title, body, positions) => found.push([doc, title, body, [...positions.subarray(0, title + body)]]));
    expect(found).toEqual(postings);
    expect(places.documents(word)).toBe(postings.length);
  }
  expect(places.documents("nowhere")).toBe(0);
});
