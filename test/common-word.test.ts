// A word that very many messages have: every order still shows each of them once, whichever way they are looked up.
import { expect, test } from "vitest";
import { TestBoard } from "./support/board.ts";
import { putAll } from "./support/crowd.ts";
import { allPages } from "./support/listing.ts";

/** More than are looked up in one go. */
const MESSAGES = 5100;

test("a search for a word that everybody uses pages through all of them, in every order and with filters", async () => {
  await using board = await TestBoard.start();
  const posted = await putAll(
    board,
    Array.from({ length: MESSAGES }, (_, i) => ({ kind: "note", body: `common ${i}`, ...(i % 50 === 0 ? { tags: ["rare"] } : {}) })),
  );
  const other = await board.put(board.agent(), { kind: "note", body: "something else", tags: ["rare"] });
  const bySeq = posted.toSorted((a, b) => a.seq - b.seq);
  const seqs = bySeq.map((one) => one.seq);
  const rare = bySeq.filter((one) => one.meta.tags.includes("rare")).map((one) => one.seq);
  const found = async (parameters: Record<string, string>) =>
    (await allPages(board, "/api/messages", { q: "common", limit: "200", fields: "seq", ...parameters })).map((one) => one.seq);

  expect(await found({ sort: "old" })).toEqual(seqs);
  expect(await found({ sort: "new" })).toEqual(seqs.toReversed());
  const byBits = bySeq.toSorted((a, b) => b.server.pow_bits - a.server.pow_bits || b.seq - a.seq).map((one) => one.seq);
  expect(await found({ sort: "pow" })).toEqual(byBits);
  expect(await found({ sort: "new", tag: "rare" })).toEqual(rare.toReversed());
  expect(await found({ sort: "old", tag: "rare", include_superseded: "1" })).toEqual(rare);
  expect((await found({ tag: "rare" })).toSorted((a, b) => a - b)).toEqual(rare);
  expect(rare).not.toContain(other.seq);
});
