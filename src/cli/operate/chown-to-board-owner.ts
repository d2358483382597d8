// Gives a file that an operator's command has written to the owner of the board's directory, if root ran the command.
import { existsSync, lchownSync, statSync } from "node:fs";

/** Only root may change the owner of a file; every other user who can write there also runs the board. */
export function giveToOwnerOf(dir: string, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dir);
  for (const path of paths) if (existsSync(path)) lchownSync(path, uid, gid);
}
