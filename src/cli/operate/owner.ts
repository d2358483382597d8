// Whose a restored file is: the owner of the directory it stands in for, not root, who happened to put it there.
import { existsSync, lchownSync, statSync } from "node:fs";

/** Only root may give files away; whoever else restores a board runs it too. */
export function giveToOwnerOf(dir: string, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dir);
  for (const path of paths) if (existsSync(path)) lchownSync(path, uid, gid);
}
