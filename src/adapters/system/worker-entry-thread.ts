// The entry module of a thread: it loads the module that the thread was started for.
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadModule, ThreadStart } from "./start-thread.ts";

if (parentPort === null) throw new Error("This file runs as a worker thread.");
const { module, data } = workerData as ThreadStart;
const { run } = (await import(module)) as ThreadModule;
await run(parentPort, data);
