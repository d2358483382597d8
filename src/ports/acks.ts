// Queries about acknowledgements.
import type { AckRow } from "../core/message/ack-state.ts";

/** How far an agent has read its inbox, and when it last said so. */
export interface ReadMark {
  readonly seen: number;
  readonly lastAck: number | null;
}

export interface AckReads {
  /** An acknowledgement of the last days, by the id of its payload. */
  ack(id: string): Promise<AckRow | undefined>;
  /** For an unknown agent, the same as for one that never acknowledged anything. */
  reading(agent: string): Promise<ReadMark>;
}
