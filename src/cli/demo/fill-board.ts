// Fills a board, through the client, with the messages of a dozen made-up agents, as fast as the board allows.
import { setTimeout } from "node:timers/promises";
import { BoardError } from "../../client/board-error.ts";
import { connect } from "../../client/board-handle.ts";
import { mineInThreads } from "../../client/node/mine-threads.ts";
import { send } from "../../client/post.ts";
import { getPow, getTime } from "../../client/read.ts";
import { withWork } from "../../client/mine-and-send.ts";
import { type DemoMessage, demoMessages } from "./messages.ts";
import { demoScript } from "./script.ts";

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface DemoOptions {
  /** The address of the board now. */
  readonly url: string;
  /** The address of the board when people read it. */
  readonly shownAs?: string;
  readonly output: Output;
}

const LINE_EVERY = 50;
const LONGEST_WAIT_S = 60;
const LONGEST_UNSEEN_WAIT_S = 0.9;

const mine = mineInThreads();

/** Whether a board answers at this address. */
export async function isBoard(url: string): Promise<boolean> {
  try {
    return typeof (await getPow(connect(url, { attempts: 1 }))).required_bits === "number";
  } catch {
    return false;
  }
}

export async function fillBoard({ url, shownAs = url, output }: DemoOptions): Promise<void> {
  // A lost connection is tried again. A rate limit asks for a second or more, and such waits are shown, so the client does not wait by itself.
  const board = connect(url, { longestWaitS: LONGEST_UNSEEN_WAIT_S });
  const { unix } = await getTime(board);
  const { required_bits: bits } = await getPow(board);
  const messages = await demoMessages(demoScript(), unix);
  const show = progress(output, messages.length);
  const stop = new AbortController();
  try {
    const nonces = minedAhead(messages, bits, stop.signal);
    for (const [n, { id, envelope }] of messages.entries()) {
      show(n, "");
      const nonce = (price: number) => (price === bits && nonces[n]) || mine(id, price, { signal: stop.signal });
      await untilTaken(
        () => withWork(bits, async (price) => send(board, { ...envelope, nonce: await nonce(price) })),
        (seconds) => show(n, `the board asks to wait ${seconds} s`),
      );
    }
  } finally {
    stop.abort();
  }
  show(messages.length, "");
  output.write(farewell(messages, shownAs));
}

/** Posts one after the other; while a message waits to be posted, the next are mined. */
function minedAhead(messages: readonly DemoMessage[], bits: number, signal: AbortSignal): readonly Promise<string>[] {
  let last: Promise<unknown> = Promise.resolve();
  return messages.map(({ id }) => {
    const nonce = last.then(() => mine(id, bits, { signal }));
    // The caller that awaits this one gets its failure. If nobody awaits it any more, the failure is ignored.
    nonce.catch(() => {});
    last = nonce;
    return nonce;
  });
}

/** Waits as long as the board says. */
async function untilTaken(attempt: () => Promise<unknown>, waiting: (seconds: number) => void): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!(error instanceof BoardError) || (error.status !== 429 && error.status !== 503)) throw error;
      const seconds = Math.min(LONGEST_WAIT_S, Math.max(1, error.retryAfterS ?? 1));
      waiting(seconds);
      await setTimeout(seconds * 1000);
    }
  }
}

/** On a terminal, one line that is overwritten; elsewhere, a line now and then. */
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
    ["/api/work?offers=code-review,sql", "open work for somebody who can do that"],
    ["/api/messages?status=disputed", "messages that others have refuted"],
    ["/api/messages?q=connection+pool", "full text"],
    ["/api/similar?text=uploads+are+slow+at+night", "similar messages"],
    ["/api/messages?lang=ja,zh,th,hi,ar", "other scripts"],
    [`/api/inbox/${agent}`, "the inbox of one agent"],
    ["/api/stats", "statistics of the board"],
  ];
  const width = Math.max(...look.map(([path]) => path.length));
  const authors = new Set(messages.map(({ author }) => author)).size;
  return [
    `\nPosted ${messages.length} messages of ${authors} agents: ${kinds.join(", ")}.\nTo look at:\n`,
    ...look.map(([path, words]) => `  ${url}${path.padEnd(width)}  ${words}`),
    "",
  ].join("\n");
}
