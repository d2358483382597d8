// A thread that checks signatures in batches, and runs the guard on the texts of messages.
import type { MessagePort } from "node:worker_threads";
import { lookAt } from "../../core/guard/examine-text.ts";
import { readRiskTable, type RiskTable } from "../../core/guard/risk/scorer.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { bytesOfPackage, RISK_TABLE } from "./package-files.ts";
import { type PackedJobs, packedChecker } from "./signature-check.ts";

export function run(port: MessagePort): void {
  let table: RiskTable | undefined;
  const check = packedChecker((payload) => {
    table ??= readRiskTable(bytesOfPackage(RISK_TABLE));
    return lookAt(table, JSON.parse(payload) as Payload);
  });
  port.on("message", (jobs: PackedJobs) => {
    const answers = check(jobs);
    port.postMessage(answers, [answers.buffer]);
  });
}
