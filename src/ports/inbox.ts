// Queries about the inbox of an agent: messages that reached it, and changes of its own messages.
import type { InboxChange, InboxReason, MessageReason } from "../core/message/inbox-types.ts";
import type { Position } from "../core/query/order.ts";

/** A message that reached the agent, by its seq; or a change of one of its own messages, by the seq of the change. */
export type InboxRow = { readonly position: Position; readonly at: number } & (
  | { readonly reason: MessageReason }
  | Pick<InboxChange, "reason" | "was" | "became">
);

export interface InboxQuery {
  readonly agent: string;
  /** Every key of that agent, including itself: a message to one of them is a message to the agent. */
  readonly keys: readonly string[];
  /** Any of these reasons. A source is not read if none of its reasons is named. */
  readonly reasons: ReadonlySet<InboxReason>;
  /** The condition on the message of the entry; all messages unless given. */
  readonly kinds?: readonly string[] | undefined;
  /** Entries after this one. */
  readonly afterSeq: number;
  /** Messages that arrived or changed after this entry, and changes after it. */
  readonly changedAfter?: number | undefined;
  /** The only messages that can have changed since, if they are few. */
  readonly only?: readonly number[] | undefined;
  /** Received, or changed, at this time or later. */
  readonly since: number;
  /** Continues from this position. */
  readonly place: Position | undefined;
  /** The oldest entry first; otherwise the newest. */
  readonly oldest: boolean;
  readonly upTo: number;
  readonly limit: number;
  readonly now: number;
}

export interface InboxReads {
  /** Only live messages that are not superseded. */
  inbox(query: InboxQuery): Promise<readonly InboxRow[]>;
}
