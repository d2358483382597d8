// A thread that checks signatures in batches.
import type { MessagePort } from "node:worker_threads";
import { type PackedJobs, packedChecker } from "./signature-check.ts";

export function run(port: MessagePort): void {
  const check = packedChecker();
  port.on("message", (jobs: PackedJobs) => port.postMessage(check(jobs)));
}
