// An agent with very many delegated keys withdraws everything: the work grows with the number of its keys, not with its square.
import { expect, test } from "vitest";
import { arrivalOf } from "../../../../test/support/bare-board.ts";
import { arrive } from "../../../core/message/arrive.ts";
import { GENESIS } from "../../../core/log/chain.ts";
import { BatchLedger } from "./in-memory-ledger.ts";

const KEYS = Array.from({ length: 300 }, (_, i) => `ag_${i}`);

/** A ledger on a database that has nothing. */
function emptyLedger(): BatchLedger {
  const ledger = new BatchLedger();
  const { set } = ledger;
  set.start = { seq: 0, hash: GENESIS };
  set.now = 1;
  set.syncLoader = { table: (name, key) => set[name].keep([key], []), window: ({ window, keep }) => keep([], window.wanted) };
  return ledger;
}

test("the list of those who withdraw is made once, however many they are", () => {
  const ledger = emptyLedger();
  ledger.withdrawBefore(["ag_before", "ag_0"], 1);
  const before = ledger.mark();
  ledger.withdrawBefore(KEYS, 2);
  expect(ledger.set.journal.length).toBe(before[0]! + 1);
  const withdrawn = () => ledger.set.withdrawals.get("")?.map(({ author, seq }) => `${author} ${seq}`);
  expect(withdrawn()).toEqual(["ag_before 1", ...KEYS.map((one) => `${one} 2`)]);
  ledger.backTo(before);
  expect(withdrawn()).toEqual(["ag_before 1", "ag_0 1"]);
});

test("each message of the batch is looked at a few times for each of those who withdraw", () => {
  const ledger = emptyLedger();
  const { messages } = ledger.set;
  let looks = 0;
  const state = arrive(ledger, arrivalOf(JSON.stringify({ v: 1, pk: "A".repeat(43), ts: 1, kind: "note", body: "of another" })));
  for (let i = 0; i < 100; i++) {
    const author = { get: () => (looks++, "ag_other") };
    messages.set(`m${i}`, Object.defineProperty({ ...state, id: `m${i}` }, "author", author));
  }
  ledger.withdrawBefore(KEYS, 2);
  expect(ledger.goOnWithdrawing()).toBe(false);
  expect(ledger.ended).toHaveLength(KEYS.length);
  expect(looks).toBeLessThanOrEqual(3 * 100 * KEYS.length);
});
