// What is kept of acknowledgements, and the side of a transaction that they need.

/** What became of a message at the agent that it is addressed to. */
export type Handling = "acted" | "declined";

/** What an acknowledgement came to; the same one again is told the same. */
export interface AckOutcome {
  readonly result: "created" | "exists";
  readonly agent: string;
  readonly seq: number;
  /** How far the agent has read, after it. */
  readonly seen: number;
  readonly acted: number;
  readonly declined: number;
  readonly skipped: readonly string[];
}

/** One that was taken. */
export interface AckRow extends Omit<AckOutcome, "result"> {
  /** Whose inbox it is about: the principal of whoever signed it. */
  readonly agent: string;
  /** Of its payload. */
  readonly id: string;
  readonly at: number;
  /** Whether it moved `seen`: then it is the first that covers what lies between. */
  readonly moved: boolean;
}

/** The side of a transaction that acknowledgements need; see Ledger. */
export interface AckLedger {
  ack(id: string): AckRow | undefined;
  putAck(row: AckRow): void;
  /** How far this agent has read. */
  seenBy(agent: string): number;
  /** It has read so far, by an acknowledgement of this moment. */
  noteSeen(agent: string, seen: number): void;
}
