import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { tries } from "../../../test/support/random.ts";
import { seeded } from "../../../test/support/search-cases.ts";
import { type Document, documentOfText } from "../../core/search/document.ts";
import type { Hit } from "../../core/search/index/top-hits.ts";
import { nearestTexts, termStats } from "../../core/search/index/lexical-nearest-texts.ts";
import { type CorpusStats, rank } from "../../core/search/index/rank.ts";
import { SeqSet } from "../../core/search/index/seq-set.ts";
import { matches, parseQuery, type Query } from "../../core/search/query.ts";
import { nearScore, prepareNear } from "../../core/search/similarity.ts";
import { Follower } from "./follower.ts";
import { LocalIndex } from "./local-index.ts";
import { pace } from "./pace.ts";

/** Common ones first; enough messages that their lists are read in blocks and most blocks are passed over. */
const VOCABULARY = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon".split(" ");
const MESSAGES = 4000;

const dir = mkdtempSync(join(tmpdir(), "best-first-"));
const log = new MemoryLog();
const random = seeded(77);
const anyWord = (): string => VOCABULARY[Math.min(random(VOCABULARY.length), random(VOCABULARY.length), random(VOCABULARY.length))] ?? "";
const text = (words: number): string => Array.from({ length: words }, anyWord).join(" ");
let index: LocalIndex;

beforeAll(async () => {
  index = LocalIndex.open(dir);
  const follower = new Follower(index, log);
  await follower.build(() => index.flush(pace(0)), pace(0));
  for (let i = 1; i <= MESSAGES; i++) {
    log.post({ title: text(random(5)), body: text(1 + random(i % 7 === 0 ? 90 : 12)) });
    // Files of several sizes, and some messages in memory.
    if (i === 2500 || i === 3700) {
      await follower.upTo(log.head());
      await index.flush(pace(0));
    }
  }
  for (let seq = 1; seq <= MESSAGES; seq++) if (random(9) === 0) log.leave(seq, "expire");
  await follower.upTo(log.head());
});
afterAll(() => {
  index.close();
  rmSync(dir, { recursive: true, force: true });
});

const ordered = (hits: readonly Hit[]): Hit[] => hits.toSorted((a, b) => b.score - a.score || b.seq - a.seq);

/** The formula once more, over every message, of queries of single words. */
function everyHit(query: Query, stats: CorpusStats): Hit[] {
  const weights = stats.clauses.map((having) => Math.log(1 + Math.max(0, stats.documents - having + 0.5) / (having + 0.5)));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const times = (word: string | undefined, field: readonly string[]): number => field.filter((one) => one === word).length;
  const length = (field: readonly string[]): number => field.filter((one) => one !== "").length;
  const score = ({ title, body }: Document): number =>
    query.clauses.reduce((sum, { words: [word] }, c) => {
      const byBody = times(word, body) / (0.4 + (0.6 * length(body)) / stats.body);
      const frequency = byBody + (3 * times(word, title)) / (0.7 + (0.3 * length(title)) / stats.title);
      return sum + ((weights[c] ?? 0) / whole) * (frequency / (1.2 + frequency));
    }, 0);
  return ordered([...log.documents()].flatMap(([seq, document]) => (matches(query, document) ? [{ seq, score: score(document) }] : [])));
}

const QUERIES = ["alpha", "tau", "alpha beta", "alpha tau", "alpha -beta", "beta gamma -tau -pi", "upsilon kappa delta", "-alpha"];
const CASES = QUERIES.flatMap((q) => (["all", "any"] as const).map((mode) => ({ q, mode, query: parseQuery(q, mode) })));

test.each(CASES)("the first page of $q ($mode) holds the best of all messages, none passed over", ({ query }) => {
  const { hits, stats } = rank(index.parts(), query, { limit: 50 });
  const expected = everyHit(query, stats).slice(0, 50);
  expect(hits.map(({ score }) => score.toFixed(9))).toEqual(expected.map(({ score }) => score.toFixed(9)));
  expect(rank(index.parts(), query, { limit: 100_000 }).hits.slice(0, 50)).toEqual(hits);
});

test.each(CASES)("pages of $q ($mode) by the statistics of another day, and of some messages only, leave nothing out", ({ query }) => {
  const now = rank(index.parts(), query, { limit: 1 }).stats;
  for (const times of [0.2, 1, 3]) {
    const stats = { ...now, title: now.title * times, body: now.body * times };
    const all = rank(index.parts(), query, { limit: 100_000, stats }).hits;
    expect(all).toHaveLength(everyHit(query, stats).length);
    const place = Math.floor(all.length / 2);
    expect(rank(index.parts(), query, { limit: 20, stats, after: all[place] }).hits).toEqual(all.slice(place + 1, place + 21));
    const some = Uint32Array.from({ length: 40 }, (_, i) => 1 + i * 97);
    const only = new SeqSet(some);
    expect(rank(index.parts(), query, { limit: 20, stats, only }).hits).toEqual(all.filter(({ seq }) => only.has(seq)).slice(0, 20));
  }
});

test("the messages most similar to a text are found, whatever is left for later", () => {
  const parts = index.parts();
  for (let i = 0; i < tries(30, 15); i++) {
    const near = prepareNear(documentOfText(text(2 + random(20))), termStats(parts));
    const expected = ordered([...log.documents()].map(([seq, document]) => ({ seq, score: nearScore(near, document) })));
    for (const threshold of [0.05, 0.4]) {
      const enough = expected.filter(({ score }) => score >= threshold);
      expect(nearestTexts(parts, near, { limit: 10, threshold }).hits).toEqual(enough.slice(0, 10));
      expect(nearestTexts(parts, near, { limit: 10, threshold, after: enough[14] }).hits).toEqual(
        enough.slice(enough.length > 14 ? 15 : 0).slice(0, 10),
      );
    }
  }
});
