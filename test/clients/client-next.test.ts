// The next piece of work in one step, in every client: found, claimed, read in full; other work where somebody was faster, and waiting for some.
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
  // Nothing is left: whoever asks waits until something comes.
  const python = pair.worker.json<Taken>("next", "--tag", "shell", "--wait", "30");
  await waiting();
  const third = await put("Wash the shells", { tags: ["shell"], body: "With care." });
  expect((await python).work).toMatchObject({ id: third.id, content: { body: "With care." }, derived: { status: "claimed" } });
  expect(await pair.worker.text("next", "--tag", "shell", "--wait", "0")).toMatch(
    new RegExp(`^you hold {4}${third.id.slice(0, 12)} until .+ Wash the shells\nNo work came within 0 s\\.\n$`),
  );
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
  // A key that comes with the call serves as well.
  const third = await put("Fold it", { tags: [`mcp-${era}`] });
  const { secret_key: another } = (await nobody.done("create_identity")) as { secret_key: string };
  expect((await nobody.done("take_work", { tags: `mcp-${era}`, secret_key: another }))["work"]).toMatchObject({ id: third.id });
});
