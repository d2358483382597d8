// A thread that checks signatures in batches.
import { parentPort } from "node:worker_threads";
import { checker, type SignatureJob } from "./signature-check.ts";

if (parentPort !== null) {
  const port = parentPort;
  const check = checker();
  port.on("message", (jobs: readonly SignatureJob[]) => port.postMessage(jobs.map(check)));
}
