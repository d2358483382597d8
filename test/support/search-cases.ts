// Random messages and queries over few words, many with the same beginning, so that phrases and prefixes often match.
import type { Clause, Query } from "../../src/core/search/query.ts";
import { words } from "../../src/core/search/words.ts";

const WORDS =
  "a al alp alpha alphabet alphabets beta bet better betting car card cards care cat category zone zoned 東京 東京都 naïve öl 42 425".split(
    " ",
  );

/** Repeatable random numbers: the same seed gives the same numbers. */
export function seeded(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const text = (random: (below: number) => number, length: number): string =>
  Array.from({ length }, () => WORDS[random(random(2) === 0 ? 6 : WORDS.length)]).join(" ");

export function randomFields(random: (below: number) => number) {
  return {
    ...(random(3) > 0 && { title: text(random, 1 + random(4)) }),
    body: text(random, random(16)),
    ...(random(4) === 0 && { tags: ["beta", "car"] }),
    ...(random(4) === 0 && { data: { note: text(random, 3), more: [text(random, 2)] } }),
  };
}

function randomClause(random: (below: number) => number): Clause {
  const found = words(text(random, [1, 1, 1, 2, 2, 3][random(6)] ?? 1)).filter((word) => word !== "");
  const prefix = random(4) === 0;
  const last = found.at(-1) ?? "a";
  return { words: [...found.slice(0, -1), prefix ? last.slice(0, 1 + random(last.length)) : last], prefix };
}

export function randomQuery(random: (below: number) => number): Query {
  const many = (most: number): Clause[] => Array.from({ length: random(most + 1) }, () => randomClause(random));
  return {
    mode: random(2) === 0 ? "all" : "any",
    clauses: random(12) === 0 ? [] : [randomClause(random), ...many(2)],
    not: random(3) === 0 ? many(2) : [],
  };
}
