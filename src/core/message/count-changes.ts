// Changes of the board's counts, collected during a transaction and summed at its end: the count of a popular tag changes many times in a batch.
import type { AgentField, TallyField } from "./message-state.ts";
import { minuteOf } from "../durations.ts";

export interface TallyMove {
  /** Undefined for counts of the whole board. */
  readonly agent: string | undefined;
  readonly field: TallyField | AgentField;
  readonly label: string;
  by: number;
  arrived: boolean;
}

/** Counts per minute are kept a little longer than the statistics need them. */
const RETAINED_MINUTES = 8 * 24 * 60;

/** Minutes since 1970 have eight digits until the year 2160, so they compare as text. */
export const oldestRetainedMinute = (now: number): string => String(minuteOf(now) - RETAINED_MINUTES);

export class TallyMoves {
  readonly #moves: TallyMove[] = [];

  /** The number of collected changes; an undone act is cut off again. */
  get length(): number {
    return this.#moves.length;
  }
  cut(length: number): void {
    this.#moves.length = length;
  }

  move(agent: string | undefined, field: TallyMove["field"], label: string, by: number): void {
    this.#moves.push({ agent, field, label, by, arrived: by > 0 });
  }

  sums(): Iterable<TallyMove> {
    const sums = new Map<string, TallyMove>();
    for (const move of this.#moves) {
      // Neither fields nor agent ids contain a space.
      const key = `${move.agent ?? ""} ${move.field} ${move.label}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { ...move });
      else {
        sum.by += move.by;
        sum.arrived ||= move.arrived;
      }
    }
    return sums.values();
  }
}
