// One key on all nodes: the database has its public half.
import type { Client } from "./client.ts";

/** The public half of the board's key; undefined on a new database. */
export async function knownBoardKey(client: Client): Promise<string | undefined> {
  const [row] = await client.query<{ pk: string | null }>("SELECT pk FROM board");
  return row?.pk ?? undefined;
}

/** Sets the board's key, unless another node has just set another one. */
export async function recordBoardKey(client: Client, pk: string, before: string | undefined): Promise<void> {
  if (pk === before) return;
  await client.query("UPDATE board SET pk = $1 WHERE pk IS NOT DISTINCT FROM $2", [pk, before ?? null]);
  const known = await knownBoardKey(client);
  if (known !== pk)
    throw new Error(`Another node has just given the board the key ${known}. Give every node the same file with --key-file.`);
}
