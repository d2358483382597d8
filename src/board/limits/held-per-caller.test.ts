import { expect, test } from "vitest";
import { Held } from "./held-per-caller.ts";

test("one IPv6 network of 48 bits holds no more than four addresses could, however many of 64 bits it has", () => {
  const held = new Held(5);
  const taken = Array.from({ length: 30 }, (_, n) => {
    const caller = `2001:db8:1:${n}`;
    return held.over(caller) === undefined ? held.add(caller) : undefined;
  });
  expect(taken.filter((one) => one !== undefined)).toHaveLength(20);
  expect(held.over("2001:db8:1:99")).toEqual({ who: "network (an IPv6 /48)", held: 20, most: 20 });
  expect(held.over("2001:db8:2:1"), "another network").toBeUndefined();
  expect(held.over("192.0.2.1")).toBeUndefined();
  taken[0]?.();
  taken[0]?.();
  expect(held.over("2001:db8:1:99"), "one has let go").toBeUndefined();
  held.add("2001:db8:1:99");
  expect(held.over("2001:db8:1:99")).toBeDefined();
});

test("one address holds so much, and so much more at once is too much", () => {
  const held = new Held(10);
  const release = held.add("192.0.2.1", 7);
  expect(held.over("192.0.2.1", 3)).toBeUndefined();
  expect(held.over("192.0.2.1", 4)).toEqual({ who: "address", held: 7, most: 10 });
  release();
  expect(held.over("192.0.2.1", 10)).toBeUndefined();
});
