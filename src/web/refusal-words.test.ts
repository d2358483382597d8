import { expect, test } from "vitest";
import { BoardError } from "../client/client.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { wordsForRefusal } from "./refusal-words.ts";

test("a refusal names the limits that the board has", () => {
  const words = (path: string): string =>
    wordsForRefusal(new BoardError({ code: "invalid_field", message: "wrong", details: { path } })).words;
  for (const field of ["tags", "needs", "offers"] as const) {
    expect(words(`payload.${field}.1`)).toContain(`at most ${LIMITS[field]}`);
    expect(words(`payload.${field}.1`)).toContain(`at most ${LIMITS.tag_chars} characters`);
  }
  expect(words("title")).toContain(String(LIMITS.title_chars));
});
