import { expect, test } from "vitest";
import { MatchedMessages, MATCHES_CACHED } from "./text-filter-matches.ts";

test("a message that a text filter matched is remembered until its end is sent", () => {
  const known = new MatchedMessages();
  known.addAll([1, 2, 3]);
  known.delete(2);
  expect([1, 2, 3, 4].map((message) => known.has(message))).toEqual([true, false, true, false]);
  const other = new MatchedMessages();
  other.add(4);
  known.absorb(other);
  expect(known.has(4)).toBe(true);
});

test("a filter that matches more than is kept takes no more memory and loses no end", () => {
  const known = new MatchedMessages();
  for (let message = 0; message <= MATCHES_CACHED; message++) known.add(message);
  expect(known.has(MATCHES_CACHED * 5)).toBe(true);
  known.delete(1);
  expect(known.has(1)).toBe(true);
  const other = new MatchedMessages();
  other.absorb(known);
  expect(other.has(77)).toBe(true);
});
