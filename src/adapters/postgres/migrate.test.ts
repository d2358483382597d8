// How a database of the first edition gets to the tables and facts of the second.
import { expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AGENTS } from "../../../test/support/acts.ts";
import { postAct } from "../../../test/support/bare-board.ts";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { messageId } from "../../core/protocol/identity.ts";
import { Client } from "./client.ts";
import { migrate } from "./migrate.ts";
import { PostgresWriter } from "./writer.ts";

const START = Date.UTC(2026, 0, 1);
const FIRST_EDITION = `
  DROP INDEX messages_claimed; DROP INDEX tallies_spellings; DROP TABLE barred; CREATE INDEX signals_seq ON signals (seq);
  ALTER TABLE messages RENAME COLUMN rejected TO answers_disputed; ALTER TABLE messages DROP COLUMN signal;
  ALTER TABLE aliases DROP COLUMN last_ops; ALTER TABLE labels DROP COLUMN spelling; ALTER TABLE log DROP COLUMN assisted;
  ALTER TABLE switches DROP COLUMN pow_at_once;
  UPDATE blackboard_schema SET version = 1;`;

test("work, labels and counts of the first edition are as the newer rules have them, and nobody needs to do anything", async () => {
  const data = mkdtempSync(join(tmpdir(), "migrate-"));
  const url = await databaseFor(data);
  const writer = new PostgresWriter(url);
  const client = new Client({ url, connections: 2, name: "test" });
  const text = (agent: number, fields: object) => JSON.stringify({ v: 1, pk: AGENTS[agent]!.pk, ts: 1, body: "text", ...fields });
  const put = async (agent: number, fields: object): Promise<string> => {
    const { outcomes } = await writer.run([postAct(text(agent, fields))], START);
    expect(outcomes).toMatchObject([{ result: "created" }]);
    return messageId(text(agent, fields));
  };
  try {
    const task = await put(0, { kind: "task", title: "one", tags: ["ﬁne", "plain"], needs: ["x²"] });
    await put(0, { kind: "note", title: "both", tags: ["ﬁle", "ok"] });
    const answer = await put(1, { kind: "answer", offers: ["louis-ⅷ"], refs: [{ rel: "answers", id: task }] });
    await put(2, { kind: "verification", refs: [{ rel: "refutes", id: answer }] });
    await put(2, { kind: "signal", signal: "useful", refs: [{ rel: "on", id: task }] });
    const all = (sql: string) => client.query<object>(sql);
    const facts = async () => ({
      messages: await all("SELECT id, status, answers, answers_verified, rejected, signal FROM messages ORDER BY seq"),
      tallies: await all("SELECT field, label, count FROM tallies WHERE field NOT IN ('posted', 'hour') ORDER BY 1, 2"),
      agents: await all("SELECT * FROM agent_tallies ORDER BY 1, 2, 3"),
      labels: await all("SELECT field, label, seq, spelling FROM labels ORDER BY 1, 2, 3"),
      log: await all("SELECT seq, type, assisted FROM log ORDER BY seq"),
    });
    const before = await facts();
    // As the first edition had it: every answer counted, and labels as they were written.
    await client.script(`
      UPDATE labels SET label = spelling WHERE spelling IS NOT NULL;
      UPDATE tallies t SET label = split_part(s.label, ',', 2) FROM tallies s WHERE s.field = t.field || '_as' AND split_part(s.label, ',', 1) = t.label;
      DELETE FROM tallies WHERE field LIKE '%\\_as';
      UPDATE agent_tallies SET label = 'x²' WHERE label = 'x2'; UPDATE agent_tallies SET label = 'louis-ⅷ' WHERE label = 'louis-viii';
      UPDATE messages SET answers = 1, rejected = 1, status = 'disputed' WHERE id = '${task}';
      UPDATE tallies SET count = count + 7 WHERE field IN ('status', 'work');
      ${FIRST_EDITION}`);
    await Promise.all([migrate(client), migrate(client)]);
    expect(await facts()).toEqual(before);
  } finally {
    await Promise.all([writer.end(), client.end()]);
    await dropDatabaseOf(data);
    rmSync(data, { recursive: true, force: true });
  }
});
