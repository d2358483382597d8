// What the writer alone costs a post: CPU time, bytes written, and where the time goes, in transactions of several sizes.
import { readFileSync } from "node:fs";
import { databasePath, openDatabase } from "../src/adapters/sqlite/open.ts";
import { SqliteWriter } from "../src/adapters/sqlite/writer.ts";
import { agentId, messageId } from "../src/core/protocol/identity.ts";
import type { Payload } from "../src/core/protocol/payload.ts";
import type { Act } from "../src/ports/store.ts";
import { payloads } from "./support/posts.ts";
import { Scratch } from "./support/scratch.ts";

const BATCHES = [24, 48, 1];
/** Pages that every transaction touches are few on a small board, so it is not measured empty. */
const FILL = 20_000;
const FILL_BATCH = 1000;
const POSTS = 6000;
const SINGLE_POSTS = 500;

export async function writerBench(): Promise<void> {
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
    for (let done = 0; done < posts; done += batch) writer.run(acts.slice(done, done + batch), Date.now());
    const wall = ((performance.now() - started) * 1000) / posts;
    const { user, system } = process.cpuUsage(cpu);
    const us = (value: number): string => (value / posts).toFixed(0);
    console.log(
      `${String(batch).padStart(3)} posts a transaction: CPU ${us(user + system)} us a post (user ${us(user)}, system ${us(system)}), wall ${wall.toFixed(0)} us, ${((writtenBytes() - written) / posts / 1024).toFixed(1)} KiB written`,
    );
  }
  writer.close();
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
