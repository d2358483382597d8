// Similarity by words and by meaning: what the index finds is what the live stream lets through, in memory, in files and after a restart.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { REWORDED } from "../../../bench/support/reworded.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { randomFields, seeded } from "../../../test/support/search-cases.ts";
import { documentOfText } from "../../core/search/document.ts";
import { likeness, messageVector } from "../../core/search/meaning/asked-meaning.ts";
import { Embedder } from "../../core/search/meaning/embedder.ts";
import { readTable } from "../../core/search/meaning/table.ts";
import { BY_WORDS } from "../../core/search/index/hybrid-nearest-texts.ts";
import { type Near, nearScore } from "../../core/search/similarity.ts";
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

const scoresOnStream = (near: Near, log: MemoryLog) =>
  [...log.documents()].map(([seq, document]) => ({
    seq,
    score: likeness(near, document, ({ said }) => messageVector(embedder, said)),
  }));

async function agree(node: SearchNode, log: MemoryLog, texts: readonly string[]): Promise<void> {
  for (const text of texts)
    for (const threshold of [0.05, 0.25]) {
      const near = await node.near(documentOfText(text), log.head());
      expect(near.meaning, text).toBeDefined();
      const expected = scoresOnStream(near, log)
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
  for (const title of ["🚀🔥", "ᴘʟᴇᴀsᴇ ʜᴇʟᴘ", "🚀 the parser fails"]) log.post({ title });
  const asked = [...REWORDED.slice(0, 4).map(([, text]) => text), "the alpha parser fails on an empty file", "beta card", "😀 🎉 ✨ help"];
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

test("scores are those of the stream, also if more messages than are compared have better words", async () => {
  const log = new MemoryLog();
  const crowd = 1.1 * BY_WORDS;
  const node = open(log, LocalIndex.open(dir, { embedder, flushDocuments: crowd / 2 }));
  node.start();
  // A search waits for the index to catch up, but not for long while it is being built.
  await node.near(documentOfText("nothing"), 0);
  for (let n = 0; n < crowd; n++)
    log.post({ body: `When the harbour is empty, file ${n} of the moon crashes a parser of boats and tides.` });
  const meant = ["The parser crashes on empty input.", "A parser that crashes on an empty file.", "Empty files: the parser fails."];
  for (const body of meant) log.post({ body });
  const near = await node.near(documentOfText("the parser crashes when a file is empty"), log.head());
  const onStream = new Map(scoresOnStream(near, log).map(({ seq, score }) => [seq, score]));
  const byWords = [...log.documents()].map(([seq, document]) => ({ seq, words: nearScore(near, document) }));
  const compared = new Set(
    byWords
      .sort((a, b) => b.words - a.words || b.seq - a.seq)
      .slice(0, BY_WORDS)
      .map(({ seq }) => seq),
  );
  const { hits } = await node.similar(near, { upTo: log.head(), limit: crowd, threshold: 0.25 });
  const onlyByMeaning = hits.filter(({ seq }) => !compared.has(seq)).map(({ seq }) => seq);
  expect(onlyByMeaning).toEqual(expect.arrayContaining([crowd + 1, crowd + 2, crowd + 3]));
  expect(hits).toEqual(hits.map(({ seq }) => ({ seq, score: onStream.get(seq) })));
  await node.close();
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
