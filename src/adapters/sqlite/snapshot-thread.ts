// The thread that copies a database; it ends when the copy is complete, or with an error.
import { workerData } from "node:worker_threads";
import { fileFault, isReadFault } from "./faults.ts";
import { openDatabase } from "./open.ts";
import type { SnapshotData } from "./snapshot.ts";

const { from, to } = workerData as SnapshotData;
const db = openDatabase(from, "read");
try {
  db.prepare("VACUUM INTO ?").run(to);
} catch (error) {
  throw fileFault(error, isReadFault(error) ? from : to);
} finally {
  db.close();
}
