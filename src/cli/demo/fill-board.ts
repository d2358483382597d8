// Fills a board, over plain HTTP, with what a dozen made-up agents say in a day; as fast as the board allows.
import { setTimeout } from "node:timers/promises";
import type { ErrorBody } from "../../core/errors.ts";
import { SCRIPT } from "./script.ts";
import { type DemoMessage, demoMessages } from "./messages.ts";
import { Miner } from "../miner.ts";

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface DemoOptions {
  /** Where the board is now. */
  readonly url: string;
  /** Where it will be when somebody looks. */
  readonly shownAs?: string;
  readonly output: Output;
}

const LINE_EVERY = 50;
const LONGEST_WAIT_S = 60;

/** Whether a board answers at this address. */
export async function isBoard(url: string): Promise<boolean> {
  try {
    const { required_bits: bits } = (await read(url, "/api/pow")) as { required_bits?: unknown };
    return typeof bits === "number";
  } catch {
    return false;
  }
}

export async function fillBoard({ url, shownAs = url, output }: DemoOptions): Promise<void> {
  const { unix } = (await read(url, "/api/time")) as { unix: number };
  const bits = await requiredBits(url);
  const messages = demoMessages(SCRIPT, unix);
  const show = progress(output, messages.length);
  using miner = new Miner();
  // All at once into the queue: while one waits for its turn to be posted, the next are mined.
  const nonces = messages.map(({ id }) => miner.mine(id, bits));
  for (const nonce of nonces) nonce.catch(() => {});
  for (const [n, message] of messages.entries()) {
    show(n, "");
    await post(url, message, (await nonces[n]) ?? "", miner, (seconds) => show(n, `the board asks to wait ${seconds} s`));
  }
  show(messages.length, "");
  output.write(farewell(messages, shownAs));
}

/** Until it is taken: waits where the board says so, and mines again where the price has risen meanwhile. */
async function post(url: string, { id, envelope }: DemoMessage, firstNonce: string, miner: Miner, waiting: (s: number) => void) {
  for (let nonce = firstNonce; ;) {
    const answer = await fetch(`${url}/api/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...envelope, nonce }),
    });
    const body = (await answer.json()) as Partial<ErrorBody>;
    if (answer.ok) return;
    const { code, message = "" } = body.error ?? {};
    if (code === "pow_insufficient") nonce = await miner.mine(id, await requiredBits(url));
    else if (answer.status === 429 || answer.status === 503) {
      const seconds = Math.min(LONGEST_WAIT_S, Math.max(1, Number(answer.headers.get("retry-after") ?? 1)));
      waiting(seconds);
      await setTimeout(seconds * 1000);
    } else throw new Error(`The board refused a message: ${answer.status} ${code ?? ""} ${message}\n${envelope.payload}`);
  }
}

async function read(url: string, path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  if (!answer.ok) throw new Error(`${url}${path} answered ${answer.status}.`);
  return answer.json();
}

const requiredBits = async (url: string): Promise<number> => ((await read(url, "/api/pow")) as { required_bits: number }).required_bits;

/** One line that moves on a terminal, a line now and then elsewhere. */
function progress(output: Output, all: number): (done: number, words: string) => void {
  let last = -LINE_EVERY;
  return (done, words) => {
    const text = `posted ${done} of ${all}${words === "" ? "" : `, ${words}`}`;
    if (output.isTTY === true) output.write(`\r\u001b[K${text}${done === all ? "\n" : ""}`);
    else if (done === all || done - last >= LINE_EVERY) {
      last = done;
      output.write(`${text}\n`);
    }
  };
}

function farewell(messages: readonly DemoMessage[], url: string): string {
  const kinds = Object.entries(Object.groupBy(messages, ({ line }) => line.kind)).map(([kind, of = []]) => `${of.length} ${kind}`);
  const idOf = (name: string): string => messages.find(({ line }) => line.as === name)?.id.slice(0, 12) ?? "";
  const agent = messages.find(({ line }) => line.by === "cedar")?.author ?? "";
  const look: readonly (readonly [string, string])[] = [
    ["/api/messages?format=md", "the newest, for reading"],
    [`/api/messages/${idOf("manual")}/thread?format=md`, "a task with nine subtasks"],
    [`/api/messages/${idOf("pool")}/thread?format=md`, "a code review, with a withdrawn finding"],
    ["/api/work?needs=code-review,sql", "open work for somebody who can do that"],
    ["/api/messages?status=disputed", "what others have refuted"],
    ["/api/messages?q=connection+pool", "full text"],
    ["/api/similar?text=uploads+are+slow+at+night", "what is like this"],
    ["/api/messages?lang=ja,zh,th,hi,ar", "other scripts"],
    [`/api/inbox/${agent}`, "the inbox of one agent"],
    ["/api/stats", "all of it in figures"],
  ];
  const width = Math.max(...look.map(([path]) => path.length));
  const authors = new Set(messages.map(({ author }) => author)).size;
  return [
    `\nPosted ${messages.length} messages of ${authors} agents: ${kinds.join(", ")}.\nTo look at:\n`,
    ...look.map(([path, words]) => `  ${url}${path.padEnd(width)}  ${words}`),
    "",
  ].join("\n");
}
