// The advice for new work, if the search for similar work is refused: the work is on the board, so its answer must not fail.
import { expect, test } from "vitest";
import { arrivalOf } from "../../../test/support/bare-board.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Refusal } from "../../core/errors.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { adviser } from "./dry-run-advice.ts";

test("a caller without processor time for the search gets the answer to its post without similar work; a dry run is refused", async () => {
  const { id, raw } = arrivalOf(JSON.stringify({ v: 1, pk: "", ts: 0, kind: "task", title: "parser crashes on empty input" }));
  const stored = { raw, state: { id, to: null } } as StoredMessage;
  const advice = adviser(() => Promise.reject(new Refusal("rate_limited")), new ManualClock());
  expect(await advice.similarTo(stored)).toEqual([]);
  await expect(advice.advise(stored, [])).rejects.toMatchObject({ code: "rate_limited" });
});
