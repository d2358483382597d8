// How many signed posts per second the board acknowledges, beside what the machine could do at most in the same run.
import { BoardProcess } from "./support/board-process.ts";
import { durableRows, signatureChecks, smallAnswers, syncs } from "./support/ceilings.ts";
import { GeneratorProcess } from "./support/generator-process.ts";
import { machineTime, othersShare } from "./support/machine.ts";
import { Scratch } from "./support/scratch.ts";

const WARM_UP = { connections: 64, seconds: 3 };
const RUNS = [1, 16, 64];
const SECONDS = 4;
/** More than any run can use up. */
const POSTS_PER_SECOND = 8000;

const n = (value: number): string => Math.round(value).toLocaleString("en");

export async function postBench(): Promise<void> {
  using scratch = new Scratch();
  using generator = new GeneratorProcess();
  await using board = await BoardProcess.start(`${scratch.path}/data`);

  await generator.make(WARM_UP.seconds * POSTS_PER_SECOND);
  await generator.post(board.port, WARM_UP.connections, WARM_UP.seconds);
  const rates = new Map<number, number>();
  for (const connections of RUNS) {
    await generator.make(SECONDS * (connections === 1 ? 2000 : POSTS_PER_SECOND));
    rates.set(connections, await measure(board, generator, connections));
  }

  const checks = signatureChecks();
  const sync = syncs(scratch.path);
  const single = durableRows(scratch.path, 1);
  const batched = durableRows(scratch.path, 64);
  const answers = await smallAnswers(generator);
  console.log("ceilings of this machine, each alone, one core");
  console.log(
    `  Ed25519 checks/s       OpenSSL ${n(checks.openssl)}, libsodium ${checks.sodium === undefined ? "absent" : n(checks.sodium)}`,
  );
  console.log(`  fsyncs/s               ${n(sync)}`);
  console.log(`  durable rows/s         ${n(single)} one a commit, ${n(batched)} in batches of 64`);
  console.log(`  node:http answers/s    ${n(answers)}`);

  const one = rates.get(1) ?? Number.NaN;
  const many = rates.get(64) ?? Number.NaN;
  const ratio = (a: number, b: number): string => (a / b).toFixed(2);
  console.log("ratios");
  console.log(`  1 connection           ${ratio(one, sync)} of the fsyncs, ${ratio(one, single)} of the one-row commits`);
  console.log(
    `  64 connections         ${ratio(many, checks.sodium ?? checks.openssl)} of one core's signature checks, ${ratio(many, batched)} of the batched rows`,
  );
  console.log(`  64 connections         ${ratio(many, answers)} of bare node:http answers, ${ratio(many, one)} of 1 connection`);
}

async function measure(board: BoardProcess, generator: GeneratorProcess, connections: number): Promise<number> {
  const pids = [board.pid, generator.pid];
  const machineBefore = machineTime(pids);
  const [before, cpuBefore] = [await board.commits(), board.threadMs()];
  const { perSecond, p50, p99, answers, statuses } = await generator.post(board.port, connections, SECONDS);
  const [after, cpuAfter] = [await board.commits(), board.threadMs()];
  const others = othersShare(machineBefore, machineTime(pids));
  const created = statuses["201"] ?? 0;
  if (created !== answers) throw new Error(`Not every post was created: ${JSON.stringify(statuses)}`);
  const commitsPerPost = (after.transactions - before.transactions) / created;
  console.log(
    `${String(connections).padStart(3)} connections: ${n(perSecond)} posts/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${commitsPerPost.toFixed(3)} commits a post`,
  );
  const spent = [...cpuAfter]
    .map(([thread, ms]) => ({ thread, us: ((ms - (cpuBefore.get(thread) ?? 0)) * 1000) / created }))
    .filter(({ us }) => us >= 1)
    .map(({ thread, us }) => `${thread} ${us.toFixed(0)}`);
  if (spent.length > 0) console.log(`      CPU us a post by thread: ${spent.join(", ")}`);
  if (others !== undefined) console.log(`      other processes took ${(others * 100).toFixed(0)} % of the machine meanwhile`);
  return perSecond;
}
