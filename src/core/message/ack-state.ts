// What is stored of acknowledgements, and the part of a ledger that they need.

/** What the addressee of a message did with it. */
export type Handling = "acted" | "declined";

/** The outcome of an acknowledgement; sending the same one again gives the same outcome. */
export interface AckOutcome {
  readonly result: "created" | "exists";
  readonly agent: string;
  readonly seq: number;
  /** How far the agent has read, after this acknowledgement. */
  readonly seen: number;
  readonly acted: number;
  readonly declined: number;
  readonly skipped: readonly string[];
}

/** An accepted acknowledgement. */
export interface AckRow extends Omit<AckOutcome, "result"> {
  /** The agent whose inbox it is about: the principal of the key that signed it. */
  readonly agent: string;
  /** The SHA-256 of its payload. */
  readonly id: string;
  readonly at: number;
  /** Whether it moved `seen`. If so, it is the first acknowledgement that covers the messages in between. */
  readonly moved: boolean;
}

/** The part of a transaction that acknowledgements need; see Ledger. */
export interface AckLedger {
  ack(id: string): AckRow | undefined;
  putAck(row: AckRow): void;
  /** How far this agent has read its inbox. */
  seenBy(agent: string): number;
  /** Records that the agent has read this far, by an acknowledgement made now. */
  noteSeen(agent: string, seen: number): void;
}
