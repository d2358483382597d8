// Waits until its parent process has ended, for whatever reason; then ends the process groups listed in a directory, and deletes it.
import { readdirSync, rmSync } from "node:fs";
import { groupsIn } from "./leftovers.ts";

const [directory = ""] = process.argv.slice(2);
/** Deleting is retried, because a process that was just killed may still write there. */
const RETRIES = 20;

process.stdin.resume().once("end", () => {
  for (const group of groupsIn(readdirSync(directory)))
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // The whole group has ended already.
    }
  rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES });
});
