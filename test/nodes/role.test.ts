// A board needs no special rights in PostgreSQL: with the user that deploy/postgres.sql makes, everything works as with a superuser.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "../../src/adapters/postgres/client.ts";
import { TestBoard } from "../support/board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { openStream } from "../support/event-stream.ts";
import { type PostgresServer, postgresServer } from "../support/postgres/server.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const SCRIPT = readFileSync(resolve(import.meta.dirname, "../../deploy/postgres.sql"), "utf8");
/** Like psql: CREATE DATABASE cannot run together with other statements, so each statement runs alone. */
const STATEMENTS = SCRIPT.replaceAll(/^(?:--|\\).*$/gm, "")
  .replaceAll(":'password'", "'it''s \"secret\"'")
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "");

let server: PostgresServer;
let url: string;
const as = (database: string, user = "blackboard"): string => server.databaseUrl(database).replace("//board@", `//${user}@`);
const connect = (to: string): Client => new Client({ url: to, connections: 1, name: "test" });

async function asSuperuser(statements: readonly string[], database = "postgres"): Promise<void> {
  const admin = connect(server.databaseUrl(database));
  for (const statement of statements) await admin.script(statement);
  await admin.end();
}
beforeAll(async () => {
  server = await postgresServer();
  await asSuperuser(STATEMENTS);
  url = as("blackboard");
});
afterAll(() => server.remove());

/** The same directory each time, so that the board finds its key again. */
const data = emptyDirectory();
const clock = new ManualClock();
const board = (database = url): Promise<TestBoard> =>
  TestBoard.start({ store: "sqlite", data, clock, flags: ["--database-url", database] });
/** The operator's command, with the same user. */
async function operate(database: string, ...args: readonly string[]): Promise<string> {
  const command = BoardProcess.spawn({ args: ["operate", ...args, "--data", data, "--database-url", database] });
  const { code, stdout, stderr } = await command.ended;
  expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
  return stdout;
}

/** Acts of readers, authors and operators, each once. */
async function everything(at: TestBoard, database: string): Promise<void> {
  const [agent, other] = [at.agent(), at.agent()];
  await using reader = await openStream(at, "/api/stream");
  await reader.upTo("live");
  const task = await at.put(agent, { kind: "task", title: "a task about needles", tags: ["hay"], ttl: "1h" });
  const slip = await at.put(agent, { kind: "note", title: "removed later" });
  await at.put(other, { kind: "claim", refs: [{ rel: "claims", id: task.id }], lease: "1m" });
  expect((await reader.next("message")).data).toMatchObject({ id: task.id });
  expect((await at.get<{ messages: unknown[] }>("/api/messages?q=needles")).body.messages).toHaveLength(1);
  expect((await at.get<string>("/metrics")).body).toMatch(/^blackboard_database_bytes [1-9]/m);
  await operate(database, "remove", slip.id, "--yes", "--category", "spam", "--ground", "incompatible_content", "--facts", "Spam.");
  at.clock.advance(1000);
  expect((await at.get(`/api/messages/${slip.id}`)).status).toBe(410);
  at.clock.advance(61_000);
  expect((await at.record(task.id)).derived.status).toBe("open");
  at.clock.advance(3_600_000);
  expect((await at.get(`/api/messages/${task.id}`)).status).toBe(410);
  expect((await at.get("/api/checkpoint")).status).toBe(200);
  expect(await operate(database, "check")).toMatch(/\S/);
  expect(await operate(database, "backup", join(emptyDirectory(), "backup"))).toMatch(/\S/);
}

test("the board's user starts a board in an empty database, posts, searches, streams, sweeps, removes, checks and backs up", async () => {
  const first = await board();
  await everything(first, url);
  await first.stop();
  // As a board of an earlier version left it.
  await asSuperuser(["ALTER TABLE switches DROP COLUMN pow_at_once", "DROP INDEX agents_first_seen"], "blackboard");
  const migrated = await board();
  await migrated.put(migrated.agent(), { kind: "note", title: "after the migration" });
  await migrated.stop();
});

test("and can do nothing else in the cluster", async () => {
  const client = connect(url);
  const refused = (statement: string) => expect(client.script(statement), statement).rejects.toThrow();
  const [role] = await client.query<Record<string, unknown>>(
    "SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user",
  );
  expect(Object.values(role ?? {})).toEqual([false, false, false, false, false]);
  for (const statement of [
    "CREATE ROLE more",
    "CREATE DATABASE more",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY board TO '/tmp/board'",
    "SELECT pg_read_file('postgresql.conf')",
    "ALTER SYSTEM SET fsync = off",
    "CREATE EXTENSION file_fdw",
    "SET ROLE board",
  ])
    await refused(statement);
  await client.end();
  for (const database of ["postgres", "template1"]) {
    const elsewhere = connect(as(database));
    await expect(elsewhere.query("SELECT 1"), database).rejects.toThrow();
    await elsewhere.end();
  }
});

test("nodes do not need the right to change tables, once the owner has made them: with the grants of docs/nodes.md everything works", async () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/nodes.md"), "utf8");
  const [, grants = ""] = /```sql\n(CREATE ROLE blackboard_node [^]*?)```/.exec(page) ?? [];
  await asSuperuser(
    grants
      .split(";")
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ""),
    "blackboard",
  );
  const node = as("blackboard", "blackboard_node");
  const second = await board(node);
  await everything(second, node);
  await second.stop();
  const client = connect(node);
  for (const statement of [
    "DROP TABLE log",
    "ALTER TABLE log ADD COLUMN more text",
    "TRUNCATE log",
    "CREATE TABLE more (a integer)",
    "SET ROLE blackboard",
  ])
    await expect(client.script(statement), statement).rejects.toThrow();
  await client.end();
});
