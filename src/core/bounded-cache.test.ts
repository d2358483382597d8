// The bounded map: what is in use stays, what is not goes, and what was changed or deleted never comes back.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

test("what was asked for lately is still there, and never more than the bound", () => {
  const recent = new BoundedCache<number, number>(100);
  for (let i = 0; i < 1000; i++) {
    recent.set(i, i);
    expect(recent.get(0)).toBe(0);
    expect([...recent.values()].length).toBeLessThanOrEqual(100);
  }
  expect(recent.get(999)).toBe(999);
  expect(recent.has(500)).toBe(false);
});

test("heavy values make others go; one that is too heavy by itself is kept alone", () => {
  const recent = new BoundedCache<string, number>(100, (weight) => weight);
  recent.set("a", 30);
  recent.set("b", 1000);
  recent.set("c", 30);
  expect(recent.get("b")).toBe(1000);
  recent.set("d", 30);
  expect(recent.get("a")).toBeUndefined();
});

test("it never says anything but what was set last and not deleted", () => {
  const act = fc.record({ key: fc.integer({ min: 0, max: 20 }), value: fc.integer({ min: 1, max: 9 }), drop: fc.boolean() });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      const recent = new BoundedCache<number, number>(20, (weight) => weight);
      const model = new Map<number, number>();
      for (const { key, value, drop } of acts) {
        if (drop) {
          recent.delete(key);
          model.delete(key);
        } else {
          recent.set(key, value);
          model.set(key, value);
          expect(recent.get(key)).toBe(value);
        }
        for (const one of model.keys()) if (recent.has(one)) expect(recent.get(one)).toBe(model.get(one));
        for (let one = 0; one <= 20; one++) if (!model.has(one)) expect(recent.get(one)).toBeUndefined();
      }
    }),
  );
});
