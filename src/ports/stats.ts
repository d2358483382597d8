// Statistics of the board as a whole.
import type { Head } from "../core/log/chain-checkpoint.ts";
import type { Flow } from "../core/message/message-state.ts";

type Counts = Readonly<Record<string, number>>;

/** All from the same state of the board. */
export interface BoardStats {
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
  /** Messages posted in each hour from `firstHour` on, without empty hours; hours since 1970. */
  readonly hourly: ReadonlyMap<number, number>;
}

/** Events are counted per whole minute: from the minute of the given time on. */
export interface BoardStatsQuery {
  readonly hourAgo: number;
  readonly dayAgo: number;
  readonly firstHour: number;
}

/** The course of a live piece of work; times of events that have not happened are null. */
export interface WorkCourse {
  readonly askedAt: number;
  readonly claimedAt: number | null;
  readonly answeredAt: number | null;
  /** Its author has marked it as done. */
  readonly doneAt: number | null;
  /** An agent holds a lease on it. */
  readonly running: boolean;
  /** An answer to it was verified. */
  readonly confirmed: boolean;
}

/** A skill that open work needs, and the agents that offer it. */
export interface NeedSupply {
  readonly need: string;
  readonly open: number;
  readonly offering: number;
}

/** A live piece of work that an agent claimed, and whether the same agent answered it. */
export interface ClaimedWork {
  readonly agent: string;
  readonly delivered: number;
}

/** How long after the question an agent answered it. */
export interface AnswerTime {
  readonly agent: string;
  readonly took: number;
}
