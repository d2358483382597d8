// Waits until whoever started it is gone, however that came about; then ends a group of processes and takes a directory away.
import { rmSync } from "node:fs";

const [group = "", directory = ""] = process.argv.slice(2);
/** What was killed a moment ago may still write to it. */
const RETRIES = 20;

process.stdin.resume().once("end", () => {
  try {
    process.kill(-Number(group), "SIGKILL");
  } catch {
    // All of them have ended by themselves.
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: RETRIES });
});
