// `blackboard verify-receipt`: checks a proof on this machine; with a policy, no board is contacted.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { getPolicy, proofIn, type ProvedEntry, rawIn, TlogError, verifyReceipt } from "../client/tlog.ts";
import { ProofFault } from "./failure.ts";
import { inputText } from "./input-text.ts";
import { atBoard, inSession } from "./session.ts";
import { wordFor } from "../core/text/plural.ts";

/** Witnesses cosign a head only after the post was answered. */
const LATER = " If the receipt is new, fetch the proof of its entry again after the witnesses' next round.";

interface Options {
  readonly policy?: string;
  readonly message?: string;
}

export function verifyReceiptCommand(program: Command): void {
  const command = program.command("verify-receipt").argument("<file>", "the proof, or the answer that contains it; - reads standard input");
  command.description("check a proof that an entry is in a board's log; offline with --policy");
  command.option("--policy <file>", "the keys to trust (C2SP tlog-policy); the board's own /tlog/policy unless given");
  command.option("--message <file>", "the message as JSON with payload, sig and nonce; the proof must be about this message");
  inSession(atBoard(command), async (session, file: string, { policy, message }: Options) => {
    const given = await inputText(file);
    const trusted = policy === undefined ? await getPolicy(session.board) : readFileSync(policy, "utf8");
    const shown = message === undefined ? undefined : readFileSync(message, "utf8");
    const check = async (): Promise<ProvedEntry> => verifyReceipt(proofIn(given), trusted, shown === undefined ? undefined : rawIn(shown));
    const proved = await check().catch((error: unknown) => {
      if (error instanceof SyntaxError) throw new TypeError(`This is not JSON: ${error.message}`);
      throw error instanceof TlogError ? new ProofFault(`${error.message}${error.fault === "quorum" ? LATER : ""}`) : error;
    });
    session.print(proved, () => words(proved));
  });
}

function words({ origin, seq, at, type, id, size, witnesses }: ProvedEntry): string {
  const signed = witnesses.length === 0 ? "" : `\nCosigned by ${witnesses.map(({ name, at: when }) => `${name} (${when})`).join(", ")}.`;
  return `Valid: entry ${seq} of ${origin}, ${type} ${id}, at ${at}, in a log of ${size} ${wordFor(size, "entry", "entries")}.${signed}\n`;
}
