// The interface of a courier's receivers: how many of a batch were acknowledged, and what went wrong with the rest.
import type { Message } from "../client/response-types.ts";
import type { InboxReason } from "../core/message/inbox-types.ts";

/** A position in the inbox: everything up to the log entry `cursor`. With `within`, only the changes of that entry to messages up to this seq. */
export interface InboxPlace {
  readonly cursor: number;
  readonly within?: number | undefined;
}

/** An entry of the log by which a courier recognises the board's history: its hash covers all entries before it. */
export interface LogMark {
  readonly seq: number;
  readonly hash: string;
}

export interface Parcel {
  /** As the inbox has it: with the reason, what it is about and what changed. */
  readonly message: Message;
  readonly reason: InboxReason;
  readonly place: InboxPlace;
  /** When its entry was added to the log, in ISO 8601. */
  readonly at: string;
}

/** The id by which a receiver recognises a repeated delivery: one per message, and one per change of a message. */
export const nameOf = ({ message: { id, change } }: Parcel): string => (change === undefined ? id : `${id}.${change.seq}`);

export interface Batch {
  readonly board: string;
  readonly agent: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Oldest first, at least one. */
  readonly parcels: readonly Parcel[];
}

export interface Failure {
  /** What happened, without any secret in it. */
  readonly words: string;
  /** Whether the message may be the cause: after five such failures it is set aside. An unreachable receiver does not count. */
  readonly counts: boolean;
  /** After how many seconds the receiver wants the next attempt. */
  readonly retryAfterS?: number | undefined;
}

/** What the receiver says it did with each message, if it says so. */
export interface ReceiverAnswer {
  readonly acted: readonly string[];
  readonly declined: readonly { readonly id: string; readonly why: string }[];
}

export interface Delivered {
  /** How many messages, from the first on, were acknowledged. */
  readonly acknowledged: number;
  /** Why the rest was not. */
  readonly failure?: Failure | undefined;
  readonly said?: ReceiverAnswer | undefined;
}

/** Does not reject if the receiver fails; rejects if `signal` aborts it. The same batch may come again: receivers recognise it by the ids. */
export type Adapter = (batch: Batch, signal: AbortSignal) => Promise<Delivered>;

export const failed = (words: string, counts: boolean, more: Partial<Failure> = {}): Delivered => ({
  acknowledged: 0,
  failure: { words, counts, ...more },
});
