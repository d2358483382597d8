// How soon the words of an ended message are erased from the search index's files.
import { END_REASONS, type EndReason } from "./message-state.ts";

export type Erase = "later" | "soon" | "now";
export interface Departure {
  readonly seq: number;
  /** Expired: when convenient. Withdrawn: soon. Removed by the operator: at once. */
  readonly erase: Erase;
}

const ERASE: Readonly<Record<EndReason, Erase>> = { expired: "later", retracted: "soon", removed: "now" };

/** A message that ended, and the type of the log entry that says so. */
export interface EndedMessage {
  readonly seq: number;
  readonly type: string;
}

export const toDeparture = ({ seq, type }: EndedMessage): Departure => ({ seq, erase: ERASE[END_REASONS[type] ?? "expired"] });
