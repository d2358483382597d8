// Measures the search index alone: how fast it is built, how much disk it takes, and how long each kind of search takes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openSearchIndex } from "../src/adapters/search/search-thread-client.ts";
import { MEANING_TABLE } from "../src/adapters/system/package-files.ts";
import { documentOfText } from "../src/core/search/document.ts";
import { parseQuery } from "../src/core/search/query.ts";
import { NEAR_THRESHOLD } from "../src/core/search/similarity.ts";
import type { SearchIndex } from "../src/ports/search.ts";
import { messageText, payloadOf, wordOf } from "./support/generated-messages.ts";
import { seeded } from "./support/seeded.ts";

const ROUNDS = 300;
const report = { appended: () => {}, failed: (what: string, error: unknown) => console.error(what, error) };

/** 100,000 messages, or as many as `--messages` says. */
export async function indexBench(options: { readonly messages?: string | undefined }): Promise<void> {
  const messages = Number(options.messages ?? 100_000);
  const dir = mkdtempSync(join(tmpdir(), "bench-index-"));
  const source = { url: new URL("./support/generated-messages.ts", import.meta.url).href, options: { messages } };
  // With the table of meanings, as on a board.
  const work = { dir, source, meaning: MEANING_TABLE };
  try {
    const first = openSearchIndex(work, report);
    await build(first, messages);
    await first.close();

    const start = performance.now();
    const index = openSearchIndex(work, report);
    await index.rank(parseQuery("anything", "all"), { upTo: messages, limit: 10 });
    console.log(`ready after a restart in ${Math.round(performance.now() - start)} ms`);
    await searches(index, messages);
    await index.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function build(index: SearchIndex, messages: number): Promise<void> {
  const making = cpuOfMaking();
  const start = performance.now();
  const cpu = process.cpuUsage();
  while (!(await index.status()).ready) await setTimeout(100);
  const seconds = (performance.now() - start) / 1000;
  console.log(`${messages} messages of ${Buffer.byteLength(payloadOf(messages))} bytes: ${Math.round(messages / seconds)} a second`);
  for (let unchanged = 0, last = -1; unchanged < 20; unchanged++) {
    const { segments } = await index.status();
    if (segments !== last) unchanged = 0;
    last = segments;
    await setTimeout(250);
  }
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${Math.round((user + system) / messages - making)} us of CPU a message, all threads, besides ${Math.round(making)} to make it up`,
  );
  const { bytes, segments } = await index.status();
  console.log(
    `${Math.round(bytes / messages)} bytes a message, in ${segments} segments, merged after ${Math.round((performance.now() - start) / 1000)} s`,
  );
}

/** CPU microseconds per message that this bench itself spends: its source generates messages as they are read. */
function cpuOfMaking(): number {
  const SAMPLE = 10_000;
  for (let seq = 1; seq <= SAMPLE; seq++) payloadOf(seq);
  const cpu = process.cpuUsage();
  for (let seq = 1; seq <= SAMPLE; seq++) payloadOf(seq);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / SAMPLE;
}

async function searches(index: SearchIndex, messages: number): Promise<void> {
  const random = seeded(7);
  const upTo = messages;
  const any = (from: number, to: number): string => wordOf(from + Math.floor(random() * (to - from)));
  const rank = (q: string) => index.rank(parseQuery(q, "all"), { upTo, limit: 50 });
  const phrase = (): string => {
    const words = messageText(1 + Math.floor(random() * messages)).body.split(" ");
    const at = Math.floor(random() * 100);
    return `"${words.slice(at, at + 3).join(" ")}"`;
  };
  const near = async (text: string) => {
    const prepared = await index.near(documentOfText(text), upTo);
    return index.similar(prepared, { upTo, limit: 10, threshold: NEAR_THRESHOLD });
  };
  await timed("rare word", () => rank(any(50_000, 150_000)));
  await timed("common word", () => rank(any(0, 3)));
  await timed("two words", () => rank(`${any(0, 100)} ${any(0, 1000)}`));
  await timed("two common words", () => rank(`${any(0, 3)} ${any(3, 6)}`));
  await timed("phrase", () => rank(phrase()));
  await timed("phrase of common words", () => rank(`"${any(0, 3)} ${any(0, 3)}"`));
  await timed("prefix", () => rank(`${any(100, 2000).slice(0, 4)}*`));
  await timed("word, newest first", () => index.matching(parseQuery(any(0, 3), "all"), { upTo, first: { from: "newest", limit: 50 } }));
  await timed("similar to a message", () => near(messageText(1 + Math.floor(random() * messages)).body));
  await timed("similar to a sentence", () => near(messageText(1 + Math.floor(random() * messages)).title));
}

async function timed(what: string, search: () => Promise<Partial<Awaited<ReturnType<SearchIndex["rank"]>>> | Uint32Array>): Promise<void> {
  const times: number[] = [];
  let having = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    const answer = await search();
    times.push(performance.now() - start);
    having += "stats" in answer ? (answer.stats?.clauses[0] ?? 0) : 0;
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(share * (ROUNDS - 1))] ?? 0).toFixed(1);
  console.log(
    `${what.padEnd(24)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, the first word stands in ${Math.round(having / ROUNDS)} on average`,
  );
}

if (import.meta.main) await indexBench(parseArgs({ options: { messages: { type: "string" } } }).values);
