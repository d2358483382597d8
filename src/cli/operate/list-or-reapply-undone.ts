// `blackboard operate undone`: lists what a restored backup has undone; `--reapply` does it again.
import type { Command } from "commander";
import type { OperatorCommand } from "../../core/message/execute-operator-commands.ts";
import { plural } from "../../core/text/plural.ts";
import { inDatabase } from "../../storage/in-database.ts";
import { inDirectory } from "../../storage/in-directory.ts";
import { placeOf } from "../../storage/open.ts";
import { UsageFault } from "../failure.ts";
import { withOperator, type OperatorSession, type OperatorOptions, refusalWords, withOpenBoard } from "./operator-session.ts";
import { eraseTraces } from "./erase-removed-content.ts";
import { ordersOf, type Undone, undoneBy } from "./undone.ts";
import { undoneLines, undoneView } from "./undone-words.ts";

/** Commands per transaction, so that posts of others come in between. */
const COMMANDS_PER_BATCH = 100;
/** Commands that were given again by hand in the meantime. */
const IN_FORCE: ReadonlySet<string> = new Set(["removed", "blocked_key", "blocked_content"]);

export const REPLACED_URL = ["--replaced-url <url>", "the PostgreSQL database that the board was in, to compare with"] as const;

interface UndoneOptions extends OperatorOptions {
  readonly replacedUrl?: string;
  readonly reapply?: boolean;
}

export function undoneCommand(operate: Command): void {
  withOperator(
    operate.command("undone").argument("[dir]").description("list what a restored backup has undone; dir is the replaced directory"),
  )
    .option(...REPLACED_URL)
    .option("--reapply", "do all of it again, with the same statements of reasons")
    .action(undone);
}

async function undone(dir: string | undefined, options: UndoneOptions): Promise<void> {
  const { replacedUrl, reapply: again = false } = options;
  if ((dir === undefined) === (replacedUrl === undefined))
    throw new UsageFault("which board did the backup replace? Give its directory (replaced-... in that of the board), or --replaced-url");
  await withOpenBoard(options, async (session) => {
    const replaced = dir === undefined ? inDatabase(replacedUrl ?? "", session.config.data) : inDirectory(dir);
    if (!replaced.isThere()) throw new Error(`There is no database in ${dir}.`);
    const found = await undoneBy(await replaced.acts([]), placeOf(session.config));
    const lines = undoneLines(found);
    if (!again || lines.length === 0) return session.print(lines.length === 0 ? "Nothing is undone." : lines.join("\n"), undoneView(found));
    await session.confirm(`${lines.join("\n")}\nDo all of that again?`);
    const { text, json, fault } = await reapply(session, found);
    session.print(text, { ...undoneView(found), reapplied: json });
    if (fault !== undefined) throw new Error(fault);
  });
}

export interface Reapplied {
  readonly text: string;
  readonly json: object;
  /** Commands that could not be executed. */
  readonly fault: string | undefined;
}

/** Executes in batches, each durable before the next begins. If it is run again, it continues with the rest. */
export async function reapply(session: OperatorSession, found: Undone): Promise<Reapplied> {
  const decided = await executeInBatches(session, ordersOf(found));
  // Decisions have closed the reports that they are about.
  const open = await Promise.all(found.reopened.map(async (id) => ((await session.store.notice(id))?.state === "received" ? [id] : [])));
  const closed = await executeInBatches(
    session,
    open.flat().map((notice) => ({ do: "dismiss", notice })),
  );
  const failed = [...decided.failed, ...closed.failed];
  const done = decided.done + closed.done;
  const traces = decided.erased ? await eraseTraces(session) : "";
  return {
    text: [`Done again: ${plural(done, "act")}.`, traces].join("\n").trimEnd(),
    json: { done, not_done: failed, traces },
    fault: failed.length === 0 ? undefined : [`${plural(failed.length, "act was", "acts were")} not done again:`, ...failed].join("\n  "),
  };
}

async function executeInBatches(
  session: OperatorSession,
  orders: readonly OperatorCommand[],
): Promise<{ done: number; failed: string[]; erased: boolean }> {
  const tally = { done: 0, failed: [] as string[], erased: false };
  for (let i = 0; i < orders.length; i += COMMANDS_PER_BATCH) {
    const batch = orders.slice(i, i + COMMANDS_PER_BATCH);
    for (const [j, outcome] of (await session.orders(batch)).entries()) {
      const { do: act } = batch[j]!;
      if (!("refused" in outcome)) {
        tally.done++;
        tally.erased ||= act === "remove" || act === "block_blob";
      } else if (!IN_FORCE.has(outcome.refused.code)) tally.failed.push(refusalWords(outcome));
    }
  }
  return tally;
}
