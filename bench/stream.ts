// Measures how many readers of the live stream a board serves: deliveries per second, time from acknowledgement to receipt, memory per
// reader.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { postgresServer } from "../test/support/postgres/server.ts";
import { BoardProcess } from "./support/board-process.ts";
import type { Audience } from "./support/stream-readers-and-poster-child.ts";
import { CrowdProcess } from "./support/spawn-stream-readers.ts";
import { type Figure, othersFigure, whole as n } from "./support/figure.ts";
import { machineTime, othersShare } from "./support/cpu-time.ts";
import { MeasuredBoard } from "./support/board-on-chosen-store.ts";
import { Scratch } from "./support/scratch.ts";

/** BENCH_READERS=1000 measures another size; BENCH_READERS=0 measures the last row only. */
const CROWDS = (process.env["BENCH_READERS"] ?? "1000,5000,10000").split(",").map(Number);
const SECONDS = 4;
const CONNECTIONS = 64;
/** Frames that the bare server writes in one write, to compare with one frame per write. */
const FRAMES_PER_WRITE = 32;
/** About the length of the frame of one post. */
const FRAME_BYTES = 1750;
const QUIET_MS = 3000;
const ACROSS = { readers: 10, warmUp: 50, paced: { posts: 300, pauseMs: 10 } };
const PACED = { posts: 60, pauseMs: 20 };

export async function streamBench(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const readers of CROWDS.filter((count) => count > 0)) {
    if (openFiles() < readers + 500) {
      console.log(`${n(readers)} readers: left out, since a process may open only ${openFiles()} files here (ulimit -Hn).`);
      continue;
    }
    figures.push(...(await crowd(readers, "everything")));
  }
  const filtered = CROWDS.includes(0) ? [] : (["tag", "author", "distinct"] as const);
  for (const audience of filtered) figures.push(...(await crowd(1000, audience)));
  return [...figures, ...(await acrossNodes())];
}

/** Posts on one node and reads on another: the notification goes through PostgreSQL. */
async function acrossNodes(): Promise<readonly Figure[]> {
  await using open = new AsyncDisposableStack();
  const scratch = open.use(new Scratch());
  const server = await postgresServer({ durable: true, parent: scratch.parent });
  open.defer(() => server.remove());
  const board = open.use(await MeasuredBoard.start({ name: "postgres-2", nodes: 2 }, scratch.path, server));
  const [posting = 0, reading = 0] = board.ports;
  using readers = new CrowdProcess();
  await readers.order({ open: { port: reading, readers: ACROSS.readers, audience: "everything" } });
  await readers.order({ paced: { ...ACROSS.paced, posts: ACROSS.warmUp }, port: posting });
  const pids = [...board.pids, readers.pid];
  const before = machineTime(pids);
  const { p50, p99, deliveries } = await readers.order({ paced: ACROSS.paced, port: posting });
  const others = othersShare(before, machineTime(pids));
  await readers.order({ close: true });
  console.log(`${ACROSS.readers} readers of one node, posts to another`);
  console.log(
    `  one post at a time     ${p50.toFixed(1)} ms p50, ${p99.toFixed(1)} ms p99 from acknowledgement to receipt, of ${n(deliveries)} deliveries`,
  );
  if (others !== undefined) console.log(`  other processes took   ${(others * 100).toFixed(0)} % of the machine meanwhile`);
  const of = (what: string): string => `from node to node: ${what}`;
  return [
    { name: of("p50 from acknowledgement"), value: p50, unit: "ms", better: "less" },
    { name: of("p99 from acknowledgement"), value: p99, unit: "ms", better: "less" },
    ...othersFigure(of("other processes"), others),
  ];
}

const AUDIENCES: Readonly<Record<Audience, string>> = {
  everything: "all with no filter",
  tag: "each with a tag of its own",
  author: "each with an author of its own",
  distinct: "each with a filter of its own that everything passes",
};

async function crowd(count: number, audience: Audience): Promise<readonly Figure[]> {
  using scratch = new Scratch();
  using readers = new CrowdProcess();
  await using board = await BoardProcess.start(`${scratch.path}/data`);
  const all = audience === "everything" || audience === "distinct";
  console.log(`${n(count)} readers, ${AUDIENCES[audience]}`);

  const alone = await readers.order({ flatOut: { connections: CONNECTIONS, seconds: 2 }, port: board.port });
  // Warms up first, so that memory that the board needs anyway is not counted as the readers'.
  await readers.order({ open: { port: board.port, readers: 100, audience } });
  await readers.order({ flatOut: { connections: CONNECTIONS, seconds: 1 }, port: board.port });
  await pause(QUIET_MS);
  const before = residentKb(board.pid);
  await readers.order({ open: { port: board.port, readers: count - 100, audience } });
  await pause(QUIET_MS);
  const after = residentKb(board.pid);
  console.log(`  idle                   ${((after - before) / (count - 100)).toFixed(1)} KB of memory per reader`);

  const pids = [board.pid, readers.pid];
  const machineBefore = machineTime(pids);
  const paced = await readers.order({ paced: all ? PACED : { posts: 400, pauseMs: 2 } });
  const [fast, slow] = [paced.p50.toFixed(1), paced.p99.toFixed(1)];
  console.log(
    `  one post at a time     ${fast} ms p50, ${slow} ms p99 from acknowledgement to receipt, of ${n(paced.deliveries)} deliveries`,
  );
  const flat = await readers.order({ flatOut: { connections: CONNECTIONS, seconds: SECONDS }, port: board.port });
  const rate = flat.deliveries / flat.seconds;
  const [held, free] = [flat.posts / flat.seconds, alone.posts / alone.seconds];
  console.log(`  flat out               ${n(rate)} deliveries/s at ${n(held)} posts/s (${n(free)} posts/s while nobody read)`);
  const others = othersShare(machineBefore, machineTime(pids));
  if (others !== undefined) console.log(`  other processes took   ${(others * 100).toFixed(0)} % of the machine meanwhile`);
  await readers.order({ close: true });
  const of = (what: string): string => `${n(count)} readers, ${AUDIENCES[audience]}: ${what}`;
  const deliveries: Figure = { name: of("deliveries"), value: rate, unit: "/s", better: "more" };
  const late: Figure = { name: of("p99 from acknowledgement"), value: paced.p99, unit: "ms", better: "less" };
  const rest: Figure[] = [
    { name: of("memory of an idle reader"), value: (after - before) / (count - 100), unit: "KB", better: "less" },
    { name: of("posts meanwhile"), value: held, unit: "/s", better: "more", ceiling: { name: "posts with nobody reading", value: free } },
    ...othersFigure(of("other processes"), others),
  ];
  if (audience !== "everything") return [deliveries, late, ...rest];
  let ceilings: { readonly rate: number; readonly p99: number } | undefined;
  for (const frames of [1, FRAMES_PER_WRITE]) {
    const bare = await bareBroadcast(count, frames);
    const words = frames === 1 ? "one frame a write" : `${frames} frames a write`;
    console.log(
      `  bare sockets           ${n(bare.rate)} deliveries/s with ${words}: the board reaches ${(rate / bare.rate).toFixed(2)} of it`,
    );
    ceilings ??= bare;
    if (frames === 1)
      console.log(`  bare sockets           ${bare.p50.toFixed(1)} ms p50, ${bare.p99.toFixed(1)} ms p99 from acknowledgement to receipt`);
  }
  const bare = (value: number | undefined) => (value === undefined ? {} : { ceiling: { name: "bare sockets", value } });
  return [{ ...deliveries, ...bare(ceilings?.rate) }, { ...late, ...bare(ceilings?.p99) }, ...rest];
}

/** Sends the same number of bytes to the same number of sockets from a server that does nothing else. */
async function bareBroadcast(count: number, framesAWrite: number): Promise<{ rate: number; p50: number; p99: number }> {
  using readers = new CrowdProcess();
  const server = fork(new URL("./support/bare-broadcast.ts", import.meta.url), [String(FRAME_BYTES), String(framesAWrite)]);
  const [port] = (await once(server, "message")) as [number];
  await readers.order({ open: { port, readers: count, audience: "everything" } });
  const { p50, p99 } = await readers.order({ paced: PACED });
  server.send("go");
  await readers.order({ listen: { seconds: 1 } });
  const { deliveries, seconds } = await readers.order({ listen: { seconds: 2 } });
  await readers.order({ close: true });
  server.kill();
  return { rate: deliveries / seconds, p50, p99 };
}

/** How many files a process may open here. Node.js raises its own limit to this number. */
function openFiles(): number {
  const [, hard = "unlimited"] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return hard === "unlimited" ? Infinity : Number(hard);
}

function residentKb(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
