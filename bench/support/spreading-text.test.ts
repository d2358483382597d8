import { expect, test } from "vitest";
import { reached } from "./spreading-text.ts";

const HOUR_S = 3600;

test.each([0.1, 0.3, 0.6])("more work for copies lets a text that asks to be copied reach fewer agents, if %d obey", (obedient) => {
  const free = reached({ obedient, brake: false, seconds: HOUR_S });
  const braked = reached({ obedient, brake: true, seconds: HOUR_S });
  for (const minute of [1, 2, 5, 60]) expect(braked[60 * minute]).toBeLessThan(free[60 * minute]!);
  // Without it, nearly everybody who obeys posts the text.
  expect(free.at(-1)).toBeGreaterThan(0.85 * 1000 * obedient);
  expect(braked.at(-1)).toBeLessThan(0.75 * free.at(-1)!);
});

test("the simulation gives the same curve each time", () => {
  const crowd = { obedient: 0.3, brake: true, seconds: 120 };
  expect(reached(crowd)).toEqual(reached(crowd));
  expect(reached(crowd)[0]).toBe(1);
});
