// Measures this board and a strfry in turn on the same machine, with posts of the same size: posts per second, their cost, and reading them
// back.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { BoardContender } from "./support/board-contender.ts";
import { type Contender, type Manner, QUESTIONS, type Question } from "./support/contender.ts";
import { type Figure, othersFigure, whole } from "./support/figure.ts";
import { GeneratorProcess } from "./support/spawn-load-generator.ts";
import type { Measured } from "./support/load.ts";
import { familyMs, machineTime, othersShare, threadMs } from "./support/cpu-time.ts";
import { Scratch } from "./support/scratch.ts";
import { StrfryContender } from "./support/strfry-contender.ts";

const ROUNDS = 3;
const SECONDS = 4;
const READ_SECONDS = 2;
const READ_CONNECTIONS = 16;
/** More posts than any round can use. */
const POSTS_PER_SECOND = 8000;
/** How long the compilers need to warm up. */
const WARM_UP_SECONDS = 10;
/** Each server has at least this many messages when it is read, and all have the same number. */
const LEAST_MESSAGES = 20_000;
/** The time limit for filling up; it ends when all messages are there. */
const LONG_S = 3600;

const POSTING: readonly { readonly what: string; readonly manner: Manner; readonly connections: number }[] = [
  { what: "posts, 64 connections", manner: "alone", connections: 64 },
  { what: "posts, 8 connections of 16 together", manner: "bundled", connections: 8 },
];

interface Round extends Measured {
  readonly cpuUs: number;
  readonly generatorUs: number;
  readonly byThread: string;
}

/** The rounds of one measurement, for each contender in order. */
interface Compared {
  readonly what: string;
  readonly rounds: readonly (readonly Round[])[];
}

export async function peersBench({ strfry }: { strfry?: string | undefined } = {}): Promise<readonly Figure[]> {
  const binary = strfry === undefined ? undefined : resolve(strfry);
  if (binary !== undefined && !existsSync(binary))
    throw new Error(`--strfry takes the path of a strfry program; there is none at ${binary}.`);
  await using open = new AsyncDisposableStack();
  const scratch = open.use(new Scratch());
  const generator = open.use(new GeneratorProcess());
  const contenders: Contender[] = [open.use(await BoardContender.start(scratch.path, generator))];
  if (binary === undefined) console.log("This board alone: --strfry PATH measures a strfry beside it.");
  else contenders.push(open.use(await StrfryContender.start(binary, scratch.path, generator)));
  for (const { name, postBytes } of contenders) console.log(`${name}: ${whole(postBytes)} bytes for a post`);

  const pids = (): readonly (number | undefined)[] => [process.pid, ...contenders.map(({ pid }) => pid), generator.pid];
  const before = machineTime(pids());
  const results: Compared[] = [];
  for (const contender of contenders) {
    await contender.prepare(WARM_UP_SECONDS * POSTS_PER_SECOND, "alone");
    await contender.post("alone", 64, WARM_UP_SECONDS);
  }
  for (const { what, manner, connections } of POSTING) {
    const once = async (contender: Contender): Promise<Round> => {
      await contender.prepare(SECONDS * POSTS_PER_SECOND, manner);
      return timed(contender, generator, () => contender.post(manner, connections, SECONDS));
    };
    results.push(await inTurn(what, contenders, once));
  }
  await fillUp(contenders);
  const asked = new Map<Contender, Awaited<ReturnType<Contender["questions"]>>>();
  for (const contender of contenders) asked.set(contender, await contender.questions());
  for (const question of QUESTIONS) results.push(await readInTurn(question, contenders, asked, generator));
  const others = othersShare(before, machineTime(pids()));
  table(results, contenders);
  return [...results.flatMap((one) => figuresOf(one, contenders)), ...othersFigure("other processes", others)];
}

async function readInTurn(
  question: Question,
  contenders: readonly Contender[],
  asked: ReadonlyMap<Contender, Awaited<ReturnType<Contender["questions"]>>>,
  generator: GeneratorProcess,
): Promise<Compared> {
  const ask = (contender: Contender, seconds: number): Promise<Measured> => asked.get(contender)![question](READ_CONNECTIONS, seconds);
  for (const contender of contenders) await ask(contender, READ_SECONDS);
  return inTurn(`${question}, ${READ_CONNECTIONS} connections`, contenders, (contender) =>
    timed(contender, generator, () => ask(contender, READ_SECONDS)),
  );
}

/** Measures the contenders one after the other in each round, so that other load on the machine affects all of them. */
async function inTurn(what: string, contenders: readonly Contender[], once: (contender: Contender) => Promise<Round>): Promise<Compared> {
  console.log(what);
  const rounds: Round[][] = [];
  for (let n = 1; n <= ROUNDS; n++) {
    const round: Round[] = [];
    for (const contender of contenders) round.push(await once(contender));
    rounds.push(round);
    const ratios = round.slice(1).map((peer, i) => `; ${ratio(round[0]!, peer)} x ${contenders[i + 1]!.name}`);
    console.log(`  round ${n}: ${round.map((one, i) => `${contenders[i]!.name} ${roundText(one)}`).join("; ")}${ratios.join("")}`);
  }
  for (const [i, { name }] of contenders.entries()) console.log(`  CPU us each, ${name}: ${rounds.at(-1)![i]!.byThread}`);
  return { what, rounds };
}

const ratio = (ours: Round, theirs: Round): string => (ours.perSecond / theirs.perSecond).toFixed(2);

const roundText = ({ perSecond, p50, p99, cpuUs, generatorUs }: Round): string =>
  `${whole(perSecond)}/s (p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, CPU ${whole(cpuUs)} us, generator ${whole(generatorUs)} us)`;

async function timed({ pid }: Contender, generator: GeneratorProcess, work: () => Promise<Measured>): Promise<Round> {
  const [threads, spent, own] = [threadMs(pid), familyMs(pid), familyMs(generator.pid)];
  const measured = await work();
  const each = (ms: number): number => (ms * 1000) / measured.answers;
  const [cpuUs, generatorUs] = [each(familyMs(pid) - spent), each(familyMs(generator.pid) - own)];
  const byThread = [...threadMs(pid)]
    .map(([thread, ms]) => ({ thread, us: each(ms - (threads.get(thread) ?? 0)) }))
    .filter(({ us }) => us >= 1)
    .map(({ thread, us }) => `${thread} ${whole(us)}`);
  return { ...measured, cpuUs, generatorUs, byThread: byThread.join(", ") };
}

/** The server that accepted fewer posts in the same time gets the rest now, so that both have the same number. */
async function fillUp(contenders: readonly Contender[]): Promise<void> {
  const target = Math.max(LEAST_MESSAGES, ...contenders.map(({ posted }) => posted));
  for (const contender of contenders) {
    const missing = target - contender.posted;
    if (missing === 0) continue;
    await contender.prepare(missing, "alone");
    await contender.post("alone", 64, LONG_S, missing);
  }
  console.log(`each holds ${whole(target)} messages now`);
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const middleOf = ({ rounds }: Compared, contender: number, of: (round: Round) => number): number =>
  middle(rounds.map((round) => of(round[contender]!)));

function table(results: readonly Compared[], contenders: readonly Contender[]): void {
  console.log(`\nthe middle of ${ROUNDS} rounds`);
  const columns = (result: Compared) =>
    contenders.flatMap(({ name }, i) => [
      [`${name} /s`, whole(middleOf(result, i, ({ perSecond }) => perSecond))],
      [`${name} CPU us`, whole(middleOf(result, i, ({ cpuUs }) => cpuUs))],
      [`generator us (${name})`, whole(middleOf(result, i, ({ generatorUs }) => generatorUs))],
    ]);
  const ratios = ({ rounds }: Compared) =>
    contenders.slice(1).map(({ name }, i) => [`x ${name}, each round`, rounds.map((round) => ratio(round[0]!, round[i + 1]!)).join(" ")]);
  console.table(Object.fromEntries(results.map((result) => [result.what, Object.fromEntries([...columns(result), ...ratios(result)])])));
}

/** Figures of the board; the other server's figure is shown as the ceiling. */
function figuresOf(result: Compared, contenders: readonly Contender[]): readonly Figure[] {
  const beside = (of: (round: Round) => number) => {
    const [, peer] = contenders;
    return peer === undefined ? {} : { ceiling: { name: peer.name, value: middleOf(result, 1, of) } };
  };
  const figure = (name: string, unit: string, better: "more" | "less", of: (round: Round) => number): Figure => ({
    name,
    value: middleOf(result, 0, of),
    unit,
    better,
    ...beside(of),
  });
  return [
    figure(result.what, "/s", "more", ({ perSecond }) => perSecond),
    figure(`${result.what}: p99`, "ms", "less", ({ p99 }) => p99),
    figure(`${result.what}: CPU`, "us", "less", ({ cpuUs }) => cpuUs),
    { name: `${result.what}: generator`, value: middleOf(result, 0, ({ generatorUs }) => generatorUs), unit: "us" },
  ];
}
