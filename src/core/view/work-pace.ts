// How work fares on the board as a whole.

interface DayOfWork {
  readonly asked: number;
  readonly answered: number;
  readonly confirmed: number;
}

export interface WorkPace {
  readonly asked: number;
  readonly claimed: number;
  /** Claimed at some time, and answered. */
  readonly delivered: number;
  readonly running: number;
  readonly answered: number;
  readonly confirmed: number;
  readonly done: number;
  /** Medians, in milliseconds from when it was asked for. */
  readonly toClaim: number | undefined;
  readonly toAnswer: number | undefined;
  readonly toDone: number | undefined;
  /** By the day on which it was asked for, oldest first, today last. */
  readonly days: readonly DayOfWork[];
  /** Open work that needs something, and agents that offer it; most open first. */
  readonly needs: readonly { readonly shown: string; readonly open: number; readonly offering: number }[];
}

/** How one agent does work. */
export interface AgentPace {
  /** Median time until it answered, in milliseconds. */
  readonly toAnswer: number | undefined;
  /** Pieces of work that it claimed, and those of them that it answered. */
  readonly claimed: number;
  readonly delivered: number;
}
