// Teams of workers behind one address, at a board with the usual limits: whether all work is done exactly once, and what it costs.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect, listMessages, makeKey, type Message, postMany, task } from "../src/client/client.ts";
import { BoardProcess } from "./support/board-process.ts";
import { CountingProxy } from "./support/counting-proxy.ts";
import { type Figure, othersFigure, whole } from "./support/figure.ts";
import { machineTime, othersShare } from "./support/cpu-time.ts";
import { Scratch } from "./support/scratch.ts";
import { type Client, CLIENTS, Team } from "./support/team.ts";

export interface TeamOptions {
  readonly tasks?: string | undefined;
  readonly workers?: string | undefined;
  /** The clients to measure; all unless given. */
  readonly clients?: string | undefined;
}

const TASKS = 200;
const WORKERS = "3,12";
const KILL_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 1000;
/** A team without progress for this long is stuck: it is longer than every lease and every wait for a limit. */
const STUCK_MS = 180_000;
const CHARS_A_TOKEN = 3.5;
const PAGE = 200;
/** The limits of a public board. */
const LIMITED = ["--rate-limits", "on", "--pow-bits", "18", "--pow-max-bits", "24"];

export async function teamBench({ tasks = String(TASKS), workers = WORKERS, clients }: TeamOptions = {}): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const client of CLIENTS.filter((one) => clients === undefined || clients.split(",").includes(one)))
    for (const count of workers.split(",").map(Number)) figures.push(...(await measure(client, count, Number(tasks))));
  return figures;
}

async function measure(client: Client, workers: number, tasks: number): Promise<readonly Figure[]> {
  using scratch = new Scratch();
  const data = join(scratch.path, "data");
  await fill(data, tasks);
  await using board = await BoardProcess.start(data, { limits: LIMITED });
  await using proxy = await CountingProxy.before(board.port);
  await using team = new Team(client, workers, proxy.url, scratch.path);
  const before = machineTime([board.pid, ...team.pids]);
  const begun = performance.now();
  const done = await untilVerified(`http://127.0.0.1:${board.port}`, team, tasks);
  const seconds = (performance.now() - begun) / 1000;
  const others = othersShare(before, machineTime([board.pid, ...team.pids]));
  const { requests, posts, slowed, bytes, lost, lostAgain } = proxy.passed;
  const twice = done.filter(({ derived }) => derived.answers !== 1).length;
  console.log(
    `${client}, ${workers} workers: ${done.length} of ${tasks} tasks verified in ${whole(seconds)} s, ${twice} done twice, ${team.killed} workers killed; ` +
      `${whole(requests)} requests, ${whole(slowed)} of ${whole(posts)} posts refused, ${whole(bytes)} bytes read, ${lost} claims lost, ${lostAgain} of them in a row` +
      (client === "mcp" ? `; ${whole(team.calls)} tools called, ${whole(team.chars)} characters shown` : ""),
  );
  for (const [route, passed] of proxy.routes)
    console.log(
      `  ${(passed.requests / tasks).toFixed(2).padStart(6)} a task  ${whole(passed.bytes / passed.requests).padStart(7)} bytes each  ${route}`,
    );
  const of = (what: string): string => `${client}, ${workers} workers, ${tasks} tasks: ${what}`;
  // A model behind MCP sees neither the requests nor the bytes that its host's program sends for its calls.
  const [asked, read] = client === "mcp" ? [team.calls, team.chars] : [requests, bytes];
  return [
    { name: of("verified"), value: (done.length / tasks) * 100, unit: "%", better: "more" },
    { name: of("done twice"), value: twice, unit: "", better: "less" },
    { name: of("seconds"), value: seconds, unit: "s", better: "less" },
    { name: of(client === "mcp" ? "calls a task" : "requests a task"), value: asked / tasks, unit: "", better: "less" },
    ...(client === "mcp" ? [{ name: of("requests a task"), value: requests / tasks, unit: "", better: "less" } as const] : []),
    { name: of("tokens read a task"), value: read / CHARS_A_TOKEN / tasks, unit: "", better: "less" },
    { name: of("posts refused"), value: (slowed / posts) * 100, unit: "%", better: "less" },
    { name: of("claims lost"), value: lost, unit: "", better: "less" },
    { name: of("claims lost in a row"), value: lostAgain, unit: "", better: "less" },
    ...othersFigure(of("other processes"), others),
  ];
}

/** Posts the tasks on a board without limits, before the measured board is started. */
async function fill(data: string, tasks: number): Promise<void> {
  await using process = await BoardProcess.start(data);
  const board = connect(`http://127.0.0.1:${process.port}`);
  const key = await makeKey();
  const queue = Array.from({ length: tasks }, (_, n) => task(`${n} + ${n * 7}`));
  for await (const { error } of postMany(board, key, queue)) if (error !== undefined) throw error;
}

/** All verified tasks, when all are verified or when the team is stuck. */
async function untilVerified(url: string, team: Team, tasks: number): Promise<readonly Message[]> {
  const board = connect(url);
  let killAt = performance.now() + KILL_EVERY_MS;
  let verified: readonly Message[] = [];
  for (let movedAt = performance.now(); performance.now() - movedAt < STUCK_MS;) {
    await pause(LOOK_EVERY_MS);
    const found = await allVerified(board);
    if (found.length > verified.length) movedAt = performance.now();
    verified = found;
    if (verified.length >= tasks) break;
    if (performance.now() < killAt) continue;
    killAt += KILL_EVERY_MS;
    await team.killOne();
  }
  return verified;
}

async function allVerified(board: ReturnType<typeof connect>): Promise<readonly Message[]> {
  const found: Message[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listMessages(board, { kind: ["task"], status: ["verified"], limit: PAGE, include: [], cursor });
    found.push(...page.messages);
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}
