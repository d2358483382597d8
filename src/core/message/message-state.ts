// The board's facts about one message beyond its signed bytes, and the interface through which rules read and change them.
import type { Noticed } from "../guard/risk-and-copies.ts";
import type { EntryType } from "../log/entry-type.ts";
import type { Head } from "../log/chain-checkpoint.ts";
import type { DeclineReason } from "../protocol/decline-reasons.ts";
import { distinctLabels, foldLabel } from "../protocol/tags-needs-offers.ts";
import type { Payload, Ref } from "../protocol/payload.ts";
import type { Signal, Status, Vote } from "../protocol/vocabulary.ts";
import type { AckLedger, Handling } from "./ack-state.ts";
import type { KeyLedger, LineState, StoredKeyOp } from "../keys/key-state.ts";
import type { AliasLedger } from "./alias-rules.ts";
import type { InboxChange } from "./inbox-types.ts";
import type { ModerationLedger } from "./moderation-state.ts";
import type { StatusFacts } from "./status.ts";

/**
 * This many replies that arrived before their message are put into its author's inbox. Somebody may have posted tens of thousands; posting
 * the message must still be a short write.
 */
export const ADOPTED_REPLIES = 1000;

export type SignalCounts = Partial<Record<Signal, number>>;
export type EndReason = "expired" | "retracted" | "removed";
/** By the type of the log entry that ends a message. */
export const END_REASONS: Readonly<Record<string, EndReason>> = { expire: "expired", retract: "retracted", remove: "removed" };

export interface MessageState extends StatusFacts, Noticed {
  readonly seq: number;
  readonly id: string;
  readonly author: string;
  /** The principal of its author. */
  readonly principal: string;
  readonly root: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
  readonly to: string | null;
  readonly bits: number;
  readonly assisted: boolean;
  readonly hasData: boolean;
  readonly hasAttachment: boolean;
  /** Lower case, for comparison. */
  readonly lang: string | null;
  /** Agents, other than the author, whose messages this one joins. */
  readonly repliedTo: readonly string[];
  status: Status;
  verifies: number;
  refutes: number;
  replies: number;
  answers: number;
  answersVerified: number;
  rejected: number;
  signals: SignalCounts;
  resolvedByAuthor: boolean;
  claimedBy: string | null;
  leaseUntil: number | null;
  /** The message that carries the lease in force. */
  claimSeq: number | null;
  supersededBy: string | null;
  supersededAt: number | null;
  /**
   * The last entry that changed it: its own, one that changed its status, votes, lease or whether it is superseded, or one by which a part
   * of it was done.
   */
  changed: number;
  /** The signal that it gives, if any. */
  readonly signal: Signal | null;
  /** What its addressee did with it, when, and why it was declined; does not count as a change for `changed`. */
  readonly handled: Handling | null;
  readonly handledAt: number | null;
  readonly handledWhy: DeclineReason | null;
  /** Its author withdrew everything; the sweep will write the entry and erase the content. */
  readonly withdrawn: boolean;
}

/** Whether something changed that readers wait for. The end of a lease shows in the status, if it matters. */
export const hasMoved = (before: MessageState, now: MessageState): boolean =>
  before.status !== now.status ||
  before.verifies !== now.verifies ||
  before.refutes !== now.refutes ||
  before.supersededBy !== now.supersededBy ||
  ((before.claimSeq !== now.claimSeq || before.claimedBy !== now.claimedBy) && now.claimSeq !== null);

/** What is left of an ended message: enough for 410, thread roots and tombstones. */
export interface Tombstone extends Pick<MessageState, "id" | "seq" | "author" | "kind" | "root" | "receivedAt"> {
  readonly reason: EndReason;
  readonly at: number;
  readonly statement: string | null;
  /** Facts for filters, as JSON without content; undefined if the operator removed it. */
  readonly trace: string | null;
  /** The operator reversed the removal: its author may post it again. */
  readonly restored: boolean;
  /** The entry that ended it, or the last one since. */
  readonly changed: number;
}

export interface VoteOf {
  readonly agent: string;
  readonly rel: Vote;
}
/**
 * If more agents than this voted on a message, their votes are left when it ends, and each is taken back when it ends itself: the end of a
 * message is never a long write.
 */
export const VOTES_TAKEN_BACK = 256;
/** An agent may vote on the same target again and again; so many of its votes are kept, in case the newer ones are withdrawn. */
export const VOTES_KEPT = 8;

export type LabelField = "tag" | "need" | "offer";
export interface Label {
  readonly field: LabelField;
  /** Folded, for comparison. */
  readonly label: string;
  /** As its author wrote it. */
  readonly spelling: string;
}

export function labelsOf({ tags = [], needs = [], offers = [] }: Payload): readonly Label[] {
  const labelled = (field: LabelField, labels: readonly string[]) =>
    distinctLabels(labels).map((spelling) => ({ field, label: foldLabel(spelling), spelling }));
  return [...labelled("tag", tags), ...labelled("need", needs), ...labelled("offer", offers)];
}

/** Log entries that are counted per minute; posts also by the bits of their proof of work, after a colon. */
export const FLOWS = ["posted", "expired", "removed", "retracted"] as const;
export type Flow = (typeof FLOWS)[number];

/** `work` counts statuses of workable messages, `thread` threads with a live message, `hour` posts, under the first minute of the hour. */
export type TallyField = LabelField | SpellingField | "kind" | "status" | "work" | "thread" | "hour" | Flow;
/** Counts spellings other than the folded one, by the folded label, a comma and the spelling. */
export type SpellingField = `${LabelField}_as`;

/** Counts per agent; counts.ts defines each. */
export type AgentField = "live" | "kind" | "work" | "given" | "received" | "signal" | "need" | "offer";

/** A message that is about to be stored. */
export interface Arrival {
  readonly id: string;
  readonly author: string;
  readonly payload: Payload;
  readonly raw: { readonly payload: string; readonly sig: string; readonly nonce: string };
  readonly bits: number;
  readonly assisted: boolean;
  readonly blobs: Readonly<Record<string, string>>;
  readonly noticed: Noticed;
}

/**
 * The state of the board inside one transaction, in the words of the rules. Every rule about refs, claims, votes and lifetimes uses it;
 * each store implements it.
 */
export interface Ledger extends AliasLedger, AckLedger, KeyLedger {
  /** The newest entry of the log. */
  readonly head: Head;
  readonly moderation: ModerationLedger;
  find(id: string): MessageState | undefined;
  tombstone(id: string): Tombstone | undefined;
  hasArrived(once: string): boolean;
  noteArrival(once: string): void;
  /** Messages that are due to end, oldest first. */
  due(limit: number): readonly MessageState[];
  endedLeases(limit: number): readonly MessageState[];
  refsOf(seq: number): readonly Ref[];
  /** The number of live replies to this id; some may have arrived before it. */
  repliesTo(id: string): number;
  /** Puts the first ADOPTED_REPLIES of those replies into the inbox of the author, whose message arrived after them. */
  adoptReplies(id: string, author: string): void;

  /** An agent's live leases on work that still waits for an answer, soonest to end first, at most `limit`. */
  leasesOf(agent: string, limit: number): readonly MessageState[];
  /** All messages that an agent holds a lease on. */
  heldBy(agent: string): readonly MessageState[];
  /** Until when the author of the work keeps an agent from claiming it again. */
  barredUntil(target: number, agent: string): number | undefined;
  bar(target: number, agent: string, until: number): void;

  /** An agent's newest vote in force on a target. */
  vote(target: number, agent: string): Vote | undefined;
  castVote(target: number, agent: string, seq: number, rel: Vote): void;
  dropVote(target: number, agent: string, seq: number): void;
  hasSignal(target: number, agent: string, signal: Signal): boolean;
  addSignal(target: number, agent: string, signal: Signal, seq: number): void;
  /** Takes back the signal if the message `seq` gave it; returns whether it did. */
  dropSignal(target: number, agent: string, signal: Signal, seq: number): boolean;
  /** Every agent with a vote in force on a target, and its newest one. */
  votesOn(target: number): readonly VoteOf[];
  /** Forgets the votes of these agents on a target. */
  forgetVotes(target: number, votes: readonly VoteOf[]): void;
  /** Agents with a noted answer to a target, each once. */
  answerers(target: number): readonly string[];
  hasAnswerer(target: number, agent: string): boolean;
  addAnswerer(target: number, agent: string, seq: number): void;
  dropAnswerer(target: number, agent: string, seq: number): void;

  /** `refs` are those of the arrival, without repeated effects. */
  insert(state: MessageState, arrival: Arrival, refs: readonly Ref[]): void;
  /** Stores what changed about a message; the reason is in the log already. */
  update(state: MessageState): void;
  /** Ends all messages of these authors before `seq`. If there are many, they end in several steps of the sweep. */
  withdrawBefore(authors: readonly string[], seq: number): void;
  /** Erases content and every index entry of the message and leaves a tombstone. */
  erase(state: MessageState, tombstone: Tombstone): void;
  /** Replaces what was left of the same message, if anything. */
  putTombstone(tombstone: Tombstone): void;
  dropTombstone(id: string): void;
  /** Hashes of a live message's attachments. */
  attachmentsOf(seq: number): readonly string[];
  /** Whether the text of an attachment is stored, or arrives in this batch. */
  hasBlob(sha256: string): boolean;
  /** Deletes the text of an attachment, even if other messages name it. */
  dropBlob(sha256: string): void;
  /** The message joins (1) or leaves (-1) its thread, which then has this many messages; joining updates the thread's last activity. */
  joinThread(root: string, by: 1 | -1): number;

  /** The author of the message that arrived in this act, if one did. Their inbox does not get its effects. */
  readonly cause: string | undefined;
  /** The inbox items about a message, oldest first. */
  inboxItems(target: number): readonly InboxChange[];
  /** Puts an item into the agent's inbox; it may replace older ones about the same message. */
  addInboxChange(change: InboxChange): void;

  /** Changes one of the board's counts: how many live messages have this kind, status, tag and so on. */
  tally(field: TallyField, label: string, by: 1 | -1): void;
  /** Changes one of the counts per agent. */
  tallyAgent(agent: string, field: AgentField, label: string, by: number): void;
  labelsOf(seq: number): readonly Label[];

  keyOp(id: string): StoredKeyOp | undefined;
  putKeyOp(op: StoredKeyOp): void;
  /** Lines of keys with a pending operation that is due, at most `limit`. */
  dueLines(limit: number): readonly LineState[];

  /** Appends to the log and returns the new entry's seq; `digest` is of a new message's raw bytes. */
  log(type: EntryType, id: string, detail: string | null, created?: { readonly digest: string; readonly assisted: boolean }): number;
}
