// New work is answered whatever becomes of the search for similar work: the answer neither fails nor waits for long.
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PATIENCE_MS } from "../../src/board/write/dry-run-advice.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";

const WORK = { kind: "task", title: "parser crashes on empty input" };
const UNCOMPARED = { result: "created", similar: [] };

/** A board that was stopped, and has lost its index. */
async function withoutIndex(): Promise<{ readonly data: string; readonly index: string }> {
  const board = await TestBoard.start();
  await board.stop();
  const index = join(board.data, "index");
  rmSync(index, { recursive: true });
  return { data: board.data, index };
}

test("work is posted without similar work if the index fails", async () => {
  const { data, index } = await withoutIndex();
  // A file instead of the directory.
  writeFileSync(index, "");
  await using board = await TestBoard.start({ data });
  for (let n = 0; n < 2; n++) expect(await board.post(board.agent(), WORK)).toMatchObject({ status: 201, body: UNCOMPARED });
  expect((await board.get("/api/similar?text=parser")).status).toBe(503);
});

test("work is posted without similar work if the index does not answer in time", async () => {
  const { data, index } = await withoutIndex();
  const manifest = join(index, "manifest.json");
  mkdirSync(index);
  // The index waits until somebody writes to it.
  execFileSync("mkfifo", [manifest]);
  await using board = await TestBoard.start({ data });
  try {
    const envelope = board.agent().envelope(WORK);
    const id = messageId(envelope.payload);
    let answered = false;
    const posted = board.send(JSON.stringify(envelope)).finally(() => (answered = true));
    await eventually("the post", async () => ((await board.get(`/api/messages/${id}`)).status === 200 ? true : undefined));
    expect(answered).toBe(false);
    await eventually("the answer", () => {
      board.clock.advance(PATIENCE_MS);
      return answered ? true : undefined;
    });
    expect(await posted).toMatchObject({ status: 201, body: { ...UNCOMPARED, id } });
  } finally {
    closeSync(openSync(manifest, "w"));
  }
});
