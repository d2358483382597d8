// A word that very many messages have: every order still shows each of them once, whichever way they are looked up.
import { expect, test } from "vitest";
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import { Agent } from "../support/agent.ts";
import { arrivalOf } from "../support/bare-board.ts";
import { TestBoard } from "../support/board.ts";
import { allPages } from "../support/listing.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { emptyDirectory } from "../support/process.ts";
import { writeWithoutBoard } from "../support/without-a-board.ts";

/** More than are looked up in one batch. */
const MESSAGES = 5100;
const BATCH = 300;

test("a search for a word that everybody uses pages through all of them, in every order and with filters", async () => {
  const [data, clock] = [emptyDirectory(), new ManualClock()];
  const { pk } = new Agent();
  const ts = Math.floor(clock.now() / 1000);
  // Each is the entry after the one before.
  const planted = Array.from({ length: MESSAGES }, (_, i) => ({ seq: i + 1, bits: (i * 7) % 11, tags: i % 50 === 0 ? ["rare"] : [] }));
  const acts = planted.map(({ seq, bits, tags }): Act => {
    const text = JSON.stringify({ v: 1, pk, ts, kind: "note", body: `common ${seq}`, tags });
    return { type: "post", arrival: { ...arrivalOf(text), bits }, dryRun: false };
  });
  // Direct calls, because requests would take most of the time, and this test is about searches.
  const batches = Array.from({ length: MESSAGES / BATCH }, (_, i) => acts.slice(i * BATCH, (i + 1) * BATCH));
  await writeWithoutBoard(data, batches, clock.now());
  await using board = await TestBoard.start({ data, clock });
  const other = await board.put(board.agent(), { kind: "note", body: "something else", tags: ["rare"] });
  const seqs = planted.map((one) => one.seq);
  const rare = planted.filter((one) => one.tags.includes("rare")).map((one) => one.seq);
  const found = async (parameters: Record<string, string>) =>
    (await allPages(board, "/api/messages", { q: "common", limit: "200", fields: "seq", ...parameters })).map((one) => one.seq);

  expect(await found({ sort: "old" })).toEqual(seqs);
  expect(await found({ sort: "new" })).toEqual(seqs.toReversed());
  const byBits = planted.toSorted((a, b) => b.bits - a.bits || b.seq - a.seq).map((one) => one.seq);
  expect(await found({ sort: "pow" })).toEqual(byBits);
  expect(await found({ sort: "new", tag: "rare" })).toEqual(rare.toReversed());
  expect(await found({ sort: "old", tag: "rare", include_superseded: "1" })).toEqual(rare);
  expect((await found({ tag: "rare" })).toSorted((a, b) => a - b)).toEqual(rare);
  expect(rare).not.toContain(other.seq);
});
