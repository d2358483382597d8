// A node that runs on while an older copy takes the place of its database: a restored backup, or a standby that lacked the last entries.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";
import { copyDatabase, copyRows } from "../support/postgres/database.ts";
import { emptyDirectory } from "../support/process.ts";

const LOOK_MS = 500;

/** A board whose last five entries are in the database only, and the directory of a copy without them. */
async function lived(board: TestBoard) {
  const agent = board.agent();
  for (let i = 0; i < 3; i++) await board.put(agent, { kind: "note", body: `kept ${i}` });
  const older = emptyDirectory();
  await copyRows(board.data, older);
  for (let i = 0; i < 5; i++) await board.put(agent, { kind: "note", body: `lost ${i}` });
  return { agent, older };
}

test("if none of the lost entries was signed, streams and the search go on with what comes next", async () => {
  await using board = await TestBoard.start();
  const { agent, older } = await lived(board);
  expect((await board.get<{ messages: object[] }>("/api/messages?q=lost")).body.messages.length).toBe(5);
  await using stream = await openStream(board, "/api/stream");
  await stream.upTo("live");
  await copyDatabase(older, board.data);
  const next = await eventually("the next post", async () => {
    board.clock.advance(LOOK_MS);
    const { status, body } = await board.post(agent, { kind: "note", body: "after" });
    return status === 201 || status === 200 ? body : undefined;
  });
  expect(next.seq).toBe(4);
  expect((await stream.next("message")).data).toMatchObject({ content: { body: "after" } });
  const found = await eventually("what the search finds", async () => {
    board.clock.advance(LOOK_MS);
    const { status, body } = await board.get<{ messages: { id: string }[] }>("/api/messages?q=after");
    return status === 200 && body.messages.length > 0 ? body.messages : undefined;
  });
  expect(found).toMatchObject([{ id: next.id }]);
});

test("if they were signed, nothing more is acknowledged", async () => {
  await using board = await TestBoard.start();
  const { agent, older } = await lived(board);
  expect((await board.get("/api/checkpoint")).status).toBe(200);
  await copyDatabase(older, board.data);
  let tries = 0;
  await eventually("the refusal", async () => {
    board.clock.advance(LOOK_MS);
    const { status, body } = await board.post(agent, { kind: "note", body: `after ${tries++}` });
    return status === 503 && body.error.code === "log_rollback" ? true : undefined;
  });
});
