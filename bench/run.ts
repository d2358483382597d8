// Runs the benches named on the command line, or all of them, and ends with one table of their figures beside the last recorded ones.
import { fileURLToPath } from "node:url";
import { undoOnSignals } from "../test/support/leftovers.ts";
import { acksBench } from "./acks.ts";
import { briefBench } from "./brief.ts";
import { keysBench } from "./keys.ts";
import { pagesBench } from "./pages.ts";
import { peersBench } from "./peers.ts";
import { postBench } from "./post.ts";
import { readBench } from "./read.ts";
import { streamBench } from "./stream.ts";
import type { Figure } from "./support/figure.ts";
import { sizesIn } from "./support/filled-board-directory.ts";
import { History, type Run, runOf } from "./support/history.ts";
import { postKindIn } from "./support/posts.ts";
import { storesIn } from "./support/board-on-chosen-store.ts";
import { orInstead, readAsked, refused, requireNames, type Usage } from "./support/command-line.ts";
import { summary } from "./support/summary-table.ts";
import { teamBench } from "./team.ts";
import { tlogBench } from "./tlog.ts";
import { wakeBench } from "./wake.ts";
import { writerBench } from "./writer.ts";

interface Options {
  readonly messages?: string | undefined;
  readonly store?: string | undefined;
  readonly kind?: string | undefined;
  readonly tasks?: string | undefined;
  readonly workers?: string | undefined;
  readonly clients?: string | undefined;
  readonly strfry?: string | undefined;
  readonly beside?: string | undefined;
}

const BENCHES: Readonly<Record<string, (options: Options) => Promise<readonly Figure[]>>> = {
  post: postBench,
  writer: writerBench,
  stream: streamBench,
  read: readBench,
  pages: pagesBench,
  team: teamBench,
  brief: briefBench,
  acks: acksBench,
  wake: wakeBench,
  keys: keysBench,
  tlog: tlogBench,
  peers: peersBench,
};
const HISTORY = fileURLToPath(new URL("./history.jsonl", import.meta.url));

const USAGE = {
  command: "npm run bench",
  what: "bench",
  flags: {
    messages: { takes: "100000,1000000", words: "how many messages the boards of read and pages hold" },
    store: { takes: "sqlite,postgres,postgres-2", words: "where the boards of post, writer, brief, acks, keys and tlog keep themselves" },
    kind: { takes: "task", words: "of which kind the posts of post are: note, or task, whose answers name similar work" },
    tasks: { takes: "200", words: "how many tasks the queue of team has" },
    workers: { takes: "3,12", words: "how many workers the teams have" },
    clients: { takes: "typescript,python,mcp", words: "by which clients the workers of team speak to the board" },
    beside: { takes: "DIR", words: "another checkout of the board, with its dependencies, whose pages pages measures beside these" },
    strfry: { takes: "PATH", words: "a strfry program that peers measures beside the board" },
    record: { words: "add this run to bench/history.jsonl" },
  },
  docs: "docs/performance.md",
} as const satisfies Usage<string>;

const {
  names: asked,
  values,
  switches,
} = orInstead(() => {
  const read = readAsked(USAGE, process.argv.slice(2));
  requireNames(USAGE, read, Object.keys(BENCHES));
  const { store, messages, kind } = read.values;
  try {
    if (store !== undefined) storesIn(store);
    if (messages !== undefined) sizesIn(messages);
    if (kind !== undefined) postKindIn(kind);
  } catch (error) {
    throw refused((error as Error).message, USAGE);
  }
  return read;
});

undoOnSignals(() => console.log("\nBroken off."));
const history = new History(HISTORY);
const done: { readonly run: Run; readonly figures: readonly Figure[] }[] = [];
const failed: string[] = [];
for (const [name, bench] of Object.entries(BENCHES).filter(([name]) => asked.length === 0 || asked.includes(name))) {
  console.log(`\n== ${name}`);
  try {
    const figures = await bench(values);
    done.push({ run: runOf(name, figures, new Date()), figures });
  } catch (error) {
    // One bench failed; the figures of the others are still shown.
    console.error(error);
    failed.push(name);
  }
}
for (const { run, figures } of done) {
  console.log(`\n${run.bench} at ${run.commit || "no commit"} on ${run.machine}, Node ${run.node}`);
  console.log(summary(run, figures, history));
}
if (switches.has("record")) for (const { run } of done) history.record(run);
else console.log("\nNot recorded; --record adds this run to bench/history.jsonl.");
if (failed.length > 0) console.error(`Not measured, see above: ${failed.join(", ")}.`);
// Exits at once: otherwise the package that runs PostgreSQL would soon exit with code 0.
process.exit(failed.length > 0 ? 1 : 0);
