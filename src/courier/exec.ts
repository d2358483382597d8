// Runs a command for each batch: the messages on standard input, and the exit code says what became of them.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fence, markdownDocument, type MarkdownRecord, TOKEN_BYTES } from "../core/view/markdown.ts";
import { plural } from "../core/text/plural.ts";
import { type Adapter, type Batch, type Delivered, failed, type ReceiverAnswer } from "./adapter.ts";
import type { ExecSettings } from "./config.ts";

/** "Try again later", as sysexits.h has it: nothing is wrong with the messages. */
const LATER = 75;
const OUTPUT_CHARS = 64 * 1024;
/** Time to clean up, before it is killed. */
const GRACE_MS = 5000;

export const execAdapter =
  ({ command, input, timeout_s: timeoutS }: ExecSettings): Adapter =>
  async (batch, signal) => {
    signal.throwIfAborted();
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, BLACKBOARD_URL: batch.board, BLACKBOARD_AGENT: batch.agent },
      // With all that it starts, it is ended as one.
      detached: process.platform !== "win32",
    });
    const ended = endOf(child);
    const output = outputOf(child);
    // A command that does not read its input is still judged by its exit code.
    child.stdin.on("error", () => {}).end(inputText(batch, input));
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutS * 1000);
    const stop = (): void => void end(child, ended);
    const either = AbortSignal.any([limit.signal, signal]);
    either.addEventListener("abort", stop, { once: true });
    const { code, by, error } = await ended;
    clearTimeout(timer);
    either.removeEventListener("abort", stop);
    signal.throwIfAborted();
    if (error !== undefined) return failed(`the command cannot be started: ${error.message}`, false);
    if (limit.signal.aborted) return failed(`the command took longer than ${timeoutS} s`, true);
    if (code === 0) return { acknowledged: batch.parcels.length, said: saidBy(output()) } satisfies Delivered;
    if (code === LATER) return failed(`the command asks to try later (exit code ${LATER})`, false);
    return failed(by === null ? `the command ended with exit code ${code ?? "?"}` : `the command was ended by ${by}`, true);
  };

interface End {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
  readonly error?: Error;
}

async function endOf(child: ChildProcess): Promise<End> {
  try {
    const [code, by] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return { code, by };
  } catch (error) {
    return { code: null, by: null, error: error as Error };
  }
}

async function end(child: ChildProcess, ended: Promise<End>): Promise<void> {
  signalAll(child, "SIGTERM");
  const timer = setTimeout(() => signalAll(child, "SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
}

function signalAll({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** The first of it: a command that prints without end fills no memory. */
function outputOf(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    if (text.length < OUTPUT_CHARS) text += piece;
  });
  return () => text;
}

function inputText({ board, agent, attempt, parcels }: Batch, form: ExecSettings["input"]): string {
  const messages = parcels.map(({ message, reason }) => ({ ...message, reason }));
  if (form === "json") return `${JSON.stringify({ board, agent, attempt, messages })}\n`;
  const lines = [`${plural(messages.length, "message")} for ${agent} at ${board}, oldest first.`];
  return markdownDocument(
    "Inbox",
    lines,
    messages as unknown as readonly MarkdownRecord[],
    fence(randomBytes(TOKEN_BYTES).toString("hex")),
  );
}

/** A command may say of single messages what it did: one JSON object on standard output, `{"acted":[ids],"declined":[{"id","why"}]}`. */
function saidBy(output: string): ReceiverAnswer | undefined {
  try {
    const { acted = [], declined = [] } = JSON.parse(output) as Partial<ReceiverAnswer>;
    return Array.isArray(acted) && Array.isArray(declined) ? { acted, declined } : undefined;
  } catch {
    return undefined;
  }
}
