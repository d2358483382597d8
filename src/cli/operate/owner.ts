// Whose a file is that an operator's command writes: the owner of the board's directory, not root, who happened to run it.
import { existsSync, lchownSync, statSync } from "node:fs";

/** Only root may give files away; whoever else writes there runs the board too. */
export function giveToOwnerOf(dir: string, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dir);
  for (const path of paths) if (existsSync(path)) lchownSync(path, uid, gid);
}
