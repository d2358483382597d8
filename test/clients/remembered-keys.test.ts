// Keys over several replays: a reader that remembers the head of a log also remembers the state of all keys, and checks later entries
// against it.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Change } from "../../src/client/response-types.ts";
import { KeyAudit, type SavedKeys } from "../../src/client/node/audit-agent-keys.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { hashOf, type KeyAct, signed } from "../support/key-stage.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { CLIENT, runPython } from "../support/python.ts";

async function act(board: TestBoard, signer: Agent, about: Agent, what: KeyAct): Promise<void> {
  const { body } = await board.get<{ board: string }>("/api/checkpoint");
  board.clock.advance(1000);
  const envelope = signed(signer, about, what, body.board, board.clock.now());
  expect((await board.send(JSON.stringify(envelope), "/api/keys")).status).toBe(201);
}
const entries = async (board: TestBoard) => (await board.get<{ changes: Change[] }>("/api/changes?include=raw")).body.changes;

test("an operation that depends on an earlier replay is replayed by both command lines, and a message of a dead key is a fault", async () => {
  await using board = await TestBoard.start();
  const [key, next] = [board.agent(), board.agent()];
  await board.put(key, { kind: "note", title: "first" });
  await act(board, key, key, { op: "commit", next: hashOf(next) });
  const [dir, python] = [emptyDirectory(), emptyDirectory()];
  const commands = [
    () => BoardProcess.spawn({ args: ["verify-log", "--url", board.url, "--json", "--remember", join(dir, "head")] }).ended,
    () => runPython([CLIENT, "--url", board.url, "--json", "verify-log", "--remember", join(python, "head")]),
  ];
  const all = () =>
    Promise.all(
      commands.map(async (run) => {
        const { code, stdout, stderr } = await run();
        const { key_operations: read, key_operations_skipped: skipped } = JSON.parse(code === 0 ? stdout : "{}") as Record<string, unknown>;
        return code === 0 ? { read, skipped } : stderr;
      }),
    );
  expect(await all()).toEqual([
    { read: 1, skipped: 0 },
    { read: 1, skipped: 0 },
  ]);
  const before = await entries(board);
  await act(board, next, key, { op: "rotate" });
  await board.put(next, { kind: "note", title: "second" });
  expect(await all()).toEqual([
    { read: 1, skipped: 0 },
    { read: 1, skipped: 0 },
  ]);
  expect(await all()).toEqual([
    { read: 0, skipped: 0 },
    { read: 0, skipped: 0 },
  ]);

  const first = new KeyAudit();
  for (const entry of before) first.take(entry);
  await first.finish(true);
  const goOn = async (more: readonly Change[]): Promise<KeyAudit> => {
    const audit = new KeyAudit(JSON.parse(JSON.stringify(first.saved())) as SavedKeys);
    for (const entry of more) audit.take(entry);
    await audit.finish(true);
    return audit;
  };
  const since = (await entries(board)).slice(before.length);
  expect((await goOn(since)).principalOf(next.id)).toBe(key.id);
  const dead = { ...since.at(-1)!, seq: 1000, raw: key.envelope({ kind: "note", title: "by the old key" }) };
  await expect(goOn([...since, dead])).rejects.toThrow("No board could have accepted this");
});
