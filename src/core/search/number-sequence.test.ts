import { expect, test } from "vitest";
import { seeded } from "../../../test/support/search-cases.ts";
import { NumberSequence } from "./number-sequence.ts";

function endsIn(text: readonly number[], sequence: NumberSequence): number[] {
  let seen = 0;
  return text.flatMap((number, at) => ((seen = sequence.after(seen, number)) === sequence.length ? [at] : []));
}

test("a sequence is found at each of its places, also where they overlap", () => {
  const random = seeded(3);
  const numbers = (length: number): number[] => Array.from({ length }, () => 1 + random(2));
  for (let i = 0; i < 300; i++) {
    const wanted = numbers(1 + random(6));
    const text = numbers(40);
    const expected = text.flatMap((_, at) => (wanted.every((number, n) => text[at - wanted.length + 1 + n] === number) ? [at] : []));
    expect(endsIn(text, new NumberSequence(wanted))).toEqual(expected);
  }
});

test("a stream's filter for a phrase that repeats a word reads a text that repeats it a few times, not once for each word of the phrase", () => {
  let reads = 0;
  const wanted = new Proxy([...Array<number>(126).fill(1), 2], {
    get: (list, key, self): unknown => {
      reads++;
      return Reflect.get(list, key, self);
    },
  });
  const sequence = new NumberSequence(wanted);
  reads = 0;
  expect(endsIn(Array<number>(16_000).fill(1), sequence)).toEqual([]);
  expect(reads).toBeLessThan(16_000 * 8);
});
