// Records in the database whose board it is: one key on all nodes, and one name of the tree.
import type { TlogName } from "../../ports/tlog-identity.ts";
import { ADD_TLOG_NAME, SELECT_BOARD_KEY, tlogNameValues } from "../sql/board-identity.ts";
import type { Client } from "./client.ts";

/** Sets the board's key, unless another node has just set another one. */
export async function recordBoardKey(client: Client, pk: string, before: string | undefined): Promise<void> {
  if (pk === before) return;
  await client.query("UPDATE board SET pk = $1 WHERE pk IS NOT DISTINCT FROM $2", [pk, before ?? null]);
  const known = (await client.query<{ pk: string | null }>(SELECT_BOARD_KEY))[0]?.pk ?? undefined;
  if (known !== pk)
    throw new Error(`Another node has just given the board the key ${known}. Give every node the same file with --key-file.`);
}

export async function recordTlogName(client: Client, name: TlogName): Promise<void> {
  await client.query(ADD_TLOG_NAME, tlogNameValues(name));
}
