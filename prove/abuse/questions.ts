// What those ask who only use the board, and how long they waited.
export const QUESTIONS = ["time", "list", "post"] as const;
export type Question = (typeof QUESTIONS)[number];

export interface Measure {
  readonly port: number;
  readonly seconds: number;
}

export interface Waited {
  /** Milliseconds that 99 of 100 took at most. */
  readonly p99: Readonly<Record<Question, number>>;
  readonly answers: number;
  /** Other than 200 and 201. */
  readonly refused: Readonly<Record<string, number>>;
}
