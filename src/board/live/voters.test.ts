// Who voted on a message: read as seldom as possible, and never told wrongly.
import { expect, test } from "vitest";
import { NOTE } from "../../../test/support/recordable-note.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import { Voters } from "./voters.ts";

const stateOf = (seq: number, verifies: number): MessageState => ({ ...NOTE.state, seq, verifies });

function world(votes: Record<number, readonly string[]>) {
  const asked: (readonly number[])[] = [];
  const voters = new Voters({
    verifiers: async (seqs) => {
      asked.push(seqs);
      return new Map(seqs.flatMap((seq) => (votes[seq] === undefined ? [] : [[seq, votes[seq]]])));
    },
  });
  return { asked, voters };
}

test("voters are read once for each state of a message, all of them together, and not at all if nobody verifies it", async () => {
  const votes: Record<number, readonly string[]> = { 1: ["a"], 2: ["a", "b"] };
  const { asked, voters } = world(votes);
  const [one, two, none] = [stateOf(1, 1), stateOf(2, 2), stateOf(3, 0)];
  for (let round = 0; round < 3; round++) {
    const of = await voters.of([one, none, two]);
    expect([of(one), of(two), of(none)]).toEqual([["a"], ["a", "b"], []]);
  }
  votes[1] = ["b", "c"];
  const now = stateOf(1, 2);
  expect((await voters.of([now, two]))(now)).toEqual(["b", "c"]);
  expect(asked).toEqual([[1, 2], [1]]);
});

test("a message with too many votes may be verified by anybody, which is found out once", async () => {
  const { asked, voters } = world({});
  const many = stateOf(1, 5000);
  for (let round = 0; round < 3; round++) expect((await voters.of([many]))(many)).toBe(undefined);
  expect(asked).toEqual([[1]]);
});

test("if a vote was withdrawn between the two reads, anybody may have given it, and the votes are read again next time", async () => {
  const votes: Record<number, readonly string[]> = { 1: ["b"] };
  const { asked, voters } = world(votes);
  const before = stateOf(1, 2);
  expect((await voters.of([before]))(before)).toBe(undefined);
  votes[1] = ["a", "b"];
  expect((await voters.of([before]))(before)).toEqual(["a", "b"]);
  expect(asked).toEqual([[1], [1]]);
});
