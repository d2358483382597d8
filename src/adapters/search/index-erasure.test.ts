import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { follow, seqs, word } from "../../../test/support/index-life.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { HOUR_MS } from "../../core/durations.ts";
import { LocalIndex } from "./local-index.ts";
import { pace } from "./pace.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const files = (): string[] => readdirSync(dir).filter((file) => file !== "manifest.json");

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
