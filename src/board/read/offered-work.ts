// Work that can be claimed: open, not divided into unfinished parts, and not reserved for another agent.
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import { isWorkable, KIND_NAMES } from "../../core/protocol/vocabulary.ts";
import { and, atLeast, type Condition, flagIs, oneOf, or } from "../../core/query/condition.ts";
import type { Order, Position } from "../../core/query/order.ts";
import type { StoredMessage, Listed, ListReads } from "../../ports/store.ts";

export type Offered = { readonly stored: StoredMessage; readonly position: Position };
export type WorkStore = Pick<ListReads, "list" | "barredWork" | "divided" | "keysOf">;

export const WORKABLE = KIND_NAMES.filter(isWorkable);

/** The conditions of open work. */
export const openWork = (now: number): readonly Condition[] => [
  oneOf("kind", WORKABLE),
  oneOf("status", ["open"]),
  flagIs("superseded", false),
  atLeast("expiresAt", now + 1),
];

/** This many are read at once, since some of them turn out not to be offered. */
const MIN_MESSAGES_PER_READ = 100;

export interface Walk {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly after?: Position | undefined;
  readonly limit: number;
}

/** Scans open work: for this agent, or for nobody in particular if none is given. `only`: scans only these messages. */
export function offeredTo(
  agent: string | undefined,
  now: number,
  store: WorkStore,
  only?: readonly number[],
  isReserved: (one: Offered) => boolean = () => false,
): (walk: Walk) => Promise<readonly Offered[]> {
  const reading = agent === undefined ? Promise.resolve([[], []]) : Promise.all([store.barredWork(agent, now), store.keysOf(agent)]);
  return async ({ conditions, order, after: from, limit }) => {
    const [barring, keys] = await reading;
    const barred = new Set(barring);
    const free = agent === undefined ? [] : [or(flagIs("addressed", false), oneOf("to", keys))];
    const condition = and(...openWork(now), ...free, ...conditions);
    const found: Offered[] = [];
    for (let after = from; found.length < limit;) {
      const rowLimit = Math.max(limit - found.length, MIN_MESSAGES_PER_READ);
      const listed: readonly Listed[] = await store.list({ condition, order, after, limit: rowLimit, only });
      const open = listed.filter((one): one is Offered => "stored" in one && !barred.has(one.position.seq) && !isReserved(one));
      const divided = new Set(
        await store.divided(
          open.map(({ stored }) => stored.state.id),
          now,
        ),
      );
      found.push(...open.filter(({ stored }) => !divided.has(stored.state.id)));
      if (listed.length < rowLimit) break;
      after = listed.at(-1)?.position;
    }
    return found.slice(0, limit);
  };
}

/**
 * The piece of work at which an agent starts. Each agent starts at a different piece, and at the same piece as long as it exists, so that
 * many agents who look at once do not all claim the same piece.
 */
export function startFor(agent: string, all: readonly Offered[], isFree: (one: Offered) => boolean = () => true): Offered | undefined {
  const free = all.filter(isFree);
  const among = free.length === 0 ? all : free;
  const ranked = among.map((one) => ({ one, rank: sha256Hex(`${agent} ${one.stored.state.id}`) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))[0]?.one;
}
