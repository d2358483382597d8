import { expect, test } from "vitest";
import { AGENTS } from "../../../../test/support/acts.ts";
import { arrivalOf } from "../../../../test/support/bare-board.ts";
import type { Act } from "../../../core/message/acts-and-outcomes.ts";
import { BatchLedger } from "./in-memory-ledger.ts";
import { anticipate, workOut } from "./run-batch.ts";

const arrival = arrivalOf(JSON.stringify({ v: 1, pk: AGENTS[0]!.pk, ts: 1, kind: "note", title: "long awaited" }));

/** The rows about earlier replies that a post asks the store for; `known` says how many replies there are, if that was read before. */
function askedFor(dryRun: boolean, known?: number): readonly string[] {
  const act: Act<"post"> = { type: "post", arrival, dryRun };
  const ledger = new BatchLedger();
  const { set } = ledger;
  if (known !== undefined) set.replies.keep([arrival.id], [[arrival.id, known]]);
  anticipate(ledger, [act]);
  workOut(ledger, [act]);
  return (["replies", "earlyReplies"] as const).filter((name) => set[name].missing.has(arrival.id));
}

test("a dry run of a message that many have replied to reads none of the replies, whose number has no limit", () => {
  expect([askedFor(false), askedFor(false, 5)]).toEqual([["replies"], ["earlyReplies"]]);
  expect([askedFor(true), askedFor(true, 5)]).toEqual([[], []]);
});
