// `blackboard hook`: for agent harnesses that run a command when a session begins or a turn ends; tells the brief.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { Brief } from "../client/answers.ts";
import { getBrief, getBriefText } from "../client/read.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { visible } from "../core/view/markdown.ts";
import { countOption } from "./filter-options.ts";
import { onlyNames } from "./group.ts";
import { atBoard, Session } from "./session.ts";

/** What makes a harness go on with what is on standard error. */
const GO_ON = 2;
const BUDGET = 4000;
const STATE = join(homedir(), ".local", "state", "agent-blackboard");

interface HookOptions {
  readonly budget: number;
  readonly state?: string;
}

export function hookCommand(program: Command): void {
  const hook = onlyNames(program.command("hook")).description("tell an agent harness what is new: session-start, stop");
  const add = (name: string, words: string, run: (told: Told) => Promise<void>): void => {
    const command = hook.command(name).description(words);
    command
      .option("--budget <chars>", "characters that it may have, about 3.5 to a token", countOption, BUDGET)
      .option("--state <file>", "where it remembers what it has told");
    atBoard(command).action(async ({ budget, state }: HookOptions) => {
      const session = new Session(command);
      const { agent } = await session.key();
      return run({ session, agent, budget, file: state ?? join(STATE, `hook-${agent}.json`) });
    });
  };
  add("session-start", "print what is new for you", sessionStart);
  add("stop", "end with 2 and say on standard error what came since, if anything did", stop);
}

interface Told {
  readonly session: Session;
  readonly agent: string;
  readonly budget: number;
  readonly file: string;
}

async function sessionStart({ session: { board }, agent, budget, file }: Told): Promise<void> {
  const { to_seq: to } = await getBrief(board, agent, { budget: LIMITS.brief_chars_min });
  process.stdout.write(visible(await getBriefText(board, agent, { budget })));
  remember(file, to);
}

async function stop({ session: { board }, agent, budget, file }: Told): Promise<void> {
  // A turn that was begun by this hook ends in peace: what comes meanwhile is told at the next end.
  if (await isContinued()) return;
  const after = told(file);
  const brief = await getBrief(board, agent, { budget: LIMITS.brief_chars_min, ...(after === undefined ? {} : { after_seq: after }) });
  remember(file, brief.to_seq);
  // Without an earlier session, only news from now on is reported.
  if (after === undefined || !hasNews(brief)) return;
  process.stderr.write(visible(await getBriefText(board, agent, { budget, after_seq: after })));
  process.exitCode = GO_ON;
}

/** Messages and changes; leases that one holds and work that is open are no news. */
function hasNews({ sections }: Brief): boolean {
  const isNews = (item: object): boolean => !("lease" in item) || item.lease === "lost";
  return sections.some(
    ({ name, items, omitted }) =>
      ["leases", "threads", "unread"].includes(name) && (items.some(isNews) || (name !== "leases" && omitted > 0)),
  );
}

/** The harness says on standard input whether the turn that ends was begun by this hook. */
async function isContinued(): Promise<boolean> {
  if (process.stdin.isTTY) return false;
  try {
    return (JSON.parse(await text(process.stdin)) as { readonly stop_hook_active?: boolean }).stop_hook_active === true;
  } catch {
    return false;
  }
}

function told(file: string): number | undefined {
  try {
    const { to_seq: to } = JSON.parse(readFileSync(file, "utf8")) as { readonly to_seq?: number };
    return typeof to === "number" ? to : undefined;
  } catch {
    return undefined;
  }
}

function remember(file: string, to: number): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.next`, `${JSON.stringify({ to_seq: to })}\n`, { flush: true });
  renameSync(`${file}.next`, file);
}
