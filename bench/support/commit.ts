// Which state of the files a figure was seen at.
import { spawnSync } from "node:child_process";

const git = (...args: readonly string[]) => spawnSync("git", args, { encoding: "utf8", cwd: import.meta.dirname });

/** With a mark where these files, from the project's root on, differ from it; empty outside a checkout. */
export function commit(files = ""): string {
  const { status, stdout } = git("rev-parse", "--short", "HEAD");
  if (status !== 0) return "";
  return `${stdout.trim()}${git("diff", "--quiet", "HEAD", "--", `:/${files}`).status === 0 ? "" : "-dirty"}`;
}
