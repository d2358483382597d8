// The thread that owns the writing connection; it answers each batch with its outcomes.
import type { MessagePort } from "node:worker_threads";
import type { Act } from "../../core/message/acts-and-outcomes.ts";
import { freeBytes } from "../system/disk-space.ts";
import { Checkpoints } from "./wal-checkpoints.ts";
import { SQLITE } from "./faults.ts";
import { openDatabase } from "./open.ts";
import { OpenFiles } from "./detect-replaced-files.ts";
import { SqliteWriter } from "./writer.ts";

export interface WriterData {
  readonly path: string;
  readonly as: "board" | "operator";
}

/** The first answer, to no request, is when the next thing is due. */
export type WriterAnswer =
  | { readonly done: unknown }
  | { readonly failed: { readonly message: string; readonly errcode: number | undefined } };

export type WriterRequest = { readonly acts: readonly Act[]; readonly now: number } | "scrub" | "trial" | "close";

export function run(port: MessagePort, { path, as }: WriterData): void {
  const db = openDatabase(path, "write");
  const writer = new SqliteWriter(db, as);
  // Uses the connection that stays open: closing one checkpoints the log, and a sync that fails then would go unnoticed.
  if (as === "board") writer.endWithdrawn();
  const checkpoints = new Checkpoints(db, path);
  const files = new OpenFiles(path);
  const say = (answer: WriterAnswer): void => port.postMessage(answer);

  /** The last connection to close checkpoints what is left of the log: that must be the writer's. */
  const close = async (): Promise<void> => {
    await checkpoints.close();
    writer.close();
    port.close();
  };

  port.on("message", (request: WriterRequest) => {
    if (request === "close") {
      void close();
      return;
    }
    try {
      files.require();
      checkpoints.keep();
      if (request === "trial") requireDiskSpace(path);
      say({ done: request === "scrub" ? writer.scrub() : request === "trial" ? writer.trial() : writer.run(request.acts, request.now) });
    } catch (error) {
      const { message, errcode } = error as { message: string; errcode?: number };
      say({ failed: { message, errcode } });
    }
  });
  say({ done: writer.nextDue() });
}

/** With less space than this, the next few posts fill the disk, and the operator would get the warning of a full disk again and again. */
const LEAST_FREE_BYTES = 1024 * 1024;

function requireDiskSpace(file: string): void {
  if (freeBytes(file) < LEAST_FREE_BYTES) throw Object.assign(new Error("database or disk is full"), { errcode: SQLITE.FULL });
}
