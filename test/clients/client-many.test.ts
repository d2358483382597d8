// A plan of many messages by the TypeScript client: names, refusals, limits and the clock.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BoardError, checkMany, connect, makeKey, type PlanAnswer, type Planned, postMany, task } from "../../src/client/client.ts";
import { TestBoard } from "../support/board.ts";
import { Proxy } from "../support/proxy.ts";

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

async function all(answers: AsyncIterable<PlanAnswer>): Promise<PlanAnswer[]> {
  const gathered: PlanAnswer[] = [];
  for await (const answer of answers) gathered.push(answer);
  return gathered;
}
const results = (answers: readonly PlanAnswer[]): string[] =>
  answers.map(({ place, posted, error }) => `${place} ${posted?.result ?? error?.code}`);
const part = (name: string, of: string): Planned => ({ kind: "subtask", title: name, name, refs: [{ rel: "subtask_of", id: `@${of}` }] });

describe("a plan", () => {
  test("has refs by names that nobody else sees, and files", async () => {
    const key = await makeKey();
    const plan: Planned[] = [
      { ...task("build it"), name: "all" },
      part("a", "all"),
      { ...part("b", "a"), files: [{ name: "a.txt", mime: "text/plain", text: "how" }] },
      { kind: "note", title: "cites both", refs: ["a", "b"].map((name) => ({ rel: "cites" as const, id: `@${name}` })) },
    ];
    const answers = await all(postMany(connect(board.url), key, plan));
    expect(results(answers)).toEqual(["0 created", "1 created", "2 created", "3 created"]);
    const [whole, a, b, note] = answers.map(({ posted }) => posted!.id);
    expect((await board.record(a!)).meta.refs).toEqual([{ rel: "subtask_of", id: whole }]);
    expect((await board.record(note!)).meta.refs?.map(({ id }) => id)).toEqual([a, b]);
    expect((await board.record(b!)).meta).toMatchObject({ title: "b", attachments: [{ name: "a.txt", size: 3 }] });
    expect(JSON.stringify(await board.record(a!))).not.toContain('"name"');
  });

  test("whose names do not fit is refused before anything is sent", async () => {
    const key = await makeKey();
    const nowhere = connect("http://127.0.0.1:9");
    await expect(all(postMany(nowhere, key, [part("a", "b"), { ...task("late"), name: "b" }]))).rejects.toThrow(
      "Message 1 of the plan refers to @b, and no message before it has that name.",
    );
    const twice = [1, 2].map((n) => ({ ...task(`${n}`), name: "same" }));
    await expect(all(postMany(nowhere, key, twice))).rejects.toThrow('Message 2 of the plan has the name "same"');
  });

  test("loses only wrong messages, and those that refer to them", async () => {
    const key = await makeKey();
    const plan: Planned[] = [
      { ...task("x".repeat(300)), name: "wrong" },
      part("a", "wrong"),
      part("b", "a"),
      { ...task("right"), name: "right" },
      part("c", "right"),
    ];
    const answers = await all(postMany(connect(board.url), key, plan));
    expect(results(answers).toSorted()).toEqual(["0 invalid_field", "1 target_unknown", "2 target_unknown", "3 created", "4 created"]);
    expect(answers.every(({ error }) => error === undefined || error instanceof BoardError)).toBe(true);
  });

  test("is tried whole before anything is mined", async () => {
    const key = await makeKey();
    const plan: Planned[] = [{ ...task("tried"), name: "t" }, part("a", "t"), { kind: "nonsense" }];
    const answers = await checkMany(connect(board.url), key, plan);
    expect(results(answers)).toEqual(["0 valid", "1 valid", "2 unknown_kind"]);
    expect((await board.get<{ messages: object[] }>(`/api/messages?author=${key.agent}`)).body.messages).toEqual([]);
  });

  test("uses the board's clock if this machine's is wrong, also in refs", async () => {
    await using late = await TestBoard.start();
    late.clock.advance(10 * 3_600_000);
    const answers = await all(postMany(connect(late.url), await makeKey(), [{ ...task("t"), name: "t" }, part("a", "t"), part("b", "a")]));
    expect(results(answers)).toEqual(["0 created", "1 created", "2 created"]);
  });

  test("that was cut off is sent again, and is posted once", async () => {
    let losses = 0;
    const lose = ({ method }: { method?: string | undefined }) =>
      method === "POST" && losses++ < 2 ? (["all", "half"] as const)[losses % 2] : undefined;
    await using proxy = await Proxy.start(() => board.url, { lose });
    const key = await makeKey();
    const answers = await all(postMany(connect(proxy.url), key, [task("once"), task("twice")]));
    expect(results(answers)).toEqual(["0 exists", "1 exists"]);
    expect((await board.get<{ messages: object[] }>(`/api/messages?author=${key.agent}`)).body.messages).toHaveLength(2);
  });
});

describe("with limits", () => {
  test("a bundle is no larger than its agent may post, and the rest comes as the board's limits allow", async () => {
    await using limited = await TestBoard.start({ flags: ["--rate-limits", "on"] });
    const sent: number[] = [];
    const counting: typeof fetch = async (input, init) => {
      if (init?.method === "POST") sent.push((init.body as string).trimEnd().split("\n").length);
      const answer = await fetch(input, init);
      // The board's clock does not move: a caller that has to wait has waited when it sends again.
      limited.clock.advance(120_000);
      return answer;
    };
    const plan = Array.from({ length: 45 }, (_, n) => task(`${n}`));
    const answers = await all(postMany(connect(limited.url, { fetch: counting, longestWaitS: 0.05 }), await makeKey(), plan));
    expect(results(answers)).toEqual(plan.map((_, n) => `${n} created`));
    expect(sent[0]).toBe(20);
    expect(sent.reduce((sum, lines) => sum + lines, 0)).toBe(45);
  });
});
