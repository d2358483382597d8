// Measures what pages for people cost the server: the front page and a message, cached and rendered again, plain and compressed.
import { databasePath, openDatabase } from "../src/adapters/sqlite/open.ts";
import { BoardProcess } from "./support/board-process.ts";
import { type Figure, othersFigure, whole as n } from "./support/figure.ts";
import { filledBoard, sizesIn } from "./support/filled-board-directory.ts";
import { GeneratorProcess } from "./support/spawn-load-generator.ts";
import { machineTime, othersShare, threadMs } from "./support/cpu-time.ts";
import { pagesBeside } from "./support/page-cost-two-checkouts.ts";

const CONNECTIONS = 16;
const SECONDS = 3;
const ROUNDS = 3;
/** More pages than the board caches. */
const MANY = 2000;
const BROWSER = ["accept: text/html"];
const ENCODED = [...BROWSER, "accept-encoding: gzip, deflate, br"];

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Uses a board of the first size that `--messages` names. With `beside`, only compares with another checkout. */
export async function pagesBench({ messages, beside }: { messages?: string | undefined; beside?: string | undefined } = {}): Promise<
  readonly Figure[]
> {
  if (beside !== undefined) return pagesBeside(beside);
  const [size = 0] = sizesIn(messages);
  const { dir } = filledBoard(size);
  await using board = await BoardProcess.start(dir);
  using generator = new GeneratorProcess();
  const ids = idsOf(dir, size);
  const asked: readonly (readonly [what: string, paths: readonly string[], headers: readonly string[]])[] = [
    ["board, cached", ["/"], BROWSER],
    ["board, cached, compressed", ["/"], ENCODED],
    ["board, uncached", Array.from({ length: MANY }, (_, i) => `/?max_refutes=${1_000_000 + i}`), BROWSER],
    ["board, uncached, compressed", Array.from({ length: MANY }, (_, i) => `/?max_refutes=${2_000_000 + i}`), ENCODED],
    ["message, cached", ids.slice(0, 50), BROWSER],
    ["message, cached, compressed", ids.slice(0, 50), ENCODED],
    ["message, uncached", ids, BROWSER],
    ["message, uncached, compressed", ids, ENCODED],
    ["the same as JSON: newest 50", ["/api/messages"], []],
  ];
  const before = machineTime([board.pid, generator.pid]);
  const rows: Record<string, Measured> = {};
  for (const [what, paths, headers] of asked) rows[what] = await measure(what, board, generator, paths, headers);
  const others = othersShare(before, machineTime([board.pid, generator.pid]));
  console.log(`\n${n(size)} messages`);
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([what, { perSecond, p50, p99, cpuUs }]) => [
        what,
        { "per s": n(perSecond), [`p50 ms (${CONNECTIONS})`]: ms(p50), [`p99 ms (${CONNECTIONS})`]: ms(p99), "CPU us": n(cpuUs) },
      ]),
    ),
  );
  console.log(`others took ${((others ?? 0) * 100).toFixed(0)} % of the machine meanwhile`);
  const figures = Object.entries(rows).flatMap(([what, { perSecond, cpuUs }]): Figure[] => [
    { name: `${n(size)} messages, ${what}`, value: perSecond, unit: "/s", better: "more" },
    { name: `${n(size)} messages, ${what}: CPU`, value: cpuUs, unit: "us", better: "less" },
  ]);
  return [...figures, ...othersFigure("other processes", others)];
}

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuUs: number;
}

async function measure(
  what: string,
  board: BoardProcess,
  generator: GeneratorProcess,
  paths: readonly string[],
  headers: readonly string[],
): Promise<Measured> {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = threadMs(board.pid).get("main") ?? Number.NaN;
    const measured = await generator.get([board.port], paths, CONNECTIONS, round === 0 ? 1 : SECONDS, headers);
    if (measured.statuses["200"] !== measured.answers)
      throw new Error(`${what}: not every answer was good: ${JSON.stringify(measured.statuses)}`);
    const cpuUs = (((threadMs(board.pid).get("main") ?? Number.NaN) - before) * 1000) / measured.answers;
    // The first round warms up.
    if (round > 0) rounds.push({ ...measured, cpuUs });
  }
  return {
    perSecond: middle(rounds.map(({ perSecond }) => perSecond)),
    p50: middle(rounds.map(({ p50 }) => p50)),
    p99: middle(rounds.map(({ p99 }) => p99)),
    cpuUs: middle(rounds.map(({ cpuUs }) => cpuUs)),
  };
}

/** Messages from all over the board. */
function idsOf(dir: string, size: number): string[] {
  const db = openDatabase(databasePath(dir), "read");
  const rows = db.prepare("SELECT id FROM messages WHERE seq % ? = 0 ORDER BY id LIMIT ?").all(Math.max(1, Math.floor(size / MANY)), MANY);
  db.close();
  return rows.map(({ id }) => `/m/${String(id)}`);
}
