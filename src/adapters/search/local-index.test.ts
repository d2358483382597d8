import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { randomFields, randomQuery, seeded } from "../../../test/support/search-cases.ts";
import { matching } from "../../core/search/index/matching.ts";
import { rank } from "../../core/search/index/rank.ts";
import { matches, type Query } from "../../core/search/query.ts";
import { HOUR_MS } from "../../core/spans.ts";
import { Follower } from "./follower.ts";
import { LocalIndex, type LocalIndexOptions } from "./local-index.ts";
import { pace } from "./pace.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const word = (...words: string[]): Query => ({ mode: "all", clauses: [{ words, prefix: false }], not: [] });
const everything: Query = { mode: "all", clauses: [], not: [] };
const seqs = (index: LocalIndex, query: Query): number[] => [...matching(index.parts(), query, {})];
const naive = (log: MemoryLog, query: Query): number[] =>
  [...log.documents()].flatMap(([seq, document]) => (matches(query, document) ? [seq] : []));
const files = (): string[] => readdirSync(dir).filter((file) => file !== "manifest.json");

/** Follows the log to its end. */
async function follow(index: LocalIndex, log: MemoryLog): Promise<void> {
  const follower = new Follower(index, log);
  await follower.recognise();
  await follower.build(() => index.flush(pace(0)), pace(0));
  await follower.upTo(log.head());
}

function expectAgreement(index: LocalIndex, log: MemoryLog, queries: readonly Query[]): void {
  for (const query of [everything, ...queries]) expect(seqs(index, query), JSON.stringify(query)).toEqual(naive(log, query));
}

/** A board's life in small: posts, expiry, withdrawal and return. */
function live(log: MemoryLog, random: (below: number) => number, steps: number): void {
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

/** Follow, flush and merge, over and over, with the log going on in between. */
async function work(index: LocalIndex, log: MemoryLog, random: (below: number) => number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    live(log, random, 30);
    await follow(index, log);
    if (random(3) > 0) await index.flush(pace(0));
    if (random(3) === 0) while (await index.tidy(pace(0)));
  }
}

describe("a search finds exactly what the live predicate would", () => {
  test.each([1, 2, 3, 4, 5])("whatever mixture of memory, files and departures it is asked of (seed %i)", async (seed) => {
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
        Array.from({ length: 70 }, () => randomQuery(random)),
      );
    }
    expect(index.status().segments).toBeGreaterThan(0);
    index.close();
  });

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

describe("ranking", () => {
  test("is the same however the messages are spread over files, so that two nodes agree", async () => {
    const random = seeded(21);
    const log = new MemoryLog();
    const spread = LocalIndex.open(join(dir, "spread"));
    await work(spread, log, random, 12);
    const whole = LocalIndex.open(join(dir, "whole"));
    await follow(whole, log);
    for (let i = 0; i < 200; i++) {
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

describe("withdrawn words", () => {
  const everyByte = (): string =>
    files()
      .map((file) => readFileSync(join(dir, file), "latin1"))
      .join("");

  test("leave the disk, not only the answers", async () => {
    const log = new MemoryLog();
    let now = 0;
    const index = LocalIndex.open(dir, { now: () => now });
    const secret = log.post({ body: "quux alpha" });
    log.post({ body: "alpha" });
    await follow(index, log);
    await index.flush(pace(0));
    expect(everyByte()).toContain("quux");
    log.leave(secret, "retract");
    await follow(index, log);
    expect(seqs(index, word("quux"))).toEqual([]);
    now += HOUR_MS;
    await index.tidy(pace(0));
    expect(everyByte()).not.toContain("quux");
    expect(seqs(index, word("alpha"))).toEqual([2]);
    index.close();
  });

  test("never reach it when the message went before its file was written", async () => {
    const log = new MemoryLog();
    const index = LocalIndex.open(dir);
    await follow(index, log);
    const secret = log.post({ body: "quux" });
    log.post({ body: "alpha" });
    await follow(index, log);
    log.leave(secret, "retract");
    await follow(index, log);
    await index.flush(pace(0));
    expect(everyByte()).not.toContain("quux");
    index.close();
  });

  test("are still due after a restart", async () => {
    const log = new MemoryLog();
    const secret = log.post({ body: "quux" });
    log.post({ body: "alpha" });
    const first = LocalIndex.open(dir, { now: () => 0 });
    await follow(first, log);
    await first.flush(pace(0));
    log.leave(secret, "retract");
    await follow(first, log);
    await first.flush(pace(0));
    first.close();
    const second = LocalIndex.open(dir, { now: () => HOUR_MS });
    await second.tidy(pace(0));
    expect(everyByte()).not.toContain("quux");
    second.close();
  });
});

test("files of messages that are all gone are removed, so that a board of short-lived messages does not fill the disk", async () => {
  const log = new MemoryLog();
  const index = LocalIndex.open(dir);
  for (let round = 0; round < 5; round++) {
    const posted = Array.from({ length: 20 }, () => log.post({ body: "alpha" }));
    await follow(index, log);
    await index.flush(pace(0));
    for (const seq of posted) log.leave(seq, "expire");
    await follow(index, log);
    while (await index.tidy(pace(0)));
  }
  expect(files()).toEqual([]);
  index.close();
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

class Died extends Error {}

describe("a crash", () => {
  test("after any step that reached the disk loses and repeats no message", async () => {
    let steps = 0;
    for (let survived = 0; ; survived++) {
      const random = seeded(51);
      const log = new MemoryLog();
      let left = survived;
      const options: LocalIndexOptions = {
        now: () => log.head() * 60_000,
        afterStep: () => {
          if (left-- === 0) throw new Died();
        },
      };
      const data = join(dir, String(survived));
      const index = LocalIndex.open(data, options);
      const died = await work(index, log, random, 10).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Died)) throw error;
          return true;
        },
      );
      index.close();
      const next = LocalIndex.open(data);
      await follow(next, log);
      expectAgreement(
        next,
        log,
        Array.from({ length: 4 }, () => randomQuery(random)),
      );
      // Nothing is left lying about.
      expect(readdirSync(data).filter((file) => file !== "manifest.json").length).toBe(next.status().segments);
      next.close();
      steps++;
      if (!died) break;
    }
    expect(steps).toBeGreaterThan(20);
  });

  test("after a write that failed and was tried again loses nothing either", async () => {
    const random = seeded(71);
    const log = new MemoryLog();
    let failing = false;
    const index = LocalIndex.open(dir, {
      afterStep: (step) => {
        if (failing && step === "segment") throw new Died();
      },
    });
    await work(index, log, random, 3);
    live(log, random, 50);
    await follow(index, log);
    failing = true;
    await expect(index.flush(pace(0))).rejects.toThrow(Died);
    failing = false;
    live(log, random, 50);
    await follow(index, log);
    expectAgreement(index, log, [randomQuery(random)]);
    await index.flush(pace(0));
    index.close();
    const next = LocalIndex.open(dir);
    await follow(next, log);
    expectAgreement(next, log, [randomQuery(random)]);
    next.close();
  });

  test("in the middle of building goes on where it was, and ends with every message once", async () => {
    const log = new MemoryLog();
    for (let i = 0; i < 1500; i++) log.post({ body: `alpha n${i}` });
    const first = LocalIndex.open(dir, {
      flushDocuments: 300,
      afterStep: (step) => {
        if (step === "manifest" && first.status().documents >= 800) throw new Died();
      },
    });
    await expect(follow(first, log)).rejects.toThrow(Died);
    first.close();
    log.leave(5, "expire");
    const second = LocalIndex.open(dir);
    expect(second.progress.building).toBeGreaterThan(0);
    await follow(second, log);
    expectAgreement(second, log, [word("alpha"), word("n7")]);
    second.close();
  });

  test("that cuts or damages a file leads to a new index, never to wrong answers", async () => {
    const random = seeded(61);
    const log = new MemoryLog();
    const index = LocalIndex.open(dir);
    await work(index, log, random, 10);
    await index.flush(pace(0));
    index.close();
    for (const file of readdirSync(dir)) {
      const size = statSync(join(dir, file)).size;
      for (const harm of ["cut", "empty", "missing", "flipped at the end"]) {
        const copy = join(`${dir}-harmed`);
        rmSync(copy, { recursive: true, force: true });
        cpSync(dir, copy, { recursive: true });
        const path = join(copy, file);
        if (harm === "cut") truncateSync(path, size - 5);
        else if (harm === "empty") truncateSync(path, 0);
        else if (harm === "missing") rmSync(path);
        else {
          const bytes = readFileSync(path);
          bytes[size - 3]! ^= 0x40;
          writeFileSync(path, bytes);
        }
        const next = LocalIndex.open(copy);
        await follow(next, log);
        expectAgreement(next, log, [randomQuery(random), randomQuery(random)]);
        next.close();
        rmSync(copy, { recursive: true });
      }
    }
  });

  test("that damages postings is found by the check in the background", async () => {
    const log = new MemoryLog();
    for (let i = 0; i < 50; i++) log.post({ body: "alpha beta" });
    const first = LocalIndex.open(dir);
    await follow(first, log);
    await first.flush(pace(0));
    await first.verify(pace(0));
    first.close();
    const path = join(dir, files()[0] ?? "");
    const bytes = readFileSync(path);
    bytes[40]! ^= 0x10;
    writeFileSync(path, bytes);
    const second = LocalIndex.open(dir);
    await expect(second.verify(pace(0))).rejects.toThrow("damaged");
    second.close();
  });
});
