// Withdraws all messages of a key on one board.
import { retractEverything } from "./message-builders.ts";
import type { Posted } from "./response-types.ts";
import type { Board } from "./board-handle.ts";
import type { Signer } from "./key.ts";
import { post, type PostOptions } from "./post.ts";
import { getCheckpoint } from "./read.ts";

/** Erases all messages of the key on this board. Resolves when all have ended; other boards are not affected. */
export async function retractAll(board: Board, key: Signer, options: PostOptions = {}): Promise<Posted> {
  const { board: id } = await getCheckpoint(board, options);
  return post(board, key, retractEverything(id), options);
}
