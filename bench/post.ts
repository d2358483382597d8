// Measures how many signed posts per second a board acknowledges on each store, and how it reads them back, beside the most that the
// machine can do.
import { type PostgresServer, postgresServer } from "../test/support/postgres/server.ts";
import { durableRows, durableRowsIn, signatureChecks, smallAnswers, syncs } from "./support/ceilings.ts";
import { type Figure, othersFigure, whole, written } from "./support/figure.ts";
import { GeneratorProcess } from "./support/spawn-load-generator.ts";
import { machineTime, othersShare } from "./support/cpu-time.ts";
import { MeasuredBoard, storesIn } from "./support/board-on-chosen-store.ts";
import { type PostKind, postKindIn } from "./support/posts.ts";
import { readBack } from "./support/measure-recent-reads.ts";
import { Scratch } from "./support/scratch.ts";

/** How long the compiler needs to warm up: before that, a post costs half as much again. */
const WARM_UP = { connections: 64, seconds: 10 };
const RUNS = [1, 16, 64];
const SECONDS = 4;
const MOMENT_S = 0.3;
/** More posts than any run can use. */
const POSTS_PER_SECOND = 8000;
const ALL_STORES = "sqlite,postgres,postgres-2";

interface Posted {
  readonly board: MeasuredBoard;
  readonly kind: PostKind;
  readonly connections: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly commitsAPost: number;
  readonly cpuUs: number;
  readonly others: number | undefined;
  /**
   * Signatures per second that OpenSSL checks on one core right before and after, because the speed of the machine changes from minute to
   * minute.
   */
  readonly checks: number;
}

interface PostOptions {
  readonly store?: string | undefined;
  readonly kind?: string | undefined;
}

export async function postBench({ store = ALL_STORES, kind: asked = "note" }: PostOptions = {}): Promise<readonly Figure[]> {
  const choices = storesIn(store);
  const kind = postKindIn(asked);
  await using open = new AsyncDisposableStack();
  const scratch = open.use(new Scratch());
  const generator = open.use(new GeneratorProcess());
  // The server syncs what it acknowledges, as the boards on SQLite do.
  const server = choices.some(({ nodes }) => nodes > 0) ? await postgresServer({ durable: true, parent: scratch.parent }) : undefined;
  open.defer(() => server?.remove());
  const boards: MeasuredBoard[] = [];
  for (const choice of choices) boards.push(open.use(await MeasuredBoard.start(choice, scratch.path, server)));

  for (const board of boards) {
    await generator.make(WARM_UP.seconds * 4000, kind);
    await generator.post(board.ports, WARM_UP.connections, WARM_UP.seconds, kind);
  }
  const posted: Posted[] = [];
  // The stores take turns, so that other load on the machine affects all of them.
  for (const connections of RUNS) {
    for (const board of boards) {
      await generator.make(SECONDS * (connections === 1 ? 2000 : POSTS_PER_SECOND), kind);
      posted.push(await measure(board, generator, connections, kind));
    }
  }
  const read = await readBack(boards, generator);
  const ceilings = await ceilingsOf(scratch.path, generator, server);
  return [...posted.flatMap((one) => figuresOf(one, ceilings)), ...read, ...ceilings];
}

async function measure(board: MeasuredBoard, generator: GeneratorProcess, connections: number, kind: PostKind): Promise<Posted> {
  const pids = [...board.pids, generator.pid];
  const checksBefore = signatureChecks(MOMENT_S).openssl;
  const machineBefore = machineTime(pids);
  const [before, cpuBefore] = [await board.commits(), board.cpuMs()];
  const { perSecond, p50, p99, answers, statuses } = await generator.post(board.ports, connections, SECONDS, kind);
  const [after, cpuAfter] = [await board.commits(), board.cpuMs()];
  const others = othersShare(machineBefore, machineTime(pids));
  const checks = (checksBefore + signatureChecks(MOMENT_S).openssl) / 2;
  const created = statuses["201"] ?? 0;
  if (created !== answers) throw new Error(`Not every post was created: ${JSON.stringify(statuses)}`);
  const commitsAPost = (after.transactions - before.transactions) / created;
  console.log(
    `${board.name}, ${connections} connections: ${whole(perSecond)} ${kind}s/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${commitsAPost.toFixed(3)} commits a post`,
  );
  const spent = [...cpuAfter]
    .map(([thread, ms]) => ({ thread, us: ((ms - (cpuBefore.get(thread) ?? 0)) * 1000) / created }))
    .filter(({ us }) => us >= 1);
  if (spent.length > 0) console.log(`      CPU us a post: ${spent.map(({ thread, us }) => `${thread} ${us.toFixed(0)}`).join(", ")}`);
  if (others !== undefined) console.log(`      other processes took ${(others * 100).toFixed(0)} % of the machine meanwhile`);
  const cpuUs = spent.reduce((sum, { us }) => sum + us, 0);
  return { board, kind, connections, perSecond, p50, p99, commitsAPost, cpuUs, others, checks };
}

function figuresOf(posted: Posted, ceilings: readonly Figure[]): readonly Figure[] {
  const { board, kind, connections, perSecond, p50, p99, commitsAPost, cpuUs, others, checks } = posted;
  const posts = kind === "note" ? "" : `${kind}s, `;
  const of = (what: string): string => `${board.name}, ${posts}${connections} connection${connections === 1 ? "" : "s"}: ${what}`;
  // A single connection waits for the disk; many connections wait for processors.
  const beside = { name: "OpenSSL's checks on one core, beside it", value: checks };
  const ceiling = connections > 1 ? beside : ceilings.find(({ name }) => name === "fsyncs");
  return [
    { name: of("posts"), value: perSecond, unit: "/s", better: "more", ...(ceiling === undefined ? {} : { ceiling }) },
    { name: of("p50"), value: p50, unit: "ms", better: "less" },
    { name: of("p99"), value: p99, unit: "ms", better: "less" },
    { name: of("commits a post"), value: commitsAPost, unit: "" },
    { name: of("CPU a post"), value: cpuUs, unit: "us", better: "less" },
    ...othersFigure(of("other processes"), others),
  ];
}

/** Each ceiling is measured alone, on one core. */
async function ceilingsOf(dir: string, generator: GeneratorProcess, server: PostgresServer | undefined): Promise<readonly Figure[]> {
  const { openssl, sodium } = signatureChecks();
  const figures: Figure[] = [
    { name: "signature checks of one core", value: sodium ?? openssl, unit: "/s" },
    { name: "fsyncs", value: syncs(dir), unit: "/s" },
    { name: "one-row commits in SQLite", value: durableRows(dir, 1), unit: "/s" },
    { name: "rows in SQLite, 64 a commit", value: durableRows(dir, 64), unit: "/s" },
    { name: "bare node:http answers", value: await smallAnswers(generator), unit: "/s" },
  ];
  if (server !== undefined)
    for (const batch of [1, 64])
      figures.push({
        name: batch === 1 ? "one-row commits in PostgreSQL" : `rows in PostgreSQL, ${batch} a commit`,
        value: await durableRowsIn(server.databaseUrl("postgres"), batch),
        unit: "/s",
      });
  console.log(`ceilings of this machine, each alone: ${figures.map((one) => `${one.name} ${written(one)}`).join("; ")}`);
  return figures;
}
