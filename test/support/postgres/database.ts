// One database per test board, copied from an empty board. The same data directory has the same database.
import { createHash } from "node:crypto";
import { Client } from "../../../src/adapters/postgres/client.ts";
import { databaseUrl } from "./server.ts";

export const TEMPLATE = "board_template";
/** Copies the files, which takes a third of the time of writing each page to the log first. */
const AS_FILES = "STRATEGY FILE_COPY";

/** Whether the boards of this run use PostgreSQL. */
export const onPostgres = (): boolean => process.env["BOARD_TEST_STORE"] === "postgres";

const made = new Map<string, Promise<string>>();
let admin: Client | undefined;

/** The address of a database of this run's server. */
function urlOf(name: string): string {
  const home = process.env["BOARD_TEST_POSTGRES"];
  if (home === undefined) throw new Error("There is no PostgreSQL in this run: use the vitest project `postgres`.");
  return databaseUrl(home, name);
}
const operator = (): Client =>
  (admin ??= new Client({ url: urlOf("postgres"), connections: 1, name: "test", session: { statement_timeout: 0 } }));
const nameOf = (data: string): string => `board_${createHash("sha256").update(data).digest("hex").slice(0, 16)}`;

/** The address of the database that belongs to a data directory. */
export function databaseFor(data: string): Promise<string> {
  let url = made.get(data);
  if (url === undefined) made.set(data, (url = make(nameOf(data))));
  return url;
}

/** The same without creating it; undefined if the board uses SQLite. */
export const databaseUrlOf = (data: string): string | undefined => (made.has(data) ? urlOf(nameOf(data)) : undefined);

async function make(name: string): Promise<string> {
  await operator().script(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} ${AS_FILES}`);
  return urlOf(name);
}

export async function dropDatabaseOf(data: string): Promise<void> {
  if (!made.delete(data)) return;
  await operator().script(`DROP DATABASE ${nameOf(data)} WITH (FORCE)`);
}

/** Replaces the target database; neither may be in use. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await operator().script(`DROP DATABASE IF EXISTS ${nameOf(to)} WITH (FORCE)`);
  await operator().script(`CREATE DATABASE ${nameOf(to)} TEMPLATE ${nameOf(from)} ${AS_FILES}`);
}

/** Copies row by row, from a database that may be in use into a new one. */
export async function copyRows(from: string, to: string): Promise<void> {
  const [source, copy] = await Promise.all(
    [from, to].map(async (data) => new Client({ url: await databaseFor(data), connections: 1, name: "test" })),
  );
  if (source === undefined || copy === undefined) throw new Error("There are two.");
  const tables = await source.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  for (const { name } of tables) {
    const [all] = await source.query<{ rows: string | null }>(`SELECT json_agg(t)::text AS rows FROM "${name}" t`);
    await copy.script(`TRUNCATE "${name}"`);
    await copy.query(`INSERT INTO "${name}" SELECT * FROM json_populate_recordset(NULL::"${name}", $1::text::json)`, [all?.rows ?? "[]"]);
  }
  await Promise.all([source.end(), copy.end()]);
}
