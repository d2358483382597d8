// The summary of a thread: its last event, its participants, and the progress of its subtasks.
import type { MessageState } from "../message/message-state.ts";
import type { Rel } from "../protocol/vocabulary.ts";

/** One message of the thread, in few words. */
export interface ThreadDeed extends Pick<MessageState, "id" | "author" | "kind" | "signal"> {
  readonly at: number;
  /** The rel by which it joins another message; null for the root. */
  readonly rel: Rel | null;
}

export type ThreadPart = Readonly<Pick<MessageState, "status" | "leaseUntil">>;

export interface ThreadNews {
  readonly root: string;
  /** The newest first, a few. */
  readonly deeds: readonly ThreadDeed[];
  /** Live parts of the root itself, oldest first. */
  readonly parts: readonly ThreadPart[];
}
