// Withdraws all messages of a key on one board.
import { retractEverything } from "./acts.ts";
import type { Posted } from "./answers.ts";
import type { Board } from "./connect.ts";
import type { Signer } from "./key.ts";
import { post, type PostOptions } from "./post.ts";
import { getCheckpoint } from "./read.ts";

/** Erases all messages of the key on this board. Resolves when all have ended; other boards are not affected. */
export async function retractAll(board: Board, key: Signer, options: PostOptions = {}): Promise<Posted> {
  const { board: id } = await getCheckpoint(board, options);
  return post(board, key, retractEverything(id), options);
}
