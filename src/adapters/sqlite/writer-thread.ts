// The thread that owns the writing connection; it answers each batch with its outcomes.
import { parentPort, workerData } from "node:worker_threads";
import type { Act } from "../../ports/store.ts";
import { openDatabase } from "./open.ts";
import { SqliteWriter } from "./writer.ts";

export type WriterRequest = { readonly acts: readonly Act[]; readonly now: number } | "scrub" | "close";

const port = parentPort;
if (port === null) throw new Error("This file runs as a worker thread.");

const { path } = workerData as { path: string };
const writer = new SqliteWriter(openDatabase(path, "write"));
port.postMessage({ ready: true, nextDue: writer.nextDue() });

port.on("message", (request: WriterRequest) => {
  if (request === "close") {
    writer.close();
    port.close();
    return;
  }
  try {
    port.postMessage(request === "scrub" ? { scrubbed: writer.scrub() } : { appended: writer.run(request.acts, request.now) });
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number };
    port.postMessage({ failed: { message, errcode } });
  }
});
