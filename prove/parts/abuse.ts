// One caller cannot take the board away from others: each attack sends the most that one address may send, to a large board with the usual
// limits.
import { resolve } from "node:path";
import { ATTACKS } from "../abuse/attacks.ts";
import { FilledBoard } from "../abuse/filled-board.ts";
import { look, PROMISE } from "../abuse/run-attack.ts";
import { attackedServer } from "../arguments.ts";
import { type Part, type StoreName, STORES } from "../part.ts";

const SECONDS = 30;
const LEAST_S = 3;

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
    if (filled === undefined) made.set(store, (filled = FilledBoard.make(store, server, times)));
    return look(await filled, attack, Math.max(LEAST_S, times(SECONDS)));
  },
}));
