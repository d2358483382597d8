// Measures what the writer alone costs per post on each store: CPU time, bytes written, and the time of a transaction, for several batch
// sizes.
import type { Act } from "../src/core/message/acts-and-outcomes.ts";
import type { Figure } from "./support/figure.ts";
import { storesIn } from "./support/board-on-chosen-store.ts";
import { type MeasuredWriter, postgresWriter, sqliteWriter } from "./support/measured-writer.ts";
import { writerPost } from "./support/writer-post.ts";
import { payloads } from "./support/posts.ts";
import { Scratch } from "./support/scratch.ts";

const BATCHES = [24, 48, 1];
/** The board is filled first, because transactions touch too few pages on a small board. */
const FILL = 20_000;
const FILL_BATCH = 1000;
const POSTS = 6000;
const SINGLE_POSTS = 500;

export async function writerBench({ store = "sqlite,postgres" }: { store?: string | undefined } = {}): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  // The number of nodes makes no difference here, because only one of them writes at a time.
  const names = new Set(storesIn(store).map(({ nodes }) => (nodes === 0 ? "sqlite" : "postgres")));
  for (const name of names) {
    using scratch = new Scratch();
    await using writer = name === "sqlite" ? sqliteWriter(scratch) : await postgresWriter(scratch);
    figures.push(...(await measure(name, writer)));
  }
  return figures;
}

async function measure(name: string, writer: MeasuredWriter): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const source = payloads();
  const next = (): Act => writerPost(source.next().value);
  const empty = await writer.stored();
  for (let filled = 0; filled < FILL; filled += FILL_BATCH) await writer.run(Array.from({ length: FILL_BATCH }, next));
  const stored = ((await writer.stored()) - empty) / FILL;
  console.log(`${name}: ${stored.toFixed(0)} bytes a message on disk, without the search index`);
  figures.push({ name: `${name}: bytes a message`, value: stored, unit: "bytes", better: "less" });
  for (const batch of BATCHES) {
    const posts = batch === 1 ? SINGLE_POSTS : POSTS;
    const acts = Array.from({ length: posts }, next);
    const [written, cpu, started] = [await writer.written(), writer.cpuMs(), performance.now()];
    const times: number[] = [];
    for (let done = 0; done < posts; done += batch) {
      const begun = performance.now();
      await writer.run(acts.slice(done, done + batch));
      times.push(performance.now() - begun);
    }
    const wall = ((performance.now() - started) * 1000) / posts;
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
    const { own, server } = writer.cpuMs();
    const us = { own: ((own - cpu.own) * 1000) / posts, server: ((server - cpu.server) * 1000) / posts };
    const kib = ((await writer.written()) - written) / posts / 1024;
    const of = (what: string): string => `${name}, ${batch} posts a transaction: ${what}`;
    figures.push(
      { name: of("CPU a post"), value: us.own + us.server, unit: "us", better: "less" },
      { name: of("wall a post"), value: wall, unit: "us", better: "less" },
      { name: of("written a post"), value: kib, unit: "KiB", better: "less" },
      { name: of("a transaction, p50"), value: at(0.5), unit: "ms", better: "less" },
    );
    console.log(
      `${of("")}CPU ${us.own.toFixed(0)} us a post here and ${us.server.toFixed(0)} in the server, wall ${wall.toFixed(0)} us, ${kib.toFixed(1)} KiB written`,
    );
    const [half, most, nearly, all] = [0.5, 0.9, 0.99, 1].map((share) => at(share).toFixed(1));
    console.log(`      a transaction took ${half} ms (p50), ${most} (p90), ${nearly} (p99), ${all} at most`);
  }
  return figures;
}
