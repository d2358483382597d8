// What a store knows of a message or of a post, where its rows leave something open.
import type { AuthorFacts, ThreadFacts } from "../../core/message/acts-and-outcomes.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import type { Found, Precheck, StoredMessage } from "../../ports/store.ts";
import type { AuthorLine } from "../../core/keys/key-state.ts";
import { expiredTombstone } from "./rows.ts";

/** A message that is past its time counts as ended, whether or not it was swept. */
export const foundAt = (stored: StoredMessage, now: number): Found =>
  stored.state.expiresAt > now ? { stored } : { tombstone: expiredTombstone(stored.state) };

/** What is stored about a post. */
interface KnownOfPost extends Pick<Precheck, "storedBlobs"> {
  readonly found: Found | undefined;
  readonly author: string;
  /** If its author has key operations. */
  readonly line: AuthorLine | undefined;
  readonly blobs: readonly string[];
  readonly isBlocked: (what: "key" | "blob", name: string) => boolean;
}

/** A block of an agent applies to the whole line of its keys. */
export function precheckOf({ found, author, line, blobs, storedBlobs, isBlocked }: KnownOfPost): Precheck {
  const payer = line?.principal ?? author;
  return {
    known: found !== undefined && "stored" in found ? found.stored.raw : undefined,
    tombstone: found !== undefined && "tombstone" in found ? found.tombstone : undefined,
    keyBlocked: [author, payer].some((key) => isBlocked("key", key)),
    payer,
    storedBlobs,
    blockedBlobs: blobs.filter((hash) => isBlocked("blob", hash)),
  };
}

/** An agent that was forgotten, or a thread that has ended, while the message was read. */
export const unknownAuthor = ({ receivedAt }: MessageState): AuthorFacts => ({ firstSeen: receivedAt, messages: 1 });
export const unknownThread = ({ receivedAt }: MessageState): ThreadFacts => ({ messages: 0, lastActivity: receivedAt });
