// A message that was read is read again once the board has changed, whichever node changed it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { seenCache } from "../sql/message-caches.ts";
import { Client } from "./client.ts";
import { CurrentMessages } from "./current-messages.ts";
import { LatestHead } from "./latest-head.ts";
import { PostgresReader } from "./reader.ts";

const message = (seq: number): StoredMessage => ({ state: { seq }, raw: { payload: "{}" } }) as StoredMessage;

test("messages are found in the snapshot that they were read in, and only all of them", () => {
  const current = new CurrentMessages<number>();
  current.keep("7 700 aa", [
    [1, message(1)],
    [2, message(2)],
  ]);
  expect(current.isAt(7)).toBe(true);
  expect(current.isAt(8)).toBe(false);
  expect(current.find("7 700 aa", [2, 1])?.map(({ state }) => state.seq)).toEqual([2, 1]);
  expect(current.find("7 700 aa", [1, 3])).toBeUndefined();
  // The same version after a failover that lost commits.
  expect(current.find("7 700 bb", [1])).toBeUndefined();
  current.keep("8 701 cc", [[3, message(3)]]);
  expect(current.find("8 701 cc", [1])).toBeUndefined();
  expect(current.find("7 700 aa", [1])).toBeUndefined();
});

test("what another node changes is seen by the next read", async () => {
  const data = mkdtempSync(join(tmpdir(), "current-"));
  const client = new Client({ url: await databaseFor(data), connections: 2, name: "test" });
  const id = "a".repeat(64);
  await client.script(`
    INSERT INTO messages SELECT json.* FROM json_populate_record(NULL::messages, json_build_object(
      'seq', 1, 'id', '${id}', 'author', 'ag_1', 'kind', 'note', 'root', '${id}', 'received_at', 1, 'expires_at', 1000, 'bits', 0,
      'assisted', 0, 'has_data', 0, 'has_attachment', 0, 'risk', 0, 'copies', 0, 'spreading', 0, 'status', 'open', 'verifies', 0,
      'refutes', 0, 'replies', 0, 'answers', 0, 'answers_verified', 0, 'rejected', 0, 'resolved_by_author', 0, 'withdrawn', 0,
      'changed', 1)) AS json;
    INSERT INTO contents VALUES (1, '{}', 's', 'n');
    INSERT INTO threads VALUES ('${id}', 1, 1)`);
  const head = new LatestHead(client, "test");
  const reader = new PostgresReader(client, seenCache(), head);
  const inThread = async (): Promise<number | undefined> => {
    const found = await reader.find(id, 5);
    return found !== undefined && "stored" in found ? found.stored.thread.messages : undefined;
  };
  await head.read();
  expect(await inThread()).toBe(1);
  // Not by the write function, so the board does not know of it.
  await client.script("UPDATE threads SET messages = 2");
  expect(await inThread()).toBe(1);
  await client.script("UPDATE board SET version = version + 1");
  expect(await inThread()).toBe(2);
  await client.end();
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
});
