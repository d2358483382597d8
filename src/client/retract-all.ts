// Everything of one's own on a board, withdrawn at once.
import { retractEverything } from "./acts.ts";
import type { Posted } from "./answers.ts";
import type { Board } from "./connect.ts";
import type { Signer } from "./key.ts";
import { post, type PostOptions } from "./post.ts";
import { getCheckpoint } from "./read.ts";

/** Erases all that the key has posted on this board. It is answered when all of it has ended, and ends nothing on other boards. */
export async function retractAll(board: Board, key: Signer, options: PostOptions = {}): Promise<Posted> {
  const { board: id } = await getCheckpoint(board, options);
  return post(board, key, retractEverything(id), options);
}
