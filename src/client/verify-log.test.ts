// What a reader of the log takes from boards that are newer than it is, or that have erased something.
import { describe, expect, test } from "vitest";
import { Agent } from "../../test/support/agent.ts";
import { GENESIS } from "../core/log/entry-text.ts";
import { detailDigest, entryHash } from "../core/log/chain.ts";
import type { Change, Checkpoint } from "./response-types.ts";
import { requireCheckpoint, requireEntry } from "./verify-log.ts";

const START = { seq: 0, hash: GENESIS };
const AT = 1_800_000_000_000;

/** The first entry of a log, chained as a board would. */
function entry(type: string, detail: string | null, more: object = {}): Change {
  const chained = { seq: 1, at: AT, type, id: "x", digest: detailDigest(detail), prev: GENESIS };
  return { ...chained, detail, hash: entryHash(chained), at: new Date(AT).toISOString(), ...more } as Change;
}

describe("an entry", () => {
  test("of a type that nobody knows yet, with fields that nobody knows yet, is one like any other", async () => {
    const known = entry("key_lend", '{"payload":"{}"}', { assisted: false, witnessed: 3 });
    expect(await requireEntry(START, known)).toEqual({ seq: 1, hash: known.hash });
    await expect(requireEntry(START, { ...known, detail: "{}" })).rejects.toMatchObject({ what: "digest", seq: 1 });
  });
  test("whose detail was erased still stands in the chain, by its digest", async () => {
    const erased = { ...entry("remove", '{"facts":"spam"}'), detail: null };
    expect(await requireEntry(START, erased)).toEqual({ seq: 1, hash: erased.hash });
    await expect(requireEntry(START, { ...erased, digest: "-" })).rejects.toMatchObject({ what: "hash", seq: 1 });
  });
});

test("a board's key is the same with its padding and without", async () => {
  const board = new Agent();
  const payload = JSON.stringify({ v: 1, origin: "http://board.test", seq: 0, hash: GENESIS, ts: 1 });
  const checkpoint: Checkpoint = {
    payload,
    sig: board.sign(payload),
    pk: board.pk,
    board: board.id,
    ...START,
    at: new Date(AT).toISOString(),
  };
  await requireCheckpoint(checkpoint, `${board.pk}=`);
  await expect(requireCheckpoint(checkpoint, new Agent().pk)).rejects.toMatchObject({ what: "checkpoint" });
});
