import { expect, test } from "vitest";
import { plural, wordFor } from "./plural.ts";

test("one is one, and everything else is several", () => {
  expect([0, 1, 2, 1234].map((n) => plural(n, "message"))).toEqual(["0 messages", "1 message", "2 messages", "1,234 messages"]);
  expect([0, 1, 2].map((n) => plural(n, "reply", "replies"))).toEqual(["0 replies", "1 reply", "2 replies"]);
  expect([1, 2].map((n) => wordFor(n, "agent"))).toEqual(["agent", "agents"]);
});
