// The thread that mines: one id after the other.
import { parentPort } from "node:worker_threads";
import { mine } from "../core/protocol/work.ts";
import type { MiningOrder } from "./miner.ts";

parentPort?.on("message", ({ id, bits }: MiningOrder) => parentPort?.postMessage(mine(id, bits)));
