// Measures how many reads per second the board answers and how long each takes, beside a bare server that sends the same bytes.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { databasePath, openDatabase } from "../src/adapters/sqlite/open.ts";
import { BoardProcess } from "./support/board-process.ts";
import { type Figure, othersFigure, whole as n } from "./support/figure.ts";
import { type FilledBoard, filledBoard, sizesIn } from "./support/filled-board-directory.ts";
import { GeneratorProcess } from "./support/spawn-load-generator.ts";
import type { Measured } from "./support/load.ts";
import { machineTime, othersShare, threadMs } from "./support/cpu-time.ts";
import { type Questions, questionsOf } from "./support/read-questions.ts";
import { SameBytesProcess } from "./support/spawn-fixed-response-server.ts";
import { untilIdle } from "./support/until-idle.ts";

const CONNECTIONS = 16;
const SECONDS = 2;
const ALONE_SECONDS = 1.5;
const ROUNDS = 3;
/** Questions that are also measured on a bare server that sends the same answer. */
const COMPARED = new Set(["by id", "newest 50, no bodies", "newest 50"]);

interface Measure {
  readonly perSecond: number;
  readonly p99: number;
  readonly aloneP50: number;
  readonly aloneP99: number;
  /** CPU time of the thread that answers. */
  readonly cpuUs: number;
  /** Rate as a share of the bare server's. */
  readonly ofBare: number | undefined;
  /** The bare server's CPU time for the same answer as a share of ours. Other processes affect this figure least. */
  readonly ofBareCpu: number | undefined;
}

interface Answered extends Measured {
  readonly cpuUs: number;
}

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

/** 100,000 messages, or the sizes that `--messages 100000,1000000` names. */
export async function readBench({ messages }: { messages?: string | undefined } = {}): Promise<readonly Figure[]> {
  const sizes = sizesIn(messages);
  const all: MeasuredSize[] = [];
  for (const size of sizes) all.push(await measureBoard(size));
  const figures = all.flatMap((one) => one.figures);
  const [small, large] = all.map(({ measures }) => measures);
  if (small === undefined || large === undefined) return figures;
  console.log(`\ntime at ${n(sizes[1] ?? 0)} as a multiple of ${n(sizes[0] ?? 0)}`);
  console.table(
    Object.fromEntries(
      [...small].map(([what, { perSecond, aloneP50, cpuUs }]) => {
        const other = large.get(what);
        return [
          what,
          {
            loaded: (perSecond / (other?.perSecond ?? 0)).toFixed(2),
            alone: ((other?.aloneP50 ?? 0) / aloneP50).toFixed(2),
            CPU: ((other?.cpuUs ?? 0) / cpuUs).toFixed(2),
          },
        ];
      }),
    ),
  );
  return figures;
}

interface MeasuredSize {
  readonly measures: ReadonlyMap<string, Measure>;
  readonly figures: readonly Figure[];
}

async function measureBoard(size: number): Promise<MeasuredSize> {
  console.log(`\n${n(size)} messages`);
  const filled = filledBoard(size);
  console.log(`filled in ${n(filled.seconds)} s (${n(size / filled.seconds)} a second), kept in ${filled.dir}`);
  await buildIndex(filled);
  const started = performance.now();
  await using board = await BoardProcess.start(filled.dir);
  const ready = performance.now() - started;
  console.log(`ready after ${n(ready)} ms`);
  await searchable(board);
  console.log(`first search answered after ${n(performance.now() - started)} ms`);
  await untilIdle(board.pid);
  const timesPayload = disk(filled, size);

  using generator = new GeneratorProcess();
  using bare = await SameBytesProcess.start();
  const questions = questionsOf(filled.dir, size);
  const results = new Map<string, Measure>();
  const before = machineTime([board.pid, generator.pid]);
  for (const [what, paths] of Object.entries(questions)) results.set(what, await measure(what, paths, board, generator, bare));
  const others = othersShare(before, machineTime([board.pid, generator.pid]));
  console.table(
    Object.fromEntries(
      [...results].map(([what, { perSecond, p99, aloneP50, aloneP99, cpuUs, ofBare, ofBareCpu }]) => [
        what,
        {
          "per s": n(perSecond),
          [`p99 ms (${CONNECTIONS})`]: ms(p99),
          "p50 ms (1)": ms(aloneP50),
          "p99 ms (1)": ms(aloneP99),
          "CPU us": n(cpuUs),
          "of bare": ofBare?.toFixed(2) ?? "",
          "of bare, by CPU": ofBareCpu?.toFixed(2) ?? "",
        },
      ]),
    ),
  );
  const { own, files } = board.residentBytes();
  console.log(`memory ${n(own / 1024 ** 2)} MiB, and ${n(files / 1024 ** 2)} MiB of mapped files`);
  console.log(`others took ${((others ?? 0) * 100).toFixed(0)} % of the machine meanwhile`);
  const of = (what: string): string => `${n(size)} messages, ${what}`;
  const figures: Figure[] = [...results].flatMap(([what, { perSecond, aloneP99, cpuUs, ofBare }]) => [
    {
      name: of(what),
      value: perSecond,
      unit: "/s",
      better: "more",
      ...(ofBare === undefined ? {} : { ceiling: { name: "a bare server", value: perSecond / ofBare } }),
    },
    { name: of(`${what}: p99 alone`), value: aloneP99, unit: "ms", better: "less" },
    { name: of(`${what}: CPU`), value: cpuUs, unit: "us", better: "less" },
  ]);
  figures.push({ name: of("ready after"), value: ready, unit: "ms", better: "less" });
  figures.push({ name: of("disk as a multiple of the payload"), value: timesPayload, unit: "x", better: "less" });
  figures.push({ name: of("memory"), value: own / 1024 ** 2, unit: "MiB", better: "less" });
  return { measures: results, figures: [...figures, ...othersFigure(of("other processes"), others)] };
}

/** Measures the board and the bare server in turn, so that other load on the machine affects both. */
async function measure(
  what: string,
  paths: Questions[string],
  board: BoardProcess,
  generator: GeneratorProcess,
  bare: SameBytesProcess,
): Promise<Measure> {
  const url = `http://127.0.0.1:${board.port}${paths[0]}`;
  const barePort = COMPARED.has(what) ? await bare.copy(url) : undefined;
  const get = async (port: number, pid: number | undefined, connections: number, seconds: number) => {
    const before = threadMs(pid).get("main") ?? Number.NaN;
    const measured = await generator.get([port], paths, connections, seconds);
    if (measured.statuses["200"] !== measured.answers)
      throw new Error(`${what}: not every answer was good: ${JSON.stringify(measured.statuses)}`);
    return { ...measured, cpuUs: (((threadMs(pid).get("main") ?? Number.NaN) - before) * 1000) / measured.answers };
  };
  await get(board.port, board.pid, CONNECTIONS, SECONDS / 2);
  const rounds: { readonly loaded: Answered; readonly ceiling: Answered | undefined; readonly alone: Answered }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const loaded = await get(board.port, board.pid, CONNECTIONS, SECONDS);
    const ceiling = barePort === undefined ? undefined : await get(barePort, bare.pid, CONNECTIONS, SECONDS);
    rounds.push({ loaded, ceiling, alone: await get(board.port, board.pid, 1, ALONE_SECONDS) });
  }
  const ratio = (of: (loaded: Answered, ceiling: Answered) => number): number | undefined => {
    const ratios = rounds.flatMap(({ loaded, ceiling }) => (ceiling === undefined ? [] : [of(loaded, ceiling)]));
    return ratios.length === 0 ? undefined : middle(ratios);
  };
  return {
    perSecond: middle(rounds.map(({ loaded }) => loaded.perSecond)),
    p99: middle(rounds.map(({ loaded }) => loaded.p99)),
    aloneP50: middle(rounds.map(({ alone }) => alone.p50)),
    aloneP99: middle(rounds.map(({ alone }) => alone.p99)),
    cpuUs: middle(rounds.map(({ loaded }) => loaded.cpuUs)),
    ofBare: ratio((loaded, ceiling) => loaded.perSecond / ceiling.perSecond),
    ofBareCpu: ratio((loaded, ceiling) => ceiling.cpuUs / loaded.cpuUs),
  };
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The first start on a filled board builds its index in the background. */
async function buildIndex({ dir }: FilledBoard): Promise<void> {
  const started = performance.now();
  await using board = await BoardProcess.start(dir);
  await searchable(board);
  const built = performance.now();
  await untilIdle(board.pid);
  console.log(`index caught up after ${n((built - started) / 1000)} s, at rest after ${n((performance.now() - started) / 1000)} s`);
}

async function searchable(board: BoardProcess): Promise<void> {
  while ((await fetch(`http://127.0.0.1:${board.port}/api/messages?q=anything&limit=1`)).status !== 200) await setTimeout(200);
}

/** The size of database and index together, as a multiple of the payloads. */
function disk({ dir }: FilledBoard, size: number): number {
  const db = openDatabase(databasePath(dir), "read");
  const payload = Number(db.prepare("SELECT sum(octet_length(payload)) AS bytes FROM contents").get()?.["bytes"]);
  db.close();
  const database = bytesOf(dir, (name) => name.startsWith("board.db"));
  const index = bytesOf(join(dir, "index"), () => true);
  console.log(
    `bytes a message: payload ${n(payload / size)}, database ${n(database / size)}, index ${n(index / size)}; ${((database + index) / payload).toFixed(2)} x the payload`,
  );
  return (database + index) / payload;
}

const bytesOf = (dir: string, wanted: (name: string) => boolean): number =>
  readdirSync(dir)
    .filter(wanted)
    .reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
