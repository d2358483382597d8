// The next piece of work in one step, in every client: found, claimed and read in full; other work if another agent was faster; and waiting
// for work.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Board, connect, makeKey, next, type Taken } from "../../src/client/client.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { ERAS, McpClient } from "../support/mcp-client.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { PythonPair } from "../support/python-pair.ts";

let pair: PythonPair;
let host: TestBoard;
let board: Board;
beforeAll(async () => {
  pair = await PythonPair.start();
  host = pair.board;
  board = connect(host.url);
});
afterAll(() => pair[Symbol.asyncDispose]());

const put = (title: string, more: object = {}) => host.put(host.agent(), { kind: "task", title, ...more });
const waiting = () =>
  eventually("it waits", async () =>
    (await host.get<string>("/metrics")).body.includes("blackboard_stream_readers 1") ? true : undefined,
  );

test("agents that ask at the same moment get different work, each of it whole and claimed for the one who asked", async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => makeKey()));
  for (let i = 0; i < 5; i++) await put(`piece ${i}`, { tags: ["pieces"], body: `what piece ${i} is about`, data: { i } });
  const taken = await Promise.all(keys.map((key) => next(board, key, { tags: ["pieces"], lease: "1h", wait: 0 })));
  expect(new Set(taken.map(({ work }) => work?.id)).size).toBe(5);
  for (const [i, { work, claim, held }] of taken.entries()) {
    expect(work).toMatchObject({ content: { body: expect.stringMatching(/^what piece/) as string }, match: { of: 0 } });
    expect(work?.derived).toMatchObject({ status: "claimed", claimed_by: keys[i]?.agent });
    expect(claim?.meta.refs).toEqual([{ rel: "claims", id: work?.id }]);
    expect(held).toEqual([]);
  }
  const again = await next(board, keys[0]!, { tags: ["pieces"], wait: 0 });
  expect(again).toMatchObject({ work: null, claim: null, held: [{ id: taken[0]?.work?.id }] });
});

test("what one may not have is not fought over: the refusal says what is held", async () => {
  const key = await makeKey();
  for (let i = 0; i < 9; i++) await put(`many ${i}`, { tags: ["many"] });
  for (let i = 0; i < 8; i++) await next(board, key, { tags: ["many"], wait: 0 });
  await expect(next(board, key, { tags: ["many"], wait: 0 })).rejects.toMatchObject({ code: "too_many_leases" });
});

test("from the shell: `blackboard next` and `client.py next` show the work and what is held, and wait for some", async () => {
  const cwd = emptyDirectory();
  const env = { BLACKBOARD_URL: host.url, BLACKBOARD_KEY_FILE: join(cwd, "agent.key") };
  const run = async (...args: string[]) => {
    host.clock.set(Date.now());
    const { code, stdout, stderr } = await runHere(args, { env });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  await run("keygen");
  expect(await run("next", "--tag", "shell", "--wait", "0")).toBe("No work came within 0 s.\n");
  const first = await put("Sort the shells", { tags: ["shell"], needs: ["hands"], body: "By colour." });
  const second = await put("Count the shells", { tags: ["shell"], needs: ["eyes"], body: "All of them." });
  const shown = await run("next", "--offers", "eyes", "--tag", "shell", "--lease", "2h");
  expect(shown).toMatch(new RegExp(`^claimed ${second.id} until `));
  expect(shown).toContain("All of them.");
  const { work, held } = JSON.parse(await run("next", "--tag", "shell", "--json")) as Taken;
  expect([work?.id, held.map(({ id }) => id)]).toEqual([first.id, [second.id]]);
  // No work is left, so the caller waits until some comes.
  const python = pair.worker.json<Taken>("next", "--tag", "shell", "--wait", "30");
  await waiting();
  const third = await put("Wash the shells", { tags: ["shell"], body: "With care." });
  expect((await python).work).toMatchObject({ id: third.id, content: { body: "With care." }, derived: { status: "claimed" } });
  expect(await pair.worker.text("next", "--tag", "shell", "--wait", "0")).toMatch(
    new RegExp(`^you hold {4}${third.id.slice(0, 12)} until \\S+ \\| Wash the shells\nNo work came within 0 s\\.\n$`),
  );
});

test("work that came back comes with what was said against the answers, in both shells and over MCP", async () => {
  const cwd = emptyDirectory();
  const env = { BLACKBOARD_URL: host.url, BLACKBOARD_KEY_FILE: join(cwd, "agent.key") };
  const wrong = async (tag: string) => {
    const [task, worker, checker] = [await put("Add them", { tags: [tag] }), host.agent(), host.agent()];
    const answer = await host.put(worker, { kind: "result", body: "4", refs: [{ rel: "answers", id: task.id }] });
    await host.put(checker, { kind: "verification", body: "1 + 2\nis 3.", refs: [{ rel: "refutes", id: answer.id }] });
    return { short: answer.id.slice(0, 12), checker: checker.id };
  };
  host.clock.set(Date.now());
  const [first, second, third] = [await wrong("back-1"), await wrong("back-2"), await wrong("back-3")];
  await runHere(["keygen"], { env });
  const { stdout } = await runHere(["next", "--tag", "back-1", "--wait", "0"], { env });
  expect(stdout).toContain(
    `open again, rejected ${first.short}\nwhy ${first.short} was rejected, by ${first.checker}:\n| 1 + 2\n| is 3.\n`,
  );
  const held = await runHere(["next", "--tag", "back-1", "--wait", "0"], { env });
  expect(held.stdout).toMatch(/^you hold .+ \| Add them\n {2}1 answer rejected; why: blackboard thread [0-9a-f]{12}\nNo work came/);
  const python = await pair.worker.text("next", "--tag", "back-2", "--wait", "0");
  expect(python).toContain(`why not     ${second.short}, by ${second.checker}\n  | 1 + 2\n  | is 3.\n`);
  expect(await pair.worker.text("next", "--tag", "back-2", "--wait", "0")).toContain("  1 answer rejected; why: client.py thread ");
  await using mcp = await McpClient.connect(host.url, ERAS[0]);
  const { secret_key } = (await mcp.done("create_identity")) as { secret_key: string };
  const { text } = await mcp.call("take_work", { tags: "back-3", wait: 0, secret_key });
  expect(text).toContain(`why ${third.short} was rejected, by ${third.checker}: 1 + 2\nis 3.`);
  const { text: again } = await mcp.call("take_work", { tags: "back-3", wait: 0, secret_key });
  expect(again).toContain("1 answer rejected: get_thread with fold false says why.");
  const [, id] = /You also hold ([0-9a-f]{64})/.exec(again) ?? [];
  expect((await mcp.call("get_thread", { id, fold: false })).text).toContain("1 + 2\nis 3.");
});

test("an agent that has waited in vain has asked once", async () => {
  let asked = 0;
  const counting = connect(host.url, {
    fetch: (...request) => {
      asked++;
      return fetch(...request);
    },
  });
  const none = next(counting, await makeKey(), { tags: ["never"], wait: 1 });
  await waiting();
  // The client's own clock is the real one.
  await new Promise((later) => setTimeout(later, 1100));
  host.clock.advance(1000);
  expect(await none).toEqual({ work: null, claim: null, held: [] });
  expect(asked).toBe(1);
});

test.each(ERAS)("over MCP %s take_work claims, shows and says how to deliver; without a key it says what is missing", async (era) => {
  await using nobody = await McpClient.connect(host.url, era);
  const refused = await nobody.call("take_work", { tags: `mcp-${era}`, wait: 30 });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("secret_key")]);
  const { secret_key: key } = (await nobody.done("create_identity")) as { secret_key: string };
  await using mcp = await McpClient.connect(host.url, era, { "x-blackboard-key": key });
  expect((await mcp.call("take_work", { tags: `mcp-${era}`, wait: 0 })).text).toContain("No work came");
  const task = await put("Plot it", { tags: [`mcp-${era}`], body: "As a line." });
  const other = await put("Print it", { tags: [`mcp-${era}`] });
  const first = await mcp.call("take_work", { tags: `mcp-${era}`, lease: "1h" });
  const second = await mcp.call("take_work", { tags: `mcp-${era}`, wait: 0 });
  const ids = [first, second].map(({ body }) => (body["work"] as { id: string }).id);
  expect(new Set(ids)).toEqual(new Set([task.id, other.id]));
  expect(first.text).toContain(`{"kind":"result","refs":[{"rel":"answers","id":"${ids[0]}"}]}`);
  expect(second.text).toContain(`You also hold ${ids[0]} until`);
  // A key in the call works as well.
  const third = await put("Fold it", { tags: [`mcp-${era}`] });
  const { secret_key: another } = (await nobody.done("create_identity")) as { secret_key: string };
  const own = await nobody.call("take_work", { tags: `mcp-${era}`, secret_key: another });
  expect(own.body["work"]).toMatchObject({ id: third.id });
  const none = await nobody.call("take_work", { tags: `mcp-${era}`, wait: 0, secret_key: another });
  expect(none.text).toContain(`You also hold ${third.id} until`);
  // The work is given back as the answer says.
  const [, back = "{}"] = /Give it back with (\{.*\})\./.exec(own.text) ?? [];
  const given = await nobody.call("post_message", { ...(JSON.parse(back) as object), secret_key: another });
  expect(given.text).toMatch(/^created: \S+\nseq \d+ · root \S+\nhttp\S+$/);
  expect((await host.record(third.id)).derived).toMatchObject({ status: "open", claimed_by: null });
  const claimed = await nobody.call("post_message", { kind: "claim", refs: [{ rel: "claims", id: third.id }], secret_key: another });
  expect(claimed.text).toMatch(/^created: \S+\nseq \d+ · root \S+\nhttp\S+\nnow: task \w+ is claimed by you until \S+$/);
});
