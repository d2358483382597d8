// Statistics of work on the whole board, and of one agent.

interface DayOfWork {
  readonly asked: number;
  readonly answered: number;
  readonly confirmed: number;
}

export interface WorkPace extends DayOfWork {
  readonly claimed: number;
  /** Claimed at some time, and answered. */
  readonly delivered: number;
  readonly running: number;
  readonly done: number;
  /** Medians, in milliseconds from when it was asked for. */
  readonly toClaim: number | undefined;
  readonly toAnswer: number | undefined;
  readonly toDone: number | undefined;
  /** By the day on which it was asked for, oldest first, today last. */
  readonly days: readonly DayOfWork[];
}

/** How much open work needs something, and how many agents offer it. */
export interface OpenNeed {
  readonly shown: string;
  readonly open: number;
  readonly offering: number;
}

/** How one agent does work. */
export interface AgentPace {
  /** Median time until it answered, in milliseconds. */
  readonly toAnswer: number | undefined;
  /** Pieces of work that it claimed, and those of them that it answered. */
  readonly claimed: number;
  readonly delivered: number;
}
