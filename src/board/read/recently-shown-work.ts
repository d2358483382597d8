// Remembers which open work was shown to which caller a moment ago, so that callers who take what they are shown do not all mine a claim
// on the same piece.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import { LIMITS } from "../../core/protocol/limits.ts";

type Work = Pick<MessageState, "id" | "changed">;

interface Turn {
  readonly agent: string;
  readonly until: number;
  /** The number of the turn, counted from the last change of the work. */
  readonly number: number;
}

const MOST_WORK = 4096;
/** After this many turns the work is shown to everybody again, so that a caller that only looks cannot keep work from others. */
const MOST_TURNS = 4;

/** In the memory of one node: two nodes may show the same work, and then one of the claims is lost. */
export class ShownWork {
  readonly #turns = new BoundedCache<string, Turn>(MOST_WORK);

  /** Until when another agent has its turn; undefined if no agent has. */
  reservedUntil(work: Work, agent: string, now: number): number | undefined {
    const turn = this.#turns.get(keyOf(work));
    return turn === undefined || turn.agent === agent || turn.until <= now ? undefined : turn.until;
  }

  /** Gives the agent its turn; false if another agent has it. */
  take(work: Work, agent: string, now: number): boolean {
    if (this.reservedUntil(work, agent, now) !== undefined) return false;
    const before = this.#turns.get(keyOf(work));
    const isOn = before !== undefined && before.agent === agent && before.until > now;
    const number = (before?.number ?? 0) + 1;
    if (!isOn && number <= MOST_TURNS) this.#turns.set(keyOf(work), { agent, until: now + LIMITS.work_turn_s * 1000, number });
    return true;
  }
}

/** Reopened work counts as new. */
const keyOf = ({ id, changed }: Work): string => `${id} ${changed}`;
