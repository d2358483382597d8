// Slow senders and readers that take nothing: others must not feel them, and they are cut off in time.
import { Agent } from "../../test/support/agent.ts";
import { openStream } from "../../test/support/event-stream.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/flags.ts";
import { mostResidentMiB, quantile, settledMiB } from "../support/gauges.ts";
import { slowBody, slowHeader, silent, type Stalled, stalledReader } from "../support/rude.ts";

const SENDERS = 1000;
const READERS = 200;
const QUESTIONS = 2000;
/** With one for a busy machine. */
const SENDERS_CUT_S = 15 + 1;
/** With a second between two looks, and one for the answer to arrive. */
const READERS_CUT_S = 30 + 2;
/** Until then the board sends what the system takes for those who do not. */
const FILLED_S = 1;
const MORE_MIB = 64;
const SLOWER = 1.2;
/** Two measures of the same thing on an idle machine differ by this much. */
const NOISE_MS = 2;
/** More than the buffers of the system take for one connection, so that the board notices who takes nothing. */
const PAST = 80;
/** Four bytes a character and no word among them: what the search index takes for words is no affair of these callers, and would drown theirs. */
const LARGE = "\u{1d11e}".repeat(25_000);

export const slow: Part = {
  name: "slow",
  promise: "1,000 slow senders and 200 stalled readers: others' p99 within 20 %, at most 64 MiB more, cut off in 15 s and 30 s",
  stores: STORES,
  async run(times) {
    await using board = await BoardProcess.serve(emptyDirectory(), FLAGS);
    const agent = new Agent();
    for (let i = 0; i < PAST; i++) await post(board.url, agent, `${i} ${LARGE}`);
    for (let i = 0; i < 50; i++) await post(board.url, agent, `before ${i}`);
    for (let i = 0; i < 2; i++) await readAll(board.url);
    await ask(board.url, QUESTIONS);
    await settledMiB(board.pid);
    // The same work as later with nobody in the way: large messages take memory, whoever does not read them.
    const usual = mostResidentMiB(board.pid);
    for (let i = 0; i < PAST; i++) await post(board.url, agent, `${i} earlier ${LARGE}`);
    const quiet = quantile(await ask(board.url, QUESTIONS), 0.99);
    const memory = usual();
    const most = mostResidentMiB(board.pid);
    const port = Number(new URL(board.url).port);
    const half = Array.from({ length: times(READERS) / 2 });
    const past = half.map(() => stalledReader(port, 0));
    const present = half.map(() => stalledReader(port));
    const kinds = [slowHeader, slowBody, silent];
    const senders = Array.from({ length: times(SENDERS) }, (_, i) => (kinds[i % kinds.length] ?? silent)(port));
    await Promise.all([...past, ...present, ...senders].map((one) => one.there));
    // What was sent before is still theirs to take; what follows it is why they were cut off.
    const wordsOf = async (readers: readonly Stalled[], after: number) => {
      await new Promise((resolve) => setTimeout(resolve, after * 1000));
      return Promise.all(readers.map((one) => one.lastWords()));
    };
    const wordsOfPast = wordsOf(past, FILLED_S + READERS_CUT_S);
    for (let i = 0; i < PAST; i++) await post(board.url, agent, `${i} later ${LARGE}`);
    const wordsOfPresent = wordsOf(present, READERS_CUT_S);
    const meanwhile = quantile(await ask(board.url, QUESTIONS), 0.99);
    const lives = await Promise.all(senders.map(async ({ there, cut }) => ((await cut) - (await there)) / 1000));
    const sendersCut = Math.max(...lives);
    const words = (await Promise.all([wordsOfPast, wordsOfPresent])).flat();
    const more = most() - memory;
    const readersCut = words.filter((text) => text !== undefined).length;
    const told = words.filter((text) => text?.includes("consumer_too_slow") === true).length;
    return {
      held:
        meanwhile < Math.max(quiet * SLOWER, quiet + NOISE_MS) &&
        more < MORE_MIB &&
        sendersCut < SENDERS_CUT_S &&
        readersCut === words.length &&
        told > 0,
      figure: `p99 of others ${quiet.toFixed(1)} ms before, ${meanwhile.toFixed(1)} ms meanwhile; at most ${more.toFixed(0)} MiB more; the last of ${senders.length} slow senders cut off after ${sendersCut.toFixed(1)} s; ${readersCut} of ${words.length} stalled readers cut off after ${READERS_CUT_S} s, of whom ${told} still found the word for it`,
    };
  },
};

/** Reads the whole past, as those do who read. */
async function readAll(url: string): Promise<void> {
  await using reader = await openStream({ url }, "/api/stream", { "last-event-id": "0" });
  await reader.upTo("live");
}

async function post(url: string, agent: Agent, body: string): Promise<void> {
  const response = await fetch(`${url}/api/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(agent.envelope({ kind: "note", body })),
  });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`expected 201, got ${response.status}`);
}

/** Milliseconds of each of so many questions, one after the other. */
async function ask(url: string, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const at = performance.now();
    await (await fetch(`${url}/api/messages?limit=10&kind=question`)).arrayBuffer();
    taken.push(performance.now() - at);
  }
  return taken;
}
