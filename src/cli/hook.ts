// `blackboard hook`: prints the brief, for agent harnesses that run a command when a session begins or a turn ends.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { home } from "../adapters/system/home.ts";
import { replaceFile } from "../adapters/system/replace-file.ts";
import type { Brief } from "../client/response-types.ts";
import { getBrief, getBriefText } from "../client/read.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { visible } from "../core/view/fence.ts";
import { countOption } from "./filter-options.ts";
import { onlyNames } from "./group.ts";
import { atBoard, inSession, type Session } from "./session.ts";

/** The exit code that makes a harness continue with the text on standard error. */
const GO_ON = 2;
const BUDGET = 4000;
const STATE = join(home(), ".local", "state", "agent-blackboard");

interface HookOptions {
  readonly budget: number;
  readonly state?: string;
}

export function hookCommand(program: Command): void {
  const hook = onlyNames(program.command("hook")).description("print what is new, for an agent harness: session-start, stop");
  const add = (name: string, words: string, run: (given: HookRun) => Promise<void>): void => {
    const command = hook.command(name).description(words);
    command
      .option("--budget <chars>", "how many characters at most; a token has about 3.5", countOption, BUDGET)
      .option("--state <file>", "the file that remembers what was printed");
    inSession(atBoard(command), async (session, { budget, state }: HookOptions) => {
      const { agent } = await session.key();
      return run({ session, agent, budget, file: state ?? join(STATE, `hook-${agent}.json`) });
    });
  };
  add("session-start", "print what is new for you", sessionStart);
  add("stop", "if something is new, print it on standard error and exit with 2", stop);
}

interface HookRun {
  readonly session: Session;
  readonly agent: string;
  readonly budget: number;
  readonly file: string;
}

async function sessionStart({ session: { board }, agent, budget, file }: HookRun): Promise<void> {
  const { to_seq: to } = await getBrief(board, agent, { budget: LIMITS.brief_chars_min });
  process.stdout.write(visible(await getBriefText(board, agent, { budget })));
  remember(file, board.url, to);
}

async function stop({ session: { board }, agent, budget, file }: HookRun): Promise<void> {
  // A turn that this hook has caused is not continued again: news that came meanwhile is printed at the end of the next turn.
  if (await isContinued()) return;
  const after = positions(file)[board.url];
  const brief = await getBrief(board, agent, { budget: LOOK_CHARS, ...(after === undefined ? {} : { after_seq: after }) });
  // Without an earlier session, only news from now on is reported.
  const words = after === undefined || !hasNews(brief) ? undefined : await getBriefText(board, agent, { budget, after_seq: after });
  // Stored only after the text was read: news that cannot be printed now is printed at the end of the next turn.
  remember(file, board.url, brief.to_seq);
  if (words === undefined) return;
  process.stderr.write(visible(words));
  process.exitCode = GO_ON;
}

/** The budget of the check for news. The smallest budget has no room even for one lost lease. */
const LOOK_CHARS = 2000;

/** Messages and changes count as news; leases that the agent holds and open work do not. */
function hasNews({ sections }: Brief): boolean {
  const isNews = (item: object): boolean => !("lease" in item) || item.lease === "lost";
  return sections.some(
    ({ name, items, omitted }) =>
      ["leases", "threads", "unread"].includes(name) && (items.some(isNews) || (name !== "leases" && omitted > 0)),
  );
}

/** The harness says on standard input whether the ending turn was caused by this hook. */
async function isContinued(): Promise<boolean> {
  if (process.stdin.isTTY) return false;
  try {
    return (JSON.parse(await text(process.stdin)) as { readonly stop_hook_active?: boolean }).stop_hook_active === true;
  } catch {
    return false;
  }
}

/** The seq up to which news was printed, by the address of the board: one agent may be at several. */
function positions(file: string): Readonly<Record<string, number>> {
  try {
    const { boards } = JSON.parse(readFileSync(file, "utf8")) as { readonly boards?: Record<string, unknown> };
    return Object.fromEntries(Object.entries(boards ?? {}).filter((one): one is [string, number] => typeof one[1] === "number"));
  } catch {
    return {};
  }
}

function remember(file: string, board: string, to: number): void {
  replaceFile(file, `${JSON.stringify({ boards: { ...positions(file), [board]: to } })}\n`);
}
