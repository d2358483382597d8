import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { follow, naive, word, work } from "../../../test/support/index-life.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { tries } from "../../../test/support/random.ts";
import { randomFields, randomQuery, seeded } from "../../../test/support/search-cases.ts";
import { rank } from "../../core/search/index/rank.ts";
import type { Query } from "../../core/search/query.ts";
import { LocalIndex } from "./local-index.ts";
import { pace } from "./pace.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("ranking", () => {
  test("is the same however the messages are spread over files, so that two nodes agree", async () => {
    const random = seeded(21);
    const log = new MemoryLog();
    const spread = LocalIndex.open(join(dir, "spread"));
    await work(spread, log, random, 12);
    const whole = LocalIndex.open(join(dir, "whole"));
    await follow(whole, log);
    for (let i = 0; i < tries(200, 80); i++) {
      const query = randomQuery(random);
      const answer = rank(spread.parts(), query, { limit: 50 });
      expect(answer).toEqual(rank(whole.parts(), query, { limit: 50 }));
      // Without a limit nothing is left out for being too far down.
      const all = rank(whole.parts(), query, { limit: 100_000 });
      expect(answer.hits).toEqual(all.hits.slice(0, 50));
      expect(all.hits).toHaveLength(naive(log, query).length);
      for (const { score } of answer.hits) expect(score).toBeGreaterThanOrEqual(0);
      for (const { score } of answer.hits) expect(score).toBeLessThan(1);
    }
    spread.close();
    whole.close();
  });

  test("puts a word in the title before the same word in the body", async () => {
    const log = new MemoryLog();
    const titled = log.post({ title: "alpha", body: "beta beta" });
    log.post({ title: "beta", body: "alpha beta" });
    const index = LocalIndex.open(dir);
    await follow(index, log);
    expect(rank(index.parts(), word("alpha"), { limit: 1 }).hits[0]?.seq).toBe(titled);
  });

  test("pages neither repeat nor skip a message while others come and go", async () => {
    const random = seeded(31);
    const log = new MemoryLog();
    const index = LocalIndex.open(dir);
    for (let i = 0; i < 400; i++) log.post(randomFields(random));
    await follow(index, log);
    const query: Query = {
      mode: "any",
      clauses: [
        { words: ["alpha"], prefix: true },
        { words: ["car"], prefix: false },
      ],
      not: [],
    };
    const before = rank(index.parts(), query, { limit: 1000 });
    const stay = new Set(before.hits.map(({ seq }) => seq));

    const seen: number[] = [];
    let page = rank(index.parts(), query, { limit: 7 });
    const { stats } = page;
    while (page.hits.length > 0) {
      seen.push(...page.hits.map(({ seq }) => seq));
      for (let i = 0; i < 5; i++) log.post(randomFields(random));
      const leaving = [...log.documents().keys()].find((seq) => random(40) === 0 && !seen.includes(seq));
      if (leaving !== undefined) {
        log.leave(leaving, "expire");
        stay.delete(leaving);
      }
      await follow(index, log);
      if (random(3) === 0) await index.flush(pace(0));
      page = rank(index.parts(), query, { limit: 7, stats, after: page.hits.at(-1) });
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((seq) => stay.has(seq))).toEqual(before.hits.map(({ seq }) => seq).filter((seq) => stay.has(seq)));
    index.close();
  });
});
