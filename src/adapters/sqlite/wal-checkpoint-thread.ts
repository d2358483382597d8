// The thread that checkpoints the write-ahead log; it answers each request with nothing, or with the error.
import { parentPort, workerData } from "node:worker_threads";
import { foldedBy } from "./wal-checkpoints.ts";
import { openDatabase } from "./open.ts";

const port = parentPort;
if (port === null) throw new Error("This file runs as a worker thread.");

const db = openDatabase((workerData as { path: string }).path, "write");
const fold = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");

port.on("message", (request: "fold" | "close") => {
  if (request === "close") {
    db.close();
    port.close();
    return;
  }
  port.postMessage(foldedBy(fold));
});
