import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectAgreement, follow, live, word, work } from "../../../test/support/index-life.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { randomQuery, seeded } from "../../../test/support/search-cases.ts";
import { MINUTE_MS } from "../../core/durations.ts";
import { LocalIndex, type LocalIndexOptions } from "./local-index.ts";
import { pace } from "./pace.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const files = (): string[] => readdirSync(dir).filter((file) => file !== "manifest.json");

class Died extends Error {}

describe("a crash", () => {
  test("after any step that reached the disk loses and repeats no message", async () => {
    let steps = 0;
    for (let survived = 0; ; survived++) {
      const random = seeded(51);
      const log = new MemoryLog();
      let left = survived;
      const options: LocalIndexOptions = {
        now: () => log.head() * MINUTE_MS,
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
