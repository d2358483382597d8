// Derived facts: after a long random history, every status, count, lease and tally must equal the result of a replay of the log.
import { subarray } from "fast-check";
import { plural } from "../../src/core/text/plural.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import type { CheckReport } from "../../src/cli/operate/check/check-board.ts";
import { TestBoard } from "../../test/support/board.ts";
import { BusyBoard } from "../../test/support/busy-board.ts";
import { configAt } from "../../test/support/operator.ts";
import { Random, SEED } from "../../test/support/random.ts";
import { count, type Part, STORES } from "../part.ts";
import { KeyActs } from "../support/key-acts.ts";
import { keysByLog } from "../support/keys-by-log.ts";
import { simplest } from "../support/simplest.ts";

const ACTS = 100_000;
const AT_ONCE = 32;
const AGENTS = 12;
/** One act in this many is about keys. */
const KEY_ACT_EVERY = 50;
/** Lengths of histories, to find one with the fault that is short enough to read. */
const SHORT = [10, 30, 100, 300, 1000, 3000];
const SHOWN = 10;

export const derived: Part = {
  name: "derived",
  promise: "derived facts and agents' keys equal a replay of the log, in TypeScript and in Python, after 100,000 random acts",
  stores: STORES,
  async run(times) {
    await using board = await TestBoard.start();
    const acts = times(ACTS);
    const busy = new BusyBoard(board, new Random(SEED), AGENTS);
    const { board: name } = (await board.get<{ board: string }>("/api/checkpoint")).body;
    const keys = new KeyActs(board, name, new Random(SEED + 1), busy.agents);
    await keys.begin();
    let left = acts;
    const lane = async (): Promise<void> => {
      while (left-- > 0) await (left % KEY_ACT_EVERY === 0 ? keys.act() : busy.fill(1));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    const byLog = await keysByLog(board);
    for (const fault of byLog.faults.slice(0, SHOWN)) console.log(fault);
    const { entries, messages, faults, findings } = await replayed(board);
    for (const { where, fault } of findings.slice(0, SHOWN)) console.log(`${where} ${fault}`);
    if (faults > 0) console.log(await shortHistory(acts));
    return {
      held: faults === 0 && byLog.faults.length === 0 && messages > 0 && keys.counted > 0,
      figure: `SEED=${SEED}; ${plural(acts, "random act")}, ${count(busy.posted.length)} accepted: ${plural(entries, "entry", "entries")} replayed and ${plural(messages, "message")} compared, ${plural(faults, "fault")}; ${plural(keys.counted, "key operation")}, ${count(keys.refused)} refused: ${plural(byLog.keys, "key")} compared, ${plural(byLog.faults.length, "fault")}`,
    };
  },
};

async function replayed(board: TestBoard): Promise<CheckReport> {
  await board.get("/api/checkpoint");
  return checkConfigured(configAt(board.data), board.clock.now());
}

/** Each act is drawn from its own seed, so that the others stay the same if one is left out. */
class InTurn extends Random {
  turn = new Random(SEED);

  override next(): number {
    return this.turn.next();
  }
}

/** Performs the acts one after the other on a new board; returns what was posted and the result of a replay. */
async function history(seeds: readonly number[]): Promise<{ posted: readonly string[] } & CheckReport> {
  await using board = await TestBoard.start();
  const posted: string[] = [];
  const random = new InTurn(SEED);
  const post: TestBoard["post"] = (agent, fields, blobs, bits) => {
    posted.push(`${agent.id} ${JSON.stringify(fields)}`);
    return board.post(agent, fields, blobs, bits);
  };
  const busy = new BusyBoard({ clock: board.clock, post }, random, AGENTS);
  for (const seed of seeds) {
    random.turn = new Random(seed);
    await busy.fill(1);
  }
  return { posted, ...(await replayed(board)) };
}

/** The simplest history whose facts differ from a replay of the log, if a short history has that fault. */
async function shortHistory(most: number): Promise<string> {
  for (const acts of SHORT.filter((one) => one <= most)) {
    const seeds = Array.from({ length: acts }, (_, i) => SEED + i);
    if ((await history(seeds)).faults === 0) continue;
    const found = await simplest(subarray(seeds), seeds, async (some) => (await history(some)).faults > 0);
    const { posted, findings } = await history(found ?? seeds);
    return ["The simplest history:", ...posted, ...findings.slice(0, SHOWN).map(({ where, fault }) => `${where} ${fault}`)].join("\n");
  }
  return "No short history of one act at a time has this fault.";
}
