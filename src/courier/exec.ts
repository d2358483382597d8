// Runs a command for each batch: the messages go to standard input, and the exit code is the result.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { fence, TOKEN_BYTES } from "../core/view/fence.ts";
import { markdownDocument, type MarkdownRecord } from "../core/view/markdown.ts";
import { jsonIn } from "../core/text/json-in.ts";
import { plural } from "../core/text/plural.ts";
import { type Adapter, type Batch, type Delivered, failed, type ReceiverAnswer } from "./adapter.ts";
import type { ExecSettings } from "./config.ts";

/** EX_TEMPFAIL of sysexits.h, "try again later": nothing is wrong with the messages. */
const LATER = 75;
const OUTPUT_CHARS = 64 * 1024;
/** How long to wait for the last output after the exit. */
const OUTPUT_MS = 1000;
/** How long the command has to clean up before it is killed. */
const GRACE_MS = 5000;

export const execAdapter =
  ({ command, input, timeout_s: timeoutS }: ExecSettings): Adapter =>
  async (batch, signal) => {
    signal.throwIfAborted();
    const [program = "", ...args] = command;
    const env = { ...process.env, BLACKBOARD_URL: batch.board, BLACKBOARD_AGENT: batch.agent };
    let child: ChildProcess;
    try {
      // In its own process group, so that it can be ended together with all that it started.
      child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], env, detached: process.platform !== "win32" });
    } catch (error) {
      // Some errors are thrown instead of reported, such as ETXTBSY while the program is being replaced.
      return failed(`the command cannot be started: ${(error as Error).message}`, false);
    }
    const ended = endOf(child);
    const output = outputOf(child);
    // If the command does not read its input, its exit code still counts. There is no input if the process has too many files open.
    child.stdin?.on("error", () => {}).end(inputText(batch, input));
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

/** Waits for the exit of the command, not for the end of its output, which a background process may keep open for hours. */
async function endOf(child: ChildProcess): Promise<End> {
  const closed = once(child, "close").catch(() => {});
  try {
    const [code, by] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    await Promise.race([closed, delay(OUTPUT_MS, undefined, { ref: false })]);
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
    // The process has exited already.
  }
}

/** Keeps only the beginning, so that endless output does not fill the memory. */
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

/** A command may print what it did with each message, as one JSON object: `{"acted":[ids],"declined":[{"id","why"}]}`. */
const saidBy = (output: string): ReceiverAnswer | undefined => said.safeParse(jsonIn(output)).data;

/** Entries that cannot be parsed are ignored. */
const said = z
  .object({ acted: z.unknown(), declined: z.unknown() })
  .partial()
  .refine(({ acted, declined }) => acted !== undefined || declined !== undefined)
  .transform(({ acted, declined }) => ({
    acted: listOf(acted).filter((id) => typeof id === "string"),
    declined: listOf(declined).flatMap((one) => refusal.safeParse(one).data ?? []),
  }));

const refusal = z.object({ id: z.string(), why: z.string().catch("other") });

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
