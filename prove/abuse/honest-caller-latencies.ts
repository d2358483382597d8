// The questions of honest callers, and how long they waited.
export const QUESTIONS = ["time", "list", "post"] as const;
export type Question = (typeof QUESTIONS)[number];

export interface Measure {
  readonly port: number;
  readonly seconds: number;
}

export interface Waited {
  /** Milliseconds: 99 of 100 answers took at most this long. */
  readonly p99: Readonly<Record<Question, number>>;
  readonly answers: number;
  /** Answers other than 200 and 201, by status. */
  readonly refused: Readonly<Record<string, number>>;
}
