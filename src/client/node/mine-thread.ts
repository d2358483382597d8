// The thread that mines: takes one order and reports its progress; its starter ends it.
import { parentPort } from "node:worker_threads";
import { type MiningOrder, workOn } from "../mine-workers.ts";

parentPort?.on("message", (order: MiningOrder) => workOn(order, (report) => parentPort?.postMessage(report)));
