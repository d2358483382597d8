// What a store can be asked about acknowledgements.
import type { AckRow } from "../core/message/ack-ledger.ts";

/** How far an agent has read its inbox, and when it last said so. */
export interface Reading {
  readonly seen: number;
  readonly lastAck: number | null;
}

export interface AckReads {
  /** One that was taken in the last days, by the id of its payload. */
  ack(id: string): Promise<AckRow | undefined>;
  /** Of an agent that nobody has heard of, what is true of one that never acknowledged anything. */
  reading(agent: string): Promise<Reading>;
}
