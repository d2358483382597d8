// What the writer alone costs a post: CPU time, bytes written, and where the time goes, in transactions of several sizes.
import { readFileSync } from "node:fs";
import { databasePath, openDatabase } from "../src/adapters/sqlite/open.ts";
import { SqliteWriter } from "../src/adapters/sqlite/writer.ts";
import { agentId, messageId } from "../src/core/protocol/identity.ts";
import type { Payload } from "../src/core/protocol/payload.ts";
import type { Act } from "../src/ports/store.ts";
import type { Figure } from "./support/figure.ts";
import { payloads } from "./support/posts.ts";
import { Scratch } from "./support/scratch.ts";

const BATCHES = [24, 48, 1];
/** Pages that every transaction touches are few on a small board, so it is not measured empty. */
const FILL = 20_000;
const FILL_BATCH = 1000;
const POSTS = 6000;
const SINGLE_POSTS = 500;

export async function writerBench(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  using scratch = new Scratch();
  const writer = new SqliteWriter(openDatabase(databasePath(scratch.path), "write"));
  const source = payloads();
  const next = (): Act => actOf(source.next().value);
  for (let filled = 0; filled < FILL; filled += FILL_BATCH) {
    const acts = Array.from({ length: FILL_BATCH }, next);
    writer.run(acts, Date.now());
  }
  for (const batch of BATCHES) {
    const posts = batch === 1 ? SINGLE_POSTS : POSTS;
    const acts = Array.from({ length: posts }, next);
    const written = writtenBytes();
    const cpu = process.cpuUsage();
    const started = performance.now();
    const times: number[] = [];
    for (let done = 0; done < posts; done += batch) {
      const begun = performance.now();
      writer.run(acts.slice(done, done + batch), Date.now());
      times.push(performance.now() - begun);
    }
    const wall = ((performance.now() - started) * 1000) / posts;
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] ?? Number.NaN).toFixed(1);
    const { user, system } = process.cpuUsage(cpu);
    const us = (value: number): string => (value / posts).toFixed(0);
    const kib = (writtenBytes() - written) / posts / 1024;
    const of = (what: string): string => `${batch} posts a transaction: ${what}`;
    figures.push({ name: of("CPU a post"), value: (user + system) / posts, unit: "us", better: "less" });
    figures.push({ name: of("wall a post"), value: wall, unit: "us", better: "less" });
    figures.push({ name: of("written a post"), value: kib, unit: "KiB", better: "less" });
    console.log(
      `${String(batch).padStart(3)} posts a transaction: CPU ${us(user + system)} us a post (user ${us(user)}, system ${us(system)}), wall ${wall.toFixed(0)} us, ${kib.toFixed(1)} KiB written`,
    );
    console.log(`      a transaction took ${at(0.5)} ms (p50), ${at(0.9)} (p90), ${at(0.99)} (p99), ${at(1)} at most`);
  }
  writer.close();
  return figures;
}

function actOf(text: string): Act {
  const payload = JSON.parse(text) as Payload;
  const raw = { payload: text, sig: "x".repeat(86), nonce: "1234" };
  return {
    type: "post",
    arrival: { id: messageId(text), author: agentId(payload.pk), payload, raw, bits: 18, assisted: false, blobs: {} },
    dryRun: false,
  };
}

/** By system calls, of this process; 0 where there is no /proc. */
function writtenBytes(): number {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return 0;
  }
}
