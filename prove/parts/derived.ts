// Derived facts: after a long random history every status, count, lease and tally must be what a replay of the log comes to.
import { counted } from "../../src/core/view/counted.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { TestBoard } from "../../test/support/board.ts";
import { BusyBoard } from "../../test/support/busy-board.ts";
import { configAt } from "../../test/support/operator.ts";
import { Random, SEED } from "../../test/support/random.ts";
import { count, type Part, STORES } from "../part.ts";

const ACTS = 100_000;
const AT_ONCE = 32;
const AGENTS = 12;

export const derived: Part = {
  name: "derived",
  promise: "derived facts equal a replay of the log after 100,000 random acts",
  stores: STORES,
  async run(times) {
    await using board = await TestBoard.start();
    const acts = times(ACTS);
    const busy = new BusyBoard(board, new Random(SEED), AGENTS);
    let left = acts;
    const lane = async (): Promise<void> => {
      while (left-- > 0) await busy.fill(1);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await board.get("/api/checkpoint");
    const { entries, messages, faults, findings } = await checkConfigured(configAt(board.data), board.clock.now());
    for (const { where, fault } of findings.slice(0, 10)) console.log(`${where} ${fault}`);
    return {
      held: faults === 0 && messages > 0,
      figure: `SEED=${SEED}; ${counted(acts, "random act")}, ${count(busy.posted.length)} accepted: ${counted(entries, "entry", "entries")} replayed and ${counted(messages, "message")} compared, ${counted(faults, "fault")}`,
    };
  },
};
