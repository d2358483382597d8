// Searches for a word in a board's database, if the database is not among the board's files.
import { Client } from "../../src/adapters/postgres/client.ts";
import { databaseUrlOf } from "../../test/support/postgres/database.ts";

export async function rowsWith(data: string, word: string): Promise<string[]> {
  const url = databaseUrlOf(data);
  if (url === undefined) return [];
  const client = new Client({ url, connections: 1, name: "proof" });
  const found: string[] = [];
  const tables = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  for (const { name } of tables) {
    const [row] = await client.query<{ n: string }>(`SELECT count(*) AS n FROM "${name}" t WHERE t::text ILIKE $1`, [`%${word}%`]);
    if (Number(row?.n) > 0) found.push(name);
  }
  await client.end();
  return found;
}
