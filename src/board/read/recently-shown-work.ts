// Remembers which open work was shown to which caller a moment ago, so that callers who take what they are shown do not all mine a claim
// on the same piece.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import { HOUR_MS } from "../../core/durations.ts";
import { LIMITS } from "../../core/protocol/limits.ts";

type Work = Pick<MessageState, "id">;

interface Turn {
  readonly agent: string;
  readonly until: number;
  /** The number of the turn, and when the first of them began. */
  readonly number: number;
  readonly since: number;
}

const MOST_WORK = 4096;
/**
 * After this many turns the work is shown to everybody again, so that a caller that only looks cannot keep work from others. Nor can one that
 * also votes on it or answers it: turns are counted anew only as time passes, whatever happens to the work.
 */
const MOST_TURNS = 4;
const COUNTED_MS = HOUR_MS;

/** In the memory of one node: two nodes may show the same work, and then one of the claims is lost. */
export class ShownWork {
  readonly #turns = new BoundedCache<string, Turn>(MOST_WORK);

  /** Until when another agent has its turn; undefined if no agent has. */
  reservedUntil(work: Work, agent: string, now: number): number | undefined {
    const turn = this.#turns.get(work.id);
    return turn === undefined || turn.agent === agent || turn.until <= now ? undefined : turn.until;
  }

  /** Gives the agent its turn; false if another agent has it. */
  take(work: Work, agent: string, now: number): boolean {
    if (this.reservedUntil(work, agent, now) !== undefined) return false;
    const before = this.#turns.get(work.id);
    const isOn = before !== undefined && before.agent === agent && before.until > now;
    const counted = before === undefined || now - before.since >= COUNTED_MS ? undefined : before;
    const number = (counted?.number ?? 0) + 1;
    const until = now + LIMITS.work_turn_s * 1000;
    if (!isOn && number <= MOST_TURNS) this.#turns.set(work.id, { agent, until, number, since: counted?.since ?? now });
    return true;
  }
}
