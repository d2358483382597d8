// `blackboard verify-head`: the head of a board's tree, held against the last one that was verified here; loud where it is another history.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { getPolicy, TlogError, type VerifiedHead, verifyHead } from "../client/tlog.ts";
import { ProofFault } from "./failure.ts";
import { atBoard, Session } from "./session.ts";

const STATE = join(homedir(), ".local", "state", "agent-blackboard");

interface Options {
  readonly policy?: string;
  readonly remember?: string;
}

export function verifyHeadCommand(program: Command): void {
  const command = program
    .command("verify-head")
    .description("check that a board's log has only grown since the last time, and remember it");
  command.option("--policy <file>", "whom to believe (C2SP tlog-policy); unless given what the board showed the first time");
  command.option("--remember <file>", "where the last verified head is kept; one for each board unless given");
  atBoard(command).action(async ({ policy, remember }: Options) => {
    const session = new Session(command);
    const file = remember ?? join(STATE, `head-${new URL(session.board.url).host.replaceAll(/[^\w.-]/g, "-")}.note`);
    const known = readIf(file);
    const pinned = `${file}.policy`;
    const trusted = (policy === undefined ? readIf(pinned) : readFileSync(policy, "utf8")) ?? (await getPolicy(session.board));
    const head = await verifyHead(session.board, trusted, known).catch((error: unknown) => {
      throw error instanceof TlogError ? new ProofFault(wordsOf(error, file)) : error;
    });
    if (policy === undefined && readIf(pinned) !== head.policy) write(pinned, head.policy);
    // Whoever is killed before this line holds the next head against the older one.
    write(file, head.note);
    const { origin, size, witnesses } = head;
    session.print({ origin, size, witnesses, first: known === undefined }, () => words(head, known === undefined));
  });
}

const readIf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

/** What was remembered stays; what does not fit it is kept beside it, for everybody to see. */
function wordsOf(error: TlogError, file: string): string {
  if (error.fault !== "history") return error.message;
  const shown = `${file}.other`;
  write(shown, String(error.cause));
  return [
    "!!! THIS BOARD SHOWS ANOTHER HISTORY THAN THE ONE IT SIGNED BEFORE !!!",
    error.message,
    `What it signed before: ${file}`,
    `What it signs now:     ${shown}`,
    "Keep both, and show them to others: `blackboard accuse` makes them into evidence that anybody can check.",
  ].join("\n");
}

function words({ origin, size, witnesses }: VerifiedHead, first: boolean): string {
  const signed = witnesses.length === 0 ? "" : `\nCosigned by ${witnesses.map(({ name, at }) => `${name} (${at})`).join(", ")}.`;
  const before = first ? "Nothing was remembered before: from now on it is held to this." : "It goes on from what was remembered.";
  return `It holds: ${origin}, ${size} entries. ${before}${signed}\n`;
}
