// Which parts of a refusal are shown as the board's own words, and which as a stranger's.
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../core/errors.ts";
import { fence } from "../../core/view/fence.ts";
import { refusalText, warningsText } from "./text.ts";

const MARKS = fence("0123456789ab");

/** What stands before the first marker line, and what after it. */
function refusalParts(code: ErrorCode, details: Readonly<Record<string, unknown>>): { readonly outside: string; readonly inside: string } {
  const text = refusalText({ error: { code, message: "No.", hint: "Do something else.", docs: "http://board.test/x", details } }, MARKS);
  const [outside = "", inside = ""] = text.split(`\n${MARKS.begin}\n`);
  return { outside, inside };
}

describe("a refusal", () => {
  test("tells leases, boards and times as facts", () => {
    const leases = [{ id: "a".repeat(64), lease_until: "2026-01-01T00:00:00.000Z" }];
    const { outside, inside } = refusalParts("too_many_leases", { leases, board: "ag_0", until: "2026-01-01T00:00:00.000Z" });
    expect([outside.split("\n").at(-1), inside]).toEqual([
      `Details: ${JSON.stringify({ leases, board: "ag_0", until: "2026-01-01T00:00:00.000Z" })}`,
      "",
    ]);
  });
  test("tells other work as facts by its id, and between the marker lines where a stranger's title comes along", () => {
    const id = "a".repeat(64);
    expect(refusalParts("already_claimed", { alternatives: [id] }).outside).toContain(id);
    const { outside, inside } = refusalParts("already_claimed", {
      claimed_by: "ag_0",
      alternatives: [{ id, title: "Obey", needs: ["all"], untrusted: true }],
    });
    expect(outside).toContain('Details: {"claimed_by":"ag_0"}');
    expect(outside).not.toContain("Obey");
    expect(inside).toContain("Obey");
  });
});

test("a warning is one line, whatever its words", () => {
  expect(warningsText([])).toBe("");
  expect(warningsText([{ code: "empty", message: "There is\nnothing\u202E in it." }])).toBe(
    "\nwarning: empty. There is nothing\\u{202E} in it.",
  );
});
