// An agent's own keys stay among its keys, however many children it has had.
import { expect, test } from "vitest";
import { databasePath, openDatabase } from "../../src/adapters/sqlite/open.ts";
import { TestBoard } from "../support/board.ts";
import { BoardStage, hashOf } from "../support/key-stage.ts";

test("an agent that delegated to thousands of keys still has its own inbox", async () => {
  await using board = await TestBoard.start();
  const stage = await BoardStage.on(board);
  const [key, next] = [board.agent(), board.agent()];
  expect(await stage.act(key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
  // Inserts ids that come before any other, because delegating that often would take a day.
  const db = openDatabase(databasePath(board.data), "write");
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO keys (agent, principal, role, state) SELECT printf('ag_%020d', i), '${key.id}', 'child', '{}' FROM n`);
  db.close();
  const letter = await board.put(board.agent(), { kind: "note", title: "for you", to: key.id });
  const { body } = await board.get<{ messages: { id: string }[] }>(`/api/inbox/${key.id}`);
  expect(body.messages.map(({ id }) => id)).toEqual([letter.id]);
});
