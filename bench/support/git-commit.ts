// The commit at which a figure was measured.
import { spawnSync } from "node:child_process";

const git = (...args: readonly string[]) => spawnSync("git", args, { encoding: "utf8", cwd: import.meta.dirname });

/** The commit gets a mark if these files, relative to the root, differ from it; the result is empty outside a checkout. */
export function commit(files = ""): string {
  const { status, stdout } = git("rev-parse", "--short", "HEAD");
  if (status !== 0) return "";
  return `${stdout.trim()}${git("diff", "--quiet", "HEAD", "--", `:/${files}`).status === 0 ? "" : "-dirty"}`;
}
