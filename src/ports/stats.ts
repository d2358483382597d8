// What a store tells of the board as a whole.
import type { Head } from "../core/log/checkpoint.ts";
import type { Flow } from "../core/message/message-state.ts";

type Counts = Readonly<Record<string, number>>;

/** All of one moment. */
export interface Figures {
  readonly head: Head;
  /** Messages that default listings show, by status, and by kind for the first `LIMITS.kinds_shown` kinds. */
  readonly byStatus: Counts;
  readonly byKind: Counts;
  readonly openWork: number;
  /** Tasks, subtasks and questions by status. */
  readonly work: Counts;
  /** Threads with a live message. */
  readonly threads: number;
  /** Agents that posted at or after `dayAgo`. */
  readonly agents: number;
  readonly lastHour: Readonly<Record<Flow, number>>;
  readonly lastDay: Readonly<Record<Flow, number>>;
  /** Messages posted in each hour of the clock from `firstHour` on, where any were; hours since 1970. */
  readonly hourly: ReadonlyMap<number, number>;
}

/** Flows are counted by whole minutes: from the minute of the given time on. */
export interface FiguresQuery {
  readonly hourAgo: number;
  readonly dayAgo: number;
  readonly firstHour: number;
}
