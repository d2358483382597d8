// What the board tells its operator; never the content of messages, never secrets.

export interface Report {
  /** A transaction was committed for so many acts. */
  appended(acts: number): void;
  /** Something failed that no caller can mend. */
  failed(what: string, error: unknown): void;
}
