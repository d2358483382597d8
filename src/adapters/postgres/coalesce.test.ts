// Many callers, few statements: nobody may get another's answer, an old one, or none.
import { expect, test } from "vitest";
import { Coalesced } from "./coalesce.ts";

function asked() {
  const groups: { readonly questions: readonly number[]; readonly finish: (error?: Error) => void }[] = [];
  const coalesced = new Coalesced<number, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        groups.push({ questions, finish: (error) => (error === undefined ? resolve((one) => `answer ${one}`) : reject(error)) });
      }),
  );
  return { groups, coalesced };
}

test("a read that comes while a statement runs waits for the next one, which sees what was written since", async () => {
  const { groups, coalesced } = asked();
  const first = coalesced.ask(1);
  const [second, third] = [coalesced.ask(2), coalesced.ask(3)];
  expect(groups.map(({ questions }) => questions)).toEqual([[1]]);
  groups[0]?.finish();
  expect(await first).toBe("answer 1");
  await Promise.resolve();
  expect(groups.map(({ questions }) => questions)).toEqual([[1], [2, 3]]);
  groups[1]?.finish();
  expect(await Promise.all([second, third])).toEqual(["answer 2", "answer 3"]);
});

test("a statement that fails fails those who asked with it, and the next callers are answered", async () => {
  const { groups, coalesced } = asked();
  const first = coalesced.ask(1);
  const second = coalesced.ask(2);
  groups[0]?.finish(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await Promise.resolve();
  groups[1]?.finish();
  expect(await second).toBe("answer 2");
});

test("a flood is asked in pieces", async () => {
  const { groups, coalesced } = asked();
  const all = Array.from({ length: 450 }, (_, n) => coalesced.ask(n));
  const sizes: number[] = [];
  for (let i = 0; sizes.reduce((sum, size) => sum + size, 0) < 450; i++) {
    await expect.poll(() => groups[i]).toBeDefined();
    sizes.push(groups[i]?.questions.length ?? 0);
    groups[i]?.finish();
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 450 }, (_, n) => `answer ${n}`));
  expect(Math.max(...sizes)).toBe(200);
});
