// What a store can be asked about the inbox of an agent: messages that reached it, and what happened to its own.
import type { InboxChange, InboxReason, MessageReason } from "../core/message/inbox-change.ts";
import type { Position } from "../core/query/order.ts";

/** A message that reached the agent, by its seq; or a change of one of its own, by the seq of the change. */
export type InboxRow = { readonly position: Position; readonly at: number } & (
  | { readonly reason: MessageReason }
  | Pick<InboxChange, "reason" | "was" | "became">
);

export interface InboxQuery {
  readonly agent: string;
  /** Every key of that agent, its own among them: what reached one of them reached it. */
  readonly keys: readonly string[];
  /** Any of these; nothing of the other source is read where none of its reasons is named. */
  readonly reasons: ReadonlySet<InboxReason>;
  /** Of the message that the entry is about; all unless given. */
  readonly kinds?: readonly string[] | undefined;
  /** Entries after this one. */
  readonly afterSeq: number;
  /** Messages that came or changed after this entry, and changes that did. */
  readonly changedAfter?: number | undefined;
  /** The only messages that can have changed since, where they are few. */
  readonly only?: readonly number[] | undefined;
  /** Received, or changed, at this time or later. */
  readonly since: number;
  /** Before this place: the newest come first. */
  readonly before: Position | undefined;
  readonly upTo: number;
  readonly limit: number;
  readonly now: number;
}

export interface InboxReads {
  /** Of live messages that are not superseded, the newest entry first. */
  inbox(query: InboxQuery): Promise<readonly InboxRow[]>;
}
