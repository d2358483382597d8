// `blackboard verify-head`: checks that a board's tree has only grown since the last head that was verified here, and reports a second history.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { home } from "../adapters/system/home.ts";
import { replaceFile } from "../adapters/system/replace-file.ts";
import { getPolicy, TlogError, type VerifiedHead, verifyHead } from "../client/tlog.ts";
import { ProofFault } from "./failure.ts";
import { atBoard, inSession } from "./session.ts";
import { wordFor } from "../core/text/plural.ts";

const STATE = join(home(), ".local", "state", "agent-blackboard");

interface Options {
  readonly policy?: string;
  readonly remember?: string;
}

export function verifyHeadCommand(program: Command): void {
  const command = program
    .command("verify-head")
    .description("check that a board's log has only grown since the last time, and remember it");
  command.option("--policy <file>", "the keys to trust (C2SP tlog-policy); unless given, those that the board showed the first time");
  command.option("--remember <file>", "the file of the last verified head; one for each board unless given");
  inSession(atBoard(command), async (session, { policy, remember }: Options) => {
    const file = remember ?? join(STATE, `head-${new URL(session.board.url).host.replaceAll(/[^\w.-]/g, "-")}.note`);
    const known = readIf(file);
    const pinned = `${file}.policy`;
    const trusted = (policy === undefined ? readIf(pinned) : readFileSync(policy, "utf8")) ?? (await getPolicy(session.board));
    const head = await verifyHead(session.board, trusted, known).catch((error: unknown) => {
      throw error instanceof TlogError ? new ProofFault(wordsOf(error, file, known)) : error;
    });
    if (policy === undefined && readIf(pinned) !== head.policy) replaceFile(pinned, head.policy);
    // If the process is killed before this line, the next head is compared with the older one.
    replaceFile(file, head.note);
    const { origin, size, witnesses } = head;
    session.print({ origin, size, witnesses, first: known === undefined }, () => words(head, known === undefined));
  });
}

const readIf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/** The remembered head stays; the contradicting one is stored beside it, as evidence. */
function wordsOf(error: TlogError, file: string, known: string | undefined): string {
  if (known !== undefined && (error.fault === "origin" || error.fault === "signature"))
    return [
      "!!! THIS BOARD NO LONGER SIGNS UNDER THE NAME AND KEY THAT IT SHOWED BEFORE !!!",
      error.message,
      `The head it signed before: ${file}`,
      `If its operator told you of a new history, delete that file and ${file}.policy to trust the new name from now on.`,
    ].join("\n");
  if (error.fault !== "history") return error.message;
  const shown = `${file}.other`;
  replaceFile(shown, String(error.cause));
  return [
    "!!! THIS BOARD SHOWS ANOTHER HISTORY THAN THE ONE IT SIGNED BEFORE !!!",
    error.message,
    `The head it signed before: ${file}`,
    `The head it signs now:     ${shown}`,
    "Keep both, and show them to others: `blackboard accuse` turns them into evidence that anybody can check.",
  ].join("\n");
}

function words({ origin, size, witnesses }: VerifiedHead, first: boolean): string {
  const signed = witnesses.length === 0 ? "" : `\nCosigned by ${witnesses.map(({ name, at }) => `${name} (${at})`).join(", ")}.`;
  const before = first
    ? "No earlier head was known. From now on the log must be consistent with this one."
    : "It is consistent with the head that was verified last.";
  return `Valid: ${origin}, ${size} ${wordFor(size, "entry", "entries")}. ${before}${signed}\n`;
}
