// A thread that checks signatures in batches.
import { parentPort } from "node:worker_threads";
import { type PackedJobs, packedChecker } from "./signature-check.ts";

if (parentPort !== null) {
  const port = parentPort;
  const check = packedChecker();
  port.on("message", (jobs: PackedJobs) => port.postMessage(check(jobs)));
}
