import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { MemoryLog } from "../../../test/support/memory-log.ts";
import { randomFields, seeded } from "../../../test/support/search-cases.ts";
import { documentOfText } from "../../core/search/document.ts";
import type { Query } from "../../core/search/query.ts";
import { nearScore } from "../../core/search/similarity.ts";
import { SearchUnavailable } from "../../ports/search.ts";
import { LocalIndex } from "./local-index.ts";
import { SearchNode } from "./index-service.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "index-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const alpha: Query = { mode: "all", clauses: [{ words: ["alpha"], prefix: false }], not: [] };

interface Followed extends AsyncDisposable {
  readonly node: SearchNode;
  readonly troubles: readonly unknown[];
}
function nodeOn(log: MemoryLog): Followed {
  const troubles: unknown[] = [];
  const node = new SearchNode(LocalIndex.open(dir), log, (error) => troubles.push(error));
  node.start();
  return { node, troubles, [Symbol.asyncDispose]: () => node.close() };
}

const built = (node: SearchNode, log: MemoryLog): Promise<true> =>
  eventually("an index up to the end of the log", async () => {
    const { ready, seq } = await node.status();
    return ready && seq === log.head() ? true : undefined;
  });

test("a search sees the post before it, without waiting for the background", async () => {
  const log = new MemoryLog();
  await using followed = nodeOn(log);
  const { node } = followed;
  for (let i = 0; i < 50; i++) {
    const upTo = log.post({ body: "alpha" });
    expect((await node.rank(alpha, { upTo, limit: 100 })).hits).toHaveLength(i + 1);
  }
});

test("the log is followed without anyone searching", async () => {
  const log = new MemoryLog();
  await using followed = nodeOn(log);
  const { node, troubles } = followed;
  await built(node, log);
  for (let i = 0; i < 1200; i++) log.post({ body: "alpha" });
  await built(node, log);
  expect(await node.status()).toMatchObject({ documents: 1200 });
  expect(troubles).toEqual([]);
});

test("a search while the index is being built is refused, not answered with half of it", async () => {
  const log = new MemoryLog();
  for (let i = 0; i < 20_500; i++) log.post({ body: "alpha" });
  await using followed = nodeOn(log);
  const { node } = followed;
  await expect(node.rank(alpha, { upTo: log.head(), limit: 1 })).rejects.toThrow(SearchUnavailable);
  await built(node, log);
  expect(await node.matching(alpha, { upTo: log.head() })).toHaveLength(20_500);
});

test("what was followed before a regular end is not read again after it", async () => {
  const log = new MemoryLog();
  log.post({ body: "alpha" });
  {
    await using first = nodeOn(log);
    await built(first.node, log);
  }
  expect(LocalIndex.open(dir).progress).toEqual({ seq: 1, hash: "log 1" });
});

test("a source that fails is tried again, and nothing is missed", async () => {
  const log = new MemoryLog();
  await using followed = nodeOn(log);
  const { node, troubles } = followed;
  await built(node, log);
  const head = log.head.bind(log);
  log.head = () => {
    throw new Error("no connection");
  };
  await eventually("a trouble", () => troubles[0]);
  log.head = head;
  const upTo = log.post({ body: "alpha" });
  expect((await node.rank(alpha, { upTo, limit: 2 })).hits).toHaveLength(1);
});

test("only the messages named are ranked or matched", async () => {
  const log = new MemoryLog();
  for (let i = 0; i < 100; i++) log.post({ body: i % 2 === 0 ? "alpha" : "beta" });
  await using followed = nodeOn(log);
  const { node } = followed;
  await built(node, log);
  const only = Uint32Array.of(3, 4, 5, 90, 91);
  const scope = { upTo: log.head(), only };
  expect((await node.rank(alpha, { ...scope, limit: 9 })).hits.map(({ seq }) => seq)).toEqual([91, 5, 3]);
  expect([...(await node.matching(alpha, scope))]).toEqual([3, 5, 91]);
  expect((await node.rank(alpha, { ...scope, only: new Uint32Array(0), limit: 9 })).hits).toEqual([]);
});

test("a phrase that was asked for before is found in what came since, and not in what is gone", async () => {
  const phrase: Query = { mode: "all", clauses: [{ words: ["alpha", "beta"], prefix: false }], not: [] };
  const log = new MemoryLog();
  for (let i = 0; i < 60; i++) log.post({ body: i % 2 === 0 ? "alpha beta" : "beta alpha" });
  {
    await using first = nodeOn(log);
    await built(first.node, log);
  }
  // From here on the first ones are in a file.
  await using followed = nodeOn(log);
  const { node, troubles } = followed;
  const found = async (): Promise<readonly number[]> => {
    const options = { upTo: log.head() };
    const [matching, again] = await Promise.all([node.matching(phrase, options), node.matching(phrase, options)]);
    expect(again).toEqual(matching);
    expect((await node.rank(phrase, { ...options, limit: 100 })).hits.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([...matching]);
    return [...matching];
  };
  const before = await found();
  expect(before).toHaveLength(30);
  log.leave(1, "retract");
  const late = log.post({ body: "gamma alpha beta" });
  expect(await found()).toEqual([...before.slice(1), late]);
  expect(troubles).toEqual([]);
});

describe("similar messages", () => {
  test("are those that the live stream would let through, by the same score", async () => {
    const random = seeded(5);
    const log = new MemoryLog();
    await using followed = nodeOn(log);
    const { node } = followed;
    await built(node, log);
    for (let i = 0; i < 300; i++) log.post(randomFields(random));
    for (let i = 0; i < 40; i++) {
      const { body } = randomFields(random);
      const near = await node.near(documentOfText(`${body} alphabet`), log.head());
      const threshold = 0.3;
      const expected = [...log.documents()]
        .map(([seq, document]) => ({ seq, score: nearScore(near, document) }))
        .filter(({ score }) => score >= threshold)
        .sort((a, b) => b.score - a.score || b.seq - a.seq);
      const { hits } = await node.similar(near, { upTo: log.head(), limit: 1000, threshold });
      expect(hits).toEqual(expected);
      expect(hits).toHaveLength(expected.length);
    }
  });

  test("page by page are the same as all at once", async () => {
    const random = seeded(6);
    const log = new MemoryLog();
    for (let i = 0; i < 200; i++) log.post(randomFields(random));
    await using followed = nodeOn(log);
    const { node } = followed;
    await built(node, log);
    const near = await node.near(documentOfText("alpha beta card cards"), log.head());
    const options = { upTo: log.head(), threshold: 0.1 };
    const all = await node.similar(near, { ...options, limit: 100 });
    const first = await node.similar(near, { ...options, limit: 30 });
    const last = first.hits.at(-1);
    const second = await node.similar(near, { ...options, limit: 70, ...(last && { after: last }) });
    expect([...first.hits, ...second.hits]).toEqual(all.hits);
  });
});

/** Counts how often somebody asked how far it has come. */
class WatchedLog extends MemoryLog {
  looks = 0;
  override head(): number {
    this.looks++;
    return super.head();
  }
}

test("a flood that nobody searches is indexed when it is over, and a search in the middle of it sees all of it", async () => {
  const log = new WatchedLog();
  await using followed = nodeOn(log);
  const { node, troubles } = followed;
  await built(node, log);
  const before = log.looks;
  await eventually("some looks at a log that grows and grows", () => {
    for (let i = 0; i < 40; i++) log.post({ body: "alpha" });
    return log.looks > before + 4 ? true : undefined;
  });
  expect(await node.matching(alpha, { upTo: log.head() })).toHaveLength(log.head());
  for (let i = 0; i < 40; i++) log.post({ body: "alpha" });
  await built(node, log);
  expect(troubles).toEqual([]);
});
