// A search index over a log in memory: follows it, queries it, and compares it with a scan of all documents.
import { expect } from "vitest";
import { Follower } from "../../src/adapters/search/follower.ts";
import type { LocalIndex } from "../../src/adapters/search/local-index.ts";
import { pace } from "../../src/adapters/search/pace.ts";
import { matching } from "../../src/core/search/index/matching.ts";
import { matches, type Query } from "../../src/core/search/query.ts";
import type { MemoryLog } from "./memory-log.ts";
import { randomFields } from "./search-cases.ts";

export const word = (...words: string[]): Query => ({ mode: "all", clauses: [{ words, prefix: false }], not: [] });
const everything: Query = { mode: "all", clauses: [], not: [] };
export const seqs = (index: LocalIndex, query: Query): number[] => [...matching(index.parts(), query, {})];
export const naive = (log: MemoryLog, query: Query): number[] =>
  [...log.documents()].flatMap(([seq, document]) => (matches(query, document) ? [seq] : []));

/** Follows the log to its end. */
export async function follow(index: LocalIndex, log: MemoryLog): Promise<void> {
  const follower = new Follower(index, log);
  await follower.recognise();
  await follower.build(() => index.flush(pace(0)), pace(0));
  await follower.upTo(log.head());
}

export function expectAgreement(index: LocalIndex, log: MemoryLog, queries: readonly Query[]): void {
  for (const query of [everything, ...queries]) expect(seqs(index, query), JSON.stringify(query)).toEqual(naive(log, query));
}

/** A small history of a board: posts, expiry, withdrawal and return. */
export function live(log: MemoryLog, random: (below: number) => number, steps: number): void {
  const here: number[] = [...log.documents().keys()];
  const gone: number[] = [];
  for (let i = 0; i < steps; i++) {
    const dice = random(20);
    if (dice > 5 || here.length === 0) here.push(log.post(randomFields(random)));
    else if (dice > 0) {
      const [seq = 0] = here.splice(random(here.length), 1);
      log.leave(seq, dice > 3 ? "retract" : "expire");
      gone.push(seq);
    } else {
      const [seq] = gone.splice(0, 1);
      if (seq !== undefined) {
        log.restore(seq);
        here.push(seq);
      }
    }
  }
}

/** Follows, flushes and merges, again and again, while the log grows. */
export async function work(index: LocalIndex, log: MemoryLog, random: (below: number) => number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    live(log, random, 30);
    await follow(index, log);
    if (random(3) > 0) await index.flush(pace(0));
    if (random(3) === 0) while (await index.tidy(pace(0)));
  }
}
