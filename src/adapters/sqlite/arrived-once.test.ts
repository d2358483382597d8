import { expect, test } from "vitest";
import { arrivalOf, BareBoard } from "../../../test/support/bare-board.ts";
import { noteText } from "../../../test/support/payload.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { Mailed } from "../../core/message/acts-and-outcomes.ts";
import type { Arrival } from "../../core/message/message-state.ts";

function post(board: BareBoard, title: string, once: string, now: number, more: object = {}): string {
  const arrival = { ...(arrivalOf(noteText({ title, ...more })) as Arrival), once } as Mailed;
  const [outcome] = board.run([{ type: "mail", arrival }], now).outcomes;
  if (outcome === undefined) return "nothing";
  if ("refused" in outcome) return outcome.refused.code;
  return "repeated" in outcome ? "repeated" : outcome.result;
}

test("what stands for the same thing outside enters once, even with other words, until it is long forgotten", () => {
  using board = new BareBoard();
  const start = 1_800_000_000_000;
  expect(post(board, "first", "mail 1", start)).toBe("created");
  expect(post(board, "first", "mail 1", start + 1)).toBe("repeated");
  expect(post(board, "other words", "mail 1", start + DAY_MS)).toBe("repeated");
  expect(post(board, "other mail", "mail 2", start + DAY_MS)).toBe("created");
  expect(board.rows("messages")).toBe(2);
  const later = start + LIMITS.once_days * DAY_MS + 60_000;
  board.sweep(later);
  expect(board.rows("arrived_once")).toBe(1);
  expect(post(board, "years after", "mail 1", later + 1)).toBe("created");
});

test("what was refused has not arrived, so that its next try can", () => {
  using board = new BareBoard();
  const refs = [{ rel: "answers", id: "f".repeat(64) }];
  expect(post(board, "too early", "mail 1", 1_800_000_000_000, { refs })).toBe("target_unknown");
  expect(board.rows("arrived_once")).toBe(0);
  expect(post(board, "in time", "mail 1", 1_800_000_000_001)).toBe("created");
});
