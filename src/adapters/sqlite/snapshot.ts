// A consistent copy of a board's database, made while the board writes to it.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { syncFile } from "../system/sync.ts";
import { workerUrl } from "../system/worker-url.ts";
import { fileFault, SQLITE } from "./faults.ts";
import { SqliteHead } from "./head.ts";
import { openDatabase } from "./open.ts";

export interface SnapshotData {
  readonly from: string;
  readonly to: string;
}

/**
 * One read transaction, so that all of it is consistent however busy the board is; on disk when it resolves. Copies rows and not pages, so
 * that erased content is not copied. In a thread, so that the process can still handle signals.
 */
export async function snapshot(from: string, to: string): Promise<void> {
  await once(new Worker(workerUrl("snapshot-thread", import.meta.url), { workerData: { from, to } satisfies SnapshotData }), "exit");
  syncFile(to);
}

/** The head of a database's log; throws if the file is damaged, and `mend` says what to do then. */
export function soundHead(path: string, mend?: string): Head {
  try {
    using db = openDatabase(path, "read");
    const faults = db.prepare("PRAGMA quick_check(5)").all();
    if (faults.length === 1 && faults[0]?.["quick_check"] === "ok") return new SqliteHead(db).read();
    throw Object.assign(new Error(faults.map((row) => String(row["quick_check"])).join("; ")), { errcode: SQLITE.CORRUPT });
  } catch (error) {
    throw fileFault((error as Error).cause ?? error, path, mend);
  }
}
