// A thread that mines nonces, one message after the other.
import { parentPort } from "node:worker_threads";
import { mine } from "../../core/protocol/proof-of-work.ts";

export interface MiningJob {
  readonly id: string;
  readonly bits: number;
}

parentPort?.on("message", ({ id, bits }: MiningJob) => parentPort?.postMessage(mine(id, bits)));
