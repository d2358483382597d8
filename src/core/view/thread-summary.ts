// The summary of a thread: its last event, its participants, and the progress of its subtasks.
import type { Rel, Signal, Status } from "../protocol/vocabulary.ts";

/** One message of the thread, in few words. */
export interface ThreadDeed {
  readonly id: string;
  readonly author: string;
  readonly kind: string;
  readonly signal: Signal | null;
  readonly at: number;
  /** The rel by which it joins another message; null for the root. */
  readonly rel: Rel | null;
}

export interface ThreadPart {
  readonly status: Status;
  readonly leaseUntil: number | null;
}

export interface ThreadNews {
  readonly root: string;
  /** The newest first, a few. */
  readonly deeds: readonly ThreadDeed[];
  /** Live parts of the root itself, oldest first. */
  readonly parts: readonly ThreadPart[];
}
