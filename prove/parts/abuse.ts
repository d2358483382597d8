// One caller cannot take the board away from others: each attack sends the most that one address may send, to a large board with the usual
// limits.
import { resolve } from "node:path";
import { ATTACKS } from "../abuse/attacks.ts";
import { FilledBoard } from "../abuse/filled-board.ts";
import { type Look, look, PROMISE } from "../abuse/run-attack.ts";
import { attackedMessages, attackedServer } from "../arguments.ts";
import { type Part, type StoreName, STORES } from "../part.ts";

const SECONDS = 30;
const LEAST_S = 3;
/**
 * Other programs on the machine, its disk and its host can make anybody wait, and never make anybody wait less. So an attack that others feel
 * is repeated: if they do not feel it in one of these rounds, something else made them wait.
 */
const ROUNDS = 3;
/** A round during which something else used much of the machine does not count. */
const ROUNDS_IN_ALL = 6;

const made = new Map<StoreName, Promise<FilledBoard>>();
const server = attackedServer ?? resolve(import.meta.dirname, "../..");

/** One row per attack; the first one fills the board for all. */
export const abuse: readonly Part[] = ATTACKS.map((attack) => ({
  name: `abuse ${attack.name}`,
  group: "abuse",
  promise: `${attack.sends}: ${PROMISE}`,
  stores: STORES,
  async run(times, store) {
    let filled = made.get(store);
    if (filled === undefined) made.set(store, (filled = FilledBoard.make(store, server, times, attackedMessages)));
    const rounds: Look[] = [];
    do rounds.push(await look(await filled, attack, Math.max(LEAST_S, times(SECONDS))));
    while (
      rounds.length < ROUNDS_IN_ALL &&
      rounds.filter(({ disturbed }) => !disturbed).length < ROUNDS &&
      rounds.every(({ held, onlySlow }) => !held && onlySlow)
    );
    return {
      held: rounds.at(-1)?.held === true,
      figure: rounds.map(({ figure }, i) => (i === 0 ? figure : `round ${i + 1}: ${figure}`)).join("; "),
    };
  },
}));
