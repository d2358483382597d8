// What a store knows of a message or of a post, where its rows leave something open.
import type { AuthorFacts, ThreadFacts } from "../../core/message/acts-and-outcomes.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import type { Found, Precheck, StoredMessage } from "../../ports/store.ts";
import { expiredTombstone } from "./rows.ts";

/** A message that is past its time counts as ended, whether or not it was swept. */
export const foundAt = (stored: StoredMessage, now: number): Found =>
  stored.state.expiresAt > now ? { stored } : { tombstone: expiredTombstone(stored.state) };

/** The part of a precheck that says whether the message was posted before. */
export const postedBefore = (found: Found | undefined): Pick<Precheck, "known" | "tombstone"> => ({
  known: found !== undefined && "stored" in found ? found.stored.raw : undefined,
  tombstone: found !== undefined && "tombstone" in found ? found.tombstone : undefined,
});

/** An agent that was forgotten, or a thread that has ended, while the message was read. */
export const unknownAuthor = ({ receivedAt }: MessageState): AuthorFacts => ({ firstSeen: receivedAt, messages: 1 });
export const unknownThread = ({ receivedAt }: MessageState): ThreadFacts => ({ messages: 0, lastActivity: receivedAt });
