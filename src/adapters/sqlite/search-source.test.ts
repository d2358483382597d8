import { expect, test } from "vitest";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { Operator } from "../../../test/support/operator.ts";
import { DAY_MS } from "../../core/durations.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { databasePath } from "./open.ts";
import { openSource } from "./search-source.ts";

test("the index hears of every arrival and departure, and which words must leave the disk", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const source = openSource({ path: databasePath(board.data) });
  expect(await source.head()).toBe(0);
  const lasting = await board.put(agent, { kind: "note", body: "kept" });
  const brief = await board.put(agent, { kind: "note", body: "brief", ttl: "60s" });
  const wrong = await board.put(agent, { kind: "note", body: "wrong" });
  const before = await source.head();
  const retraction = await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: wrong.id }] });
  board.clock.advance(61_000);
  const after = await board.put(agent, { kind: "note", body: "after the sweep" });
  const head = await source.head();

  const seqs = (list: readonly { readonly seq: number }[]): number[] => list.map(({ seq }) => seq);
  const { ended, arrived } = await source.changes(before, head);
  expect(ended).toContainEqual({ seq: wrong.seq, erase: "soon" });
  expect(ended).toContainEqual({ seq: brief.seq, erase: "later" });
  expect(seqs(arrived)).toEqual([retraction.seq, after.seq]);
  // From the beginning, what is gone is in neither list of arrivals.
  expect(seqs((await source.changes(0, head)).arrived)).toEqual([lasting.seq, retraction.seq, after.seq]);
  expect(seqs(await source.messages(0, head, 2))).toEqual([lasting.seq, retraction.seq]);
  expect(seqs(await source.messages(lasting.seq, retraction.seq, 9))).toEqual([retraction.seq]);
  expect(await source.hashAt(head)).toMatch(/^[0-9a-f]{64}$/);
  expect(await source.hashAt(head + 1)).toBeUndefined();
  await source.close();
});

test("large messages come a few at a time, and none is left out", async () => {
  using board = new BareBoard();
  const pk = "A".repeat(43);
  for (let i = 0; i < 30; i++) board.post(JSON.stringify({ v: 1, pk, ts: 0, kind: "note", body: `${i}`.padEnd(100_000, "x") }), 0);
  const id = board.changes()[0]?.id;
  board.post(JSON.stringify({ v: 1, pk, ts: 0, kind: "retraction", refs: [{ rel: "retracts", id }] }), 0);
  const source = openSource({ path: databasePath(board.dir) });
  const head = await source.head();
  const [arrived, ended]: [number[], number[]] = [[], []];
  for (let after = 0; after < head;) {
    const changes = await source.changes(after, head);
    expect(changes.arrived.length).toBeLessThanOrEqual(6);
    arrived.push(...changes.arrived.map(({ seq }) => seq));
    ended.push(...changes.ended.map(({ seq }) => seq));
    after = changes.upTo ?? head;
  }
  expect(arrived).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
  expect(ended).toEqual([1]);
  expect((await source.messages(0, head, 20)).length).toBeLessThanOrEqual(6);
  await source.close();
});

test("the words of a message that was removed, given back and posted again are not in the index twice", async () => {
  await using board = await TestBoard.start();
  const envelope = JSON.stringify(board.agent().envelope({ kind: "note", title: "wronged" }));
  const first = (await board.send(envelope)).body;
  {
    await using operator = await Operator.at(board);
    await operator.remove(first.id);
    await operator.decide({ do: "restore", target: first.id });
  }
  const again = (await board.send(envelope)).body;
  const source = openSource({ path: databasePath(board.data) });
  // An index that knew the first and slept since then.
  const { ended, arrived } = await source.changes(first.seq, await source.head());
  expect(ended).toEqual([{ seq: first.seq, erase: "now" }]);
  expect(arrived.map(({ seq }) => seq)).toEqual([again.seq]);
  await source.close();
});

test("an index that slept for longer than there are tombstones hears of what ended meanwhile", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const brief = await board.put(agent, { kind: "note", body: "brief", ttl: "60s" });
  const source = openSource({ path: databasePath(board.data) });
  const before = await source.head();
  board.clock.advance(61_000);
  await board.put(agent, { kind: "note", body: "after the sweep" });
  board.clock.advance((LIMITS.gone_days + 1) * DAY_MS);
  await board.put(agent, { kind: "note", body: "after its tombstone" });
  expect((await source.changes(before, await source.head())).ended).toContainEqual({ seq: brief.seq, erase: "later" });
  await source.close();
});
