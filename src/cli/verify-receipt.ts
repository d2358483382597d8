// `blackboard verify-receipt`: what a proof proves, checked here; nobody is asked where a policy is given.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { getPolicy, type ProvedEntry, TlogError, verifyReceipt } from "../client/tlog.ts";
import type { RawMessage } from "../client/verify-envelope.ts";
import { ProofFault } from "./failure.ts";
import { atBoard, Session } from "./session.ts";

interface Options {
  readonly policy?: string;
  readonly message?: string;
}

export function verifyReceiptCommand(program: Command): void {
  const command = program.command("verify-receipt").argument("<file>", "the proof, or the answer that holds it; - is standard input");
  command.description("check a proof that a board's log has something, offline with --policy");
  command.option("--policy <file>", "whom to believe (C2SP tlog-policy); the board's own /tlog/policy unless given");
  command.option("--message <file>", "the message as JSON with payload, sig and nonce: the proof must be of it");
  atBoard(command).action(async (file: string, { policy, message }: Options) => {
    const session = new Session(command);
    const given = await read(file);
    const trusted = policy === undefined ? await getPolicy(session.board) : readFileSync(policy, "utf8");
    const raw = message === undefined ? undefined : (JSON.parse(readFileSync(message, "utf8")) as RawMessage);
    const proved = await verifyReceipt(proofIn(given), trusted, raw).catch((error: unknown) => {
      throw error instanceof TlogError ? new ProofFault(error.message) : error;
    });
    session.print(proved, () => words(proved));
  });
}

const read = (file: string): Promise<string> | string => (file === "-" ? text(process.stdin) : readFileSync(file, "utf8"));

/** The proof itself, or that in an answer to a post. */
function proofIn(given: string): string {
  if (!given.trimStart().startsWith("{")) return given;
  const { receipt } = JSON.parse(given) as { receipt?: { proof?: string } | null };
  if (typeof receipt?.proof !== "string") throw new ProofFault("There is no receipt in it: ask with receipt=1, or at its proof_url.");
  return receipt.proof;
}

function words({ origin, seq, at, type, id, size, witnesses }: ProvedEntry): string {
  const signed = witnesses.length === 0 ? "" : `\nCosigned by ${witnesses.map(({ name, at: when }) => `${name} (${when})`).join(", ")}.`;
  return `It holds: entry ${seq} of ${origin}, ${type} ${id}, at ${at}, in a log of ${size} entries.${signed}\n`;
}
