// `blackboard verify-log`: replays the log and compares it with the head that the board signed, and with the last head verified here.
import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { replaceFile } from "../adapters/system/replace-file.ts";
import { KeyAudit, type SavedKeys } from "../client/node/audit-agent-keys.ts";
import { type LogHead, verifyLog } from "../client/verify-log.ts";
import { plural } from "../core/text/plural.ts";
import { atBoard, inSession } from "./session.ts";

interface VerifyLogOptions {
  readonly remember?: string;
}
/** Stored for the next verification. */
interface Remembered extends LogHead {
  readonly pk: string;
  /** The keys of the board that the log announced. */
  readonly announced?: readonly string[];
  /** The state of agents' keys. */
  readonly keys?: SavedKeys;
}

export function verifyLogCommand(program: Command): void {
  const command = program.command("verify-log").description("replay the log against the head that the board signed");
  command.option("--remember <file>", "store the head in this file; next time the log must continue from it");
  inSession(atBoard(command), async (session, { remember }: VerifyLogOptions) => {
    const before = remember === undefined || !existsSync(remember) ? undefined : (JSON.parse(readFileSync(remember, "utf8")) as Remembered);
    const onProgress = ({ seq, of }: { seq: number; of: number }): unknown =>
      process.stderr.isTTY && process.stderr.write(`\r\u001b[K${seq} of ${of}${seq === of ? "\r\u001b[K" : ""}`);
    const known = before === undefined ? {} : { since: { seq: before.seq, hash: before.hash }, pk: before.pk, announced: before.announced };
    const audit = new KeyAudit(before?.keys);
    const { after, seq, hash, checkpoint } = await verifyLog(session.board, { ...known, audit, onProgress });
    const announced = checkpoint.keys?.map(({ statement }) => statement);
    const now: Remembered = { seq, hash, pk: checkpoint.pk, ...(announced && { announced }), keys: audit.saved() };
    if (remember !== undefined) replaceFile(remember, `${JSON.stringify(now)}\n`);
    const { board, pk, at } = checkpoint;
    const from = after === 0 ? "from the first entry" : `after entry ${after}`;
    const { operations, skipped } = audit;
    session.print({ seq, hash, after, board, pk, at, key_operations: operations, key_operations_skipped: skipped }, () => {
      const left = skipped === 0 ? "" : `; ${skipped} depend on entries that the board no longer has`;
      const keys = operations === 0 ? "" : `${plural(operations, "key operation")} replayed${left}.\n`;
      return `The log holds ${from} to ${seq}, as ${board} signed at ${at}.\n${keys}`;
    });
  });
}
