import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectAgreement, follow, live, seqs, word, work } from "../../../test/support/index-life.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { tries } from "../../../test/support/random.ts";
import { randomQuery, seeded } from "../../../test/support/search-cases.ts";
import { documentOfText } from "../../core/search/document.ts";
import { matching } from "../../core/search/index/matching.ts";
import { HOUR_MS } from "../../core/durations.ts";
import { LocalIndex } from "./local-index.ts";
import { pace } from "./pace.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("a search finds exactly what the live predicate would", () => {
  test.each([1, 2, 3, 4, 5].slice(0, tries(5, 2)))(
    "whatever mixture of memory, files and departures it is asked of (seed %i)",
    async (seed) => {
      const random = seeded(seed);
      const log = new MemoryLog();
      let now = 0;
      const index = LocalIndex.open(dir, { now: () => now });
      for (let stage = 0; stage < 6; stage++) {
        await work(index, log, random, 6);
        now += HOUR_MS;
        expectAgreement(
          index,
          log,
          Array.from({ length: tries(70, 18) }, () => randomQuery(random)),
        );
      }
      expect(index.status().segments).toBeGreaterThan(0);
      index.close();
    },
  );

  test("even while a file is being written and messages come and go", async () => {
    const random = seeded(11);
    const log = new MemoryLog();
    let now = 0;
    const index = LocalIndex.open(dir, { now: () => now });
    for (let round = 0; round < 12; round++) {
      live(log, random, 60);
      await follow(index, log);
      now += HOUR_MS;
      const upkeep = Promise.all([index.flush(pace(0)), index.tidy(pace(0))]);
      live(log, random, 40);
      await follow(index, log);
      expectAgreement(index, log, [randomQuery(random)]);
      await upkeep;
      expectAgreement(index, log, [randomQuery(random), randomQuery(random)]);
    }
    index.close();
  });
});

describe("matching", () => {
  test("gives the newest or oldest part between two seqs, and only the messages named", async () => {
    const log = new MemoryLog();
    const index = LocalIndex.open(dir);
    for (let i = 0; i < 50; i++) log.post({ body: "alpha" });
    await follow(index, log);
    await index.flush(pace(0));
    const ask = (options: Parameters<typeof matching>[2]) => [...matching(index.parts(), word("alpha"), options)];
    expect(ask({ first: { from: "newest", limit: 2 } })).toEqual([49, 50]);
    expect(ask({ first: { from: "oldest", limit: 2 }, after: 10 })).toEqual([11, 12]);
    expect(ask({ first: { from: "newest", limit: 2 }, before: 10 })).toEqual([8, 9]);
    index.close();
  });
});

describe("after a restart", () => {
  test("everything kept is there without reading the board again", async () => {
    const random = seeded(41);
    const log = new MemoryLog();
    const first = LocalIndex.open(dir);
    await work(first, log, random, 10);
    await first.flush(pace(0));
    first.close();
    const second = LocalIndex.open(dir);
    expect(second.progress.seq).toBe(log.head());
    expectAgreement(
      second,
      log,
      Array.from({ length: 100 }, () => randomQuery(random)),
    );
    second.close();
  });

  test("on another board's log, nothing of the old one is found", async () => {
    const old = new MemoryLog("old");
    for (let i = 0; i < 10; i++) old.post({ body: "alpha" });
    const first = LocalIndex.open(dir);
    await follow(first, old);
    await first.flush(pace(0));
    first.close();
    const other = new MemoryLog("other");
    for (let i = 0; i < 20; i++) other.post({ body: i === 3 ? "alpha" : "beta" });
    const second = LocalIndex.open(dir);
    await follow(second, other);
    expect(seqs(second, word("alpha"))).toEqual([4]);
    second.close();
  });
});

test("long texts fill the memory long before many texts do, also those that are gone, and a file empties it", async () => {
  const index = LocalIndex.open(dir);
  const long = documentOfText("alpha ".repeat(16_384));
  const addLong = (from: number): number => {
    let seq = from;
    for (; !index.full; seq++) {
      index.add(seq, long);
      index.forget(seq, "later");
    }
    return seq - from;
  };
  expect(addLong(1)).toBe(32);
  index.add(100, long);
  await index.flush(pace(0));
  expect(index.full).toBe(false);
  expect(seqs(index, word("alpha"))).toEqual([100]);
  expect(addLong(200)).toBe(32);
  index.close();
});
