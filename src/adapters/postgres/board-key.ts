// One key on all nodes: the database knows its public half.
import type { Client } from "./client.ts";

/** The public half of the key that the board's first node brought; undefined on a new database. */
export async function knownBoardKey(client: Client): Promise<string | undefined> {
  const [row] = await client.query<{ pk: string | null }>("SELECT pk FROM board");
  return row?.pk ?? undefined;
}

/** The first node's key becomes the board's; every other node must have the same. */
export async function requireBoardKey(client: Client, pk: string): Promise<void> {
  await client.query("UPDATE board SET pk = $1 WHERE pk IS NULL", [pk]);
  const known = await knownBoardKey(client);
  if (known !== pk)
    throw new Error(
      `The board in this database has the public key ${known}; this node's key file holds another one (${pk}). Give every node the same file with --key-file.`,
    );
}
