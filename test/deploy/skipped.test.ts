// The last line of a run: it says what was not tested, and what to install.
import { expect, test } from "vitest";
import { skippedLine } from "../support/skipped-reporter.ts";

test("counts the skipped by the reason that their names give, in one line", () => {
  const disk = "a full disk (skipped: needs user namespaces)";
  expect(skippedLine([`${disk} > is told`, `${disk} > gets no key`, "a trace (skipped: needs strace)", "later"])).toBe(
    "Skipped: 2 tests (needs user namespaces); 1 test (needs strace); 1 test (no reason given).",
  );
  expect(skippedLine([])).toBe("Skipped: nothing.");
});
