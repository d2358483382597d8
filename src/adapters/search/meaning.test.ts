// Similarity by words and by meaning: what the index finds is what the live stream lets through, in memory, in files and after a restart.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { REWORDED } from "../../../bench/support/reworded.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { randomFields, seeded } from "../../../test/support/search-cases.ts";
import { documentOfText } from "../../core/search/document.ts";
import { likeness } from "../../core/search/meaning/asked-meaning.ts";
import { Embedder } from "../../core/search/meaning/embedder.ts";
import { readTable } from "../../core/search/meaning/table.ts";
import { LocalIndex } from "./local-index.ts";
import { pace } from "./pace.ts";
import { SearchNode } from "./index-service.ts";

const embedder = new Embedder(readTable(readFileSync(join(import.meta.dirname, "../../../models/meaning.bin"))));

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (log: MemoryLog, index = LocalIndex.open(dir, { embedder, flushDocuments: 40 })): SearchNode =>
  new SearchNode(index, log, (error) => {
    throw error;
  });

async function agree(node: SearchNode, log: MemoryLog, texts: readonly string[]): Promise<void> {
  for (const text of texts)
    for (const threshold of [0.05, 0.25]) {
      const near = await node.near(documentOfText(text), log.head());
      expect(near.meaning, text).toBeDefined();
      const expected = [...log.documents()]
        .map(([seq, document]) => ({ seq, score: likeness(near, document, ({ said }) => embedder.meaningOf(said).vector) }))
        .filter(({ score }) => score >= threshold)
        .sort((a, b) => b.score - a.score || b.seq - a.seq);
      const { hits } = await node.similar(near, { upTo: log.head(), limit: 1000, threshold });
      expect(hits).toEqual(expected);
      const [first, second] = [hits.slice(0, 3), hits.slice(3)];
      const rest = await node.similar(near, { upTo: log.head(), limit: 1000, threshold, after: first.at(-1) });
      if (first.length === 3) expect(rest.hits).toEqual(second);
      const only = Uint32Array.from(hits.filter((_, at) => at % 2 === 0).map(({ seq }) => seq)).sort();
      const some = await node.similar(near, { upTo: log.head(), limit: 1000, threshold, only });
      expect(some.hits).toEqual(hits.filter(({ seq }) => only.includes(seq)));
    }
}

test("lists and stream agree on every score, wherever the messages are kept", async () => {
  const random = seeded(5);
  const log = new MemoryLog();
  for (const [title, body] of REWORDED) log.post({ title, body: `${body} This was seen twice.` });
  for (let i = 0; i < 200; i++) log.post(randomFields(random));
  const asked = [...REWORDED.slice(0, 4).map(([, text]) => text), "the alpha parser fails on an empty file", "beta card"];
  const index = LocalIndex.open(dir, { embedder, flushDocuments: 40 });
  const node = open(log, index);
  node.start();
  await agree(node, log, asked);
  log.leave(2, "retract");
  log.leave(50, "expire");
  log.post({ title: "an empty file makes the reader of it fall over" });
  await agree(node, log, asked);
  await node.close();

  const after = LocalIndex.open(dir, { embedder, flushDocuments: 40 });
  expect(after.status().segments).toBeGreaterThan(0);
  while (await after.tidy(pace(0)));
  const again = open(log, after);
  again.start();
  await agree(again, log, asked);
  await again.close();
});

test("what says the same in other words comes before what only shares some of them", async () => {
  const log = new MemoryLog();
  for (const pair of REWORDED) for (const title of pair) log.post({ title });
  const node = open(log);
  node.start();
  let first = 0;
  for (const [nth, [text]] of REWORDED.entries()) {
    const near = await node.near(documentOfText(text), log.head());
    const { hits } = await node.similar(near, { upTo: log.head(), limit: 2, threshold: 0.05 });
    if (hits.some(({ seq }) => seq === 2 * nth + 2)) first++;
  }
  expect(first).toBeGreaterThanOrEqual(REWORDED.length - 2);
  await node.close();
});

test("an index with meanings is rebuilt without them, and the other way round", async () => {
  const log = new MemoryLog();
  for (let i = 0; i < 5; i++) log.post({ body: `the parser crashes on empty input ${i}` });
  for (const given of [embedder, undefined, embedder]) {
    const node = open(log, LocalIndex.open(dir, { embedder: given }));
    node.start();
    const near = await node.near(documentOfText("parser crash"), log.head());
    expect(near.meaning === undefined).toBe(given === undefined);
    expect((await node.similar(near, { upTo: log.head(), limit: 10, threshold: 0.05 })).hits).toHaveLength(5);
    await node.close();
  }
});
