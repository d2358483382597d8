// Many callers, few statements: nobody may get another's answer, an old one, or none.
import { expect, test } from "vitest";
import { Coalesced } from "./coalesce.ts";

function asked() {
  const groups: { readonly questions: readonly number[]; readonly settle: (error?: Error) => void }[] = [];
  const together = new Coalesced<number, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        groups.push({ questions, settle: (error) => (error === undefined ? resolve((one) => `answer ${one}`) : reject(error)) });
      }),
  );
  return { groups, together };
}

test("whoever asks while a statement is under way waits for the next one, which sees what was written since", async () => {
  const { groups, together } = asked();
  const first = together.ask(1);
  const [second, third] = [together.ask(2), together.ask(3)];
  expect(groups.map(({ questions }) => questions)).toEqual([[1]]);
  groups[0]?.settle();
  expect(await first).toBe("answer 1");
  await Promise.resolve();
  expect(groups.map(({ questions }) => questions)).toEqual([[1], [2, 3]]);
  groups[1]?.settle();
  expect(await Promise.all([second, third])).toEqual(["answer 2", "answer 3"]);
});

test("a statement that fails fails those who asked with it, and the next callers are answered", async () => {
  const { groups, together } = asked();
  const first = together.ask(1);
  const second = together.ask(2);
  groups[0]?.settle(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await Promise.resolve();
  groups[1]?.settle();
  expect(await second).toBe("answer 2");
});

test("a flood is asked in pieces", async () => {
  const { groups, together } = asked();
  const all = Array.from({ length: 450 }, (_, n) => together.ask(n));
  const sizes: number[] = [];
  for (let i = 0; sizes.reduce((sum, size) => sum + size, 0) < 450; i++) {
    await expect.poll(() => groups[i]).toBeDefined();
    sizes.push(groups[i]?.questions.length ?? 0);
    groups[i]?.settle();
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 450 }, (_, n) => `answer ${n}`));
  expect(Math.max(...sizes)).toBe(200);
});
