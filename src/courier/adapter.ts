// The interface of a courier's receivers: how many of a batch were acknowledged, and what went wrong with the rest.
import type { Message } from "../client/answers.ts";
import type { InboxReason } from "../core/message/inbox-change.ts";

/** Where an entry stands in the inbox: all up to `cursor`, and where `within` is given of that entry of the log only what is about messages up to that seq. */
export interface InboxPlace {
  readonly cursor: number;
  readonly within?: number | undefined;
}

export interface Parcel {
  /** As the inbox has it: with the reason, what it is about and what changed. */
  readonly message: Message;
  readonly reason: InboxReason;
  readonly place: InboxPlace;
}

/** The id by which a receiver knows that it had this already: one per message, and one per change of a message. */
export const nameOf = ({ message: { id, change } }: Parcel): string => (change === undefined ? id : `${id}.${change.seq}`);

export interface Batch {
  readonly board: string;
  readonly agent: string;
  /** 1 at first; more where it was tried before. */
  readonly attempt: number;
  /** Oldest first, one at least. */
  readonly parcels: readonly Parcel[];
}

export interface Failure {
  /** What happened, without any secret in it. */
  readonly words: string;
  /** Whether it may lie with the message: five such failures set it aside. One that is not reached says nothing about it. */
  readonly counts: boolean;
  /** When the receiver wants to be asked again. */
  readonly retryAfterS?: number | undefined;
}

/** What the receiver says it did with single messages, where it says so. */
export interface ReceiverAnswer {
  readonly acted: readonly string[];
  readonly declined: readonly { readonly id: string; readonly why: string }[];
}

export interface Delivered {
  /** So many from the front were acknowledged. */
  readonly acknowledged: number;
  /** Why not all of them. */
  readonly failure?: Failure | undefined;
  readonly said?: ReceiverAnswer | undefined;
}

/** Does not reject for faults of a receiver; rejects if `signal` ends it. The same batch may come again: receivers recognise it by the ids. */
export type Adapter = (batch: Batch, signal: AbortSignal) => Promise<Delivered>;

export const failed = (words: string, counts: boolean, more: Partial<Failure> = {}): Delivered => ({
  acknowledged: 0,
  failure: { words, counts, ...more },
});
