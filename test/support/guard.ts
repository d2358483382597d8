// Waits until whoever started it is gone, however that came about; then ends the groups of processes noted in a directory, and takes it away.
import { readdirSync, rmSync } from "node:fs";
import { groupsIn } from "./leftovers.ts";

const [directory = ""] = process.argv.slice(2);
/** What was killed a moment ago may still write to it. */
const RETRIES = 20;

process.stdin.resume().once("end", () => {
  for (const group of groupsIn(readdirSync(directory)))
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // All of it has ended by itself.
    }
  rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES });
});
