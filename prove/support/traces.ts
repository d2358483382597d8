// Where a word is left: files of a board's directory that hold it, and tables of its database where that is elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../../src/adapters/postgres/client.ts";
import { databaseUrlOf } from "../../test/support/postgres/database.ts";

/** In any case of letters. */
export function filesWith(directory: string, word: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      try {
        return readFileSync(path).toString("latin1").toLowerCase().includes(word);
      } catch (error) {
        // The index replaces its files while we look.
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
        throw error;
      }
    });
}

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
