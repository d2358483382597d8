// Runs one attack and measures from outside: how long others wait before and during it, and what it does to the board.
import { ChildByOrders } from "../../bench/support/child-by-orders.ts";
import { machineTime, othersShare } from "../../bench/support/cpu-time.ts";
import { freePort } from "../../test/support/free-port.ts";
import { count, type Finding } from "../part.ts";
import { mostResidentMiB, residentMiB } from "../support/memory-and-quantiles.ts";
import { HeldLoop } from "../support/event-loop-stalls.ts";
import { MachineSpeed } from "../support/machine-speed.ts";
import { type Attack, hasAttacked, type Judged } from "./attack.ts";
import type { AttackOrder, AttackReport } from "./attacker.ts";
import type { FilledBoard } from "./filled-board.ts";
import { type Measure, QUESTIONS, type Waited } from "./honest-caller-latencies.ts";

const SLOWER = 3;
/** Below this a wait is always acceptable, because three times almost nothing is still almost nothing. */
const FLOOR_MS = 50;
const LONGEST_MS = 250;
const HELD_MS = 50;
const MORE_MIB = 256;
const WARM_S = 4;
const WORTH_TELLING = 0.1;
/** Whatever happens in more than this share of the time decides the 99th percentile. */
const SLOW_AT_MOST = 0.005;
/** The attacker has a lower priority than the board and the measuring processes: in reality it would be on another machine. */
const LATER = 10;

export const PROMISE = `others' p99 within ${SLOWER} x of quiet (${FLOOR_MS} ms always pass, over ${LONGEST_MS} never), no turn of the loop over ${HELD_MS} ms of processor time`;

export interface Look extends Finding {
  /** Whether only waits were too long, which something else on the machine may have caused; turns of the loop only if the host disturbed. */
  readonly onlySlow: boolean;
  /** Whether something else used much of the machine, or its host did. */
  readonly disturbed: boolean;
}

export async function look(filled: FilledBoard, attack: Attack, seconds: number): Promise<Look> {
  const loop = new HeldLoop();
  const smtpPort = attack.mail === true ? await freePort() : undefined;
  const mail = smtpPort === undefined ? [] : ["--smtp-port", String(smtpPort)];
  await using board = await filled.start([...(attack.flags ?? []), ...mail], loop.env);
  using honest = new ChildByOrders<Measure, Waited>(new URL("./honest.ts", import.meta.url));
  using attacker = new ChildByOrders<AttackOrder, AttackReport | "ready">(new URL("./attacker.ts", import.meta.url), LATER);
  const { port, process: served } = board;
  let ended: string | undefined;
  void served.ended.then(({ code, signal, stderr }) => (ended = `${code ?? signal}: ${stderr.slice(-500)}`));

  await honest.order({ port, seconds: attack.warmS ?? WARM_S });
  await attacker.order({ attack: attack.name, port, feed: filled.feed, seconds, smtpPort });
  const pids = [served.pid, honest.pid, attacker.pid, process.pid, filled.databasePid];
  const machine = machineTime(pids);
  const quiet = await honest.order({ port, seconds: Math.max(3, seconds / 2) });
  if (attack.ends === true) await board.endTogether(filled.feed.ending.author);
  const [restMiB, restStored] = [residentMiB(served.pid), await board.storedMiB()];
  const most = mostResidentMiB(served.pid);
  const from = Date.now();
  using speed = new MachineSpeed();
  const [report, waited] = await Promise.all([attacker.order("go"), honest.order({ port, seconds })]);
  if (report === "ready") throw new Error("The attacker has not begun.");
  const moreMiB = most() - restMiB;
  const notOurs = othersShare(machine, machineTime(pids)) ?? 0;
  const storedMiB = (await board.storedMiB()) - restStored;
  const holds = loop.since(from);
  const { notes, heard } = report;

  const slow = speed.slowShare();
  const disturbed = notOurs > WORTH_TELLING || slow > SLOW_AT_MOST;
  const [longest] = holds;
  const over = holds.filter(({ ms }) => ms > HELD_MS).length;
  const atMost = attack.moreMiB ?? MORE_MIB;
  const times: readonly Judged[] = [
    ...QUESTIONS.map((question) => waits(question, quiet.p99[question], waited.p99[question])),
    { held: over === 0, words: `longest turn of the loop ${Math.round(longest?.ms ?? 0)} ms, ${over} over ${HELD_MS}` },
  ];
  const others: readonly Judged[] = [
    {
      held: Object.keys(waited.refused).length === 0,
      words: `${refusedText(waited.refused) || "none"} of their ${count(waited.answers)} refused`,
    },
    {
      held: moreMiB <= atMost,
      words: `${moreMiB.toFixed(0)} MiB more memory (${atMost} at most), ${storedMiB.toFixed(1)} MiB more stored`,
    },
    ...(attack.judge?.({ notes, heard, seconds, storedMiB }) ?? []),
    hasAttacked(attack.meets, heard),
    // Time spent waiting for a core that other programs use, or because the host gives less, is not the board's fault.
    ...(notOurs > WORTH_TELLING ? [{ held: true, words: `${percent(notOurs)} of the machine were not ours` }] : []),
    ...(slow > SLOW_AT_MOST ? [{ held: true, words: `the machine stood still or was slow for ${percent(slow)} of the time` }] : []),
    ...(ended === undefined ? [] : [{ held: false, words: `the board ended with ${ended}` }]),
  ];
  const judged = [...times, ...others];
  return {
    held: judged.every(({ held }) => held),
    onlySlow: others.every(({ held, isWait }) => held || isWait === true) && (over === 0 || disturbed),
    disturbed,
    figure: judged.map(({ held, words }) => (held ? words : `**${words}**`)).join("; "),
  };
}

function waits(question: string, quiet: number, attacked: number): Judged {
  const most = Math.min(LONGEST_MS, Math.max(FLOOR_MS, SLOWER * quiet));
  return { held: attacked <= most, words: `${question} ${quiet.toFixed(0)} -> ${attacked.toFixed(0)} ms` };
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

const refusedText = (refused: Waited["refused"]): string =>
  Object.entries(refused)
    .map(([status, n]) => `${count(n)} x ${status}`)
    .join(", ");
