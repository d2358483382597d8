// A failed sync is never acknowledged: the n-th sync returns EIO, for many n, and the board must stop instead of continuing.
import { join } from "node:path";
import { plural } from "../../src/core/text/plural.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { TestBoard } from "../../test/support/board.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Finding, type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { tracing } from "../support/strace.ts";
import { type Call, readTrace } from "../support/trace.ts";
import { postgresSyncErrors } from "./sync-errors-postgres.ts";

const FAILURES = 100;
const AT_ONCE = 2;
/** Counted from the first post that was not acknowledged. */
const ENDS_WITHIN_MS = 10_000;

export const syncErrors: Part = {
  name: "sync-errors",
  promise: "an fsync error is never an acknowledgement",
  stores: STORES,
  run: (times, store) => (store === "sqlite" ? sqliteSyncErrors(times(FAILURES)) : postgresSyncErrors(times(FAILURES))),
};

async function sqliteSyncErrors(failures: number): Promise<Finding> {
  let [late, lost, unclean, injected, acknowledgements, next] = [0, 0, 0, 0, 0, 1];
  const lane = async (): Promise<void> => {
    while (next <= failures) {
      const data = emptyDirectory();
      const { acknowledged, after, code } = await postsUntilSyncFails(data, next++);
      acknowledgements += acknowledged.length;
      if (after === undefined) continue;
      injected++;
      late += after;
      if (code !== 1) unclean++;
      await using board = await TestBoard.start({ data });
      const missing = await lostBy(board.url, acknowledged);
      lost += missing.length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return {
    held: injected === failures && late === 0 && lost === 0 && unclean === 0,
    figure:
      `EIO at the n-th fsync for n = 1..${failures}, met in ${plural(injected, "run")}: ${plural(acknowledgements, "acknowledgement")} before it, ` +
      `${late} after it, ${lost} lost at the restart, ${plural(unclean, "board")} that did not exit`,
  };
}

interface Run {
  readonly acknowledged: readonly Envelope[];
  /** Acknowledgements after the failure; undefined if there was no failure. */
  readonly after: number | undefined;
  /** The exit code; null if it had to be killed. */
  readonly code: number | null;
}

/**
 * Uses one connection, so that each post has its own sync. An acknowledgement that is seen after the failure is wrong if there was no sync
 * between the one before it and the failure; otherwise it was on its way when the next sync failed.
 */
async function postsUntilSyncFails(data: string, nth: number): Promise<Run> {
  const inject = ["-P", join(data, "board.db-wal"), "-e", `inject=fsync,fdatasync:error=EIO:when=${nth}`];
  const { file, under } = tracing("fsync,fdatasync", inject);
  await using board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--smtp-port", "0", "--data", data, ...FLAGS], under });
  const acknowledged: { readonly envelope: Envelope; readonly at: number }[] = [];
  const note = (envelope: Envelope): number => acknowledged.push({ envelope, at: Date.now() / 1000 });
  try {
    await board.ready();
    await postUntilGone(board.url, new Agent(), `sync ${nth}`, note);
  } catch {
    // The board did not start, or it refused a post: both are correct.
  }
  const code = await codeOf(board);
  const syncs = readTrace(file);
  const failed = syncs.find(({ result }) => result.includes("INJECTED"));
  const isWrong = ({ at }: { readonly at: number }, i: number, { begun }: Call): boolean =>
    at > begun && !syncs.some((one) => one.result === "0" && one.begun > (acknowledged[i - 1]?.at ?? 0) && one.ended < begun);
  const after = failed && acknowledged.filter((one, i) => isWrong(one, i, failed)).length;
  return { acknowledged: acknowledged.map(({ envelope }) => envelope), after, code };
}

async function codeOf(board: BoardProcess): Promise<number | null> {
  const timer = setTimeout(() => void board.kill("SIGKILL"), ENDS_WITHIN_MS);
  const { code } = await board.ended;
  clearTimeout(timer);
  return code;
}
