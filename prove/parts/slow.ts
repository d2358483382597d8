// Slow senders and readers that do not read: other callers must not notice them, and they are cut off in time.
import { randomUUID } from "node:crypto";
import { Agent } from "../../test/support/agent.ts";
import { openStream } from "../../test/support/event-stream.ts";
import { postTo } from "../../test/support/nodes.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { mostResidentMiB, quantile, idleMiB } from "../support/memory-and-quantiles.ts";
import { slowBody, slowHeader, silent, type Stalled, stalledReader } from "../support/stalling-clients.ts";

const SENDERS = 1000;
const READERS = 200;
const QUESTIONS = 2000;
/** One more second, for a busy machine. */
const SENDERS_CUT_S = 15 + 1;
/** One more second between two checks, and one for the answer to arrive. */
const READERS_CUT_S = 30 + 2;
/** Within this time the board fills the system's buffers for readers that do not read. */
const FILLED_S = 1;
const MORE_MIB = 64;
const SLOWER = 1.2;
/** Two measurements of the same thing on an idle machine differ by this much. */
const NOISE_MS = 2;
/** More than the system's buffers of one connection, so that the board notices readers that do not read. */
const PAST = 80;
/** Four bytes per character and no word: memory of the search index for words would hide the memory of these callers. */
const LARGE = "\u{1d11e}".repeat(25_000);

export const slow: Part = {
  name: "slow",
  promise: "1,000 slow senders and 200 stalled readers: others' p99 within 20 %, at most 64 MiB more, cut off in 15 s and 30 s",
  stores: STORES,
  async run(times) {
    // The same work in the same order on another board without slow callers, because a board's memory grows with its work.
    const alone = await seen((board, agent) => work(board.url, agent));
    const among = await seen(async (board, agent) => {
      const port = Number(new URL(board.url).port);
      const half = Array.from({ length: Math.ceil(times(READERS) / 2) });
      const past = half.map(() => stalledReader(port, 0));
      const present = half.map(() => stalledReader(port));
      const kinds = [slowHeader, slowBody, silent];
      const senders = Array.from({ length: times(SENDERS) }, (_, i) => (kinds[i % kinds.length] ?? silent)(port));
      await Promise.all([...past, ...present, ...senders].map((one) => one.there));
      const wordsOfPast = wordsOf(past, FILLED_S + READERS_CUT_S);
      await postLarge(board.url, agent);
      const wordsOfPresent = wordsOf(present, READERS_CUT_S);
      const p99 = await p99Of(board.url);
      const lives = await Promise.all(senders.map(async ({ there, cut }) => ((await cut) - (await there)) / 1000));
      return {
        p99,
        sendersCut: Math.max(...lives),
        senders: lives.length,
        words: (await Promise.all([wordsOfPast, wordsOfPresent])).flat(),
      };
    });
    const { p99, sendersCut, senders, words } = among.found;
    const quiet = alone.found;
    const more = among.mostMiB - alone.mostMiB;
    const readersCut = words.filter((text) => text !== undefined).length;
    const notified = words.filter((text) => text?.includes("consumer_too_slow") === true).length;
    return {
      held:
        p99 < Math.max(quiet * SLOWER, quiet + NOISE_MS) &&
        more < MORE_MIB &&
        sendersCut < SENDERS_CUT_S &&
        readersCut === words.length &&
        notified > 0,
      figure: `p99 of others ${quiet.toFixed(1)} ms without them, ${p99.toFixed(1)} ms beside them (${NOISE_MS} ms or ${Math.round((SLOWER - 1) * 100)} % more allowed, whichever is more); at most ${alone.mostMiB.toFixed(0)} MiB without them, ${more.toFixed(0)} MiB more with them; the last of ${senders} slow senders cut off after ${sendersCut.toFixed(1)} s; ${readersCut} of ${words.length} stalled readers cut off after ${READERS_CUT_S} s, of whom ${notified} still found the word for it`,
    };
  },
};

/** Runs a check on a new board that has been at work for a while; returns the result and the most memory that the board used. */
async function seen<Of>(look: (board: BoardProcess, agent: Agent) => Promise<Of>): Promise<{ found: Of; mostMiB: number }> {
  await using board = await BoardProcess.serve(emptyDirectory(), FLAGS);
  const agent = new Agent();
  await work(board.url, agent);
  for (let i = 0; i < 2; i++) await readAll(board.url);
  await work(board.url, agent);
  await idleMiB(board.pid);
  const most = mostResidentMiB(board.pid);
  return { found: await look(board, agent), mostMiB: most() };
}

async function work(url: string, agent: Agent): Promise<number> {
  await postLarge(url, agent);
  return p99Of(url);
}

/** Readers can still read what was sent before; after it comes the reason why they were cut off. */
async function wordsOf(readers: readonly Stalled[], after: number): Promise<(string | undefined)[]> {
  await new Promise((resolve) => setTimeout(resolve, after * 1000));
  return Promise.all(readers.map((one) => one.lastWords()));
}

/** Reads the whole log, as well-behaved readers do. */
async function readAll(url: string): Promise<void> {
  await using reader = await openStream({ url }, "/api/stream", { "last-event-id": "0" });
  await reader.upTo("live");
}

async function postLarge(url: string, agent: Agent): Promise<void> {
  for (let i = 0; i < PAST; i++) await postTo(url, agent.envelope({ kind: "note", body: `${randomUUID()} ${LARGE}` }));
}

/** The 99th percentile of milliseconds per request, one request after the other. */
async function p99Of(url: string): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < QUESTIONS; i++) {
    const at = performance.now();
    await (await fetch(`${url}/api/messages?limit=10&kind=question`)).arrayBuffer();
    taken.push(performance.now() - at);
  }
  return quantile(taken, 0.99);
}
