// What the board knows about one message beyond its signed bytes, and the window through which rules see and change it.
import type { Noticed } from "../guard/noticed.ts";
import type { Risk } from "../guard/risk/risk.ts";
import type { EntryType } from "../log/entry-type.ts";
import type { Head } from "../log/checkpoint.ts";
import type { DeclineReason } from "../protocol/decline-reasons.ts";
import { distinctLabels, foldLabel } from "../protocol/labels.ts";
import type { Payload, Ref } from "../protocol/payload.ts";
import type { Signal, Status } from "../protocol/vocabulary.ts";
import type { AckLedger, Handling } from "./ack-ledger.ts";
import type { KeyLedger, LineState, StoredKeyOp } from "../keys/key-state.ts";
import type { AliasLedger } from "./alias-rules.ts";
import type { InboxChange } from "./inbox-change.ts";
import type { ModerationLedger } from "./moderation.ts";
import type { StatusFacts } from "./status.ts";

/**
 * So many replies that came before their message reach its author's inbox. Somebody may have posted ten thousands of them: whoever then
 * posts the message must not hold up all others.
 */
export const ADOPTED_REPLIES = 1000;

export type SignalCounts = Partial<Record<Signal, number>>;
export type GoneReason = "expired" | "retracted" | "removed";

export interface MessageState extends StatusFacts {
  readonly seq: number;
  readonly id: string;
  readonly author: string;
  /** For whom its author acts. */
  readonly principal: string;
  readonly kind: string;
  readonly root: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
  readonly to: string | null;
  readonly bits: number;
  readonly assisted: boolean;
  readonly hasData: boolean;
  readonly hasAttachment: boolean;
  /** What the board noticed about its text as it came; it never changes. */
  readonly risk: Risk;
  readonly copies: number;
  readonly spreading: boolean;
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
  readonly duplicateOf: string | null;
  claimedBy: string | null;
  leaseUntil: number | null;
  /** The message that carries the lease in force. */
  claimSeq: number | null;
  supersededBy: string | null;
  supersededAt: number | null;
  /** The last entry that moved it: its own, one that changed its status, votes, lease or standing, or one by which a part of it was done. */
  changed: number;
  /** The word that it signals, if any. */
  readonly signal: Signal | null;
  /** What its addressee says to have done about it, when, and why it was declined; nothing of it is a change in the sense of `changed`. */
  readonly handled: Handling | null;
  readonly handledAt: number | null;
  readonly handledWhy: DeclineReason | null;
  /** Its author withdrew everything; the sweep will write the entry and erase the content. */
  readonly withdrawn: boolean;
}

/** Whether something about a message has changed that readers wait for. A lease that ends tells by the status, where it counts. */
export const hasMoved = (before: MessageState, now: MessageState): boolean =>
  before.status !== now.status ||
  before.verifies !== now.verifies ||
  before.refutes !== now.refutes ||
  before.supersededBy !== now.supersededBy ||
  ((before.claimSeq !== now.claimSeq || before.claimedBy !== now.claimedBy) && now.claimSeq !== null);

/** What is left of a message that is gone: enough for 410, thread roots and tombstones. */
export interface Tombstone {
  readonly id: string;
  readonly seq: number;
  readonly author: string;
  readonly kind: string;
  readonly root: string;
  readonly receivedAt: number;
  readonly reason: GoneReason;
  readonly at: number;
  readonly statement: string | null;
  /** For filters: facts as JSON, no content; none where the operator removed it. */
  readonly trace: string | null;
  /** The operator took a removal back: its author may post it again. */
  readonly restored: boolean;
  /** The entry by which it ended, or the last one since. */
  readonly changed: number;
}

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

/** Entries of the log that are counted per minute of the clock; posts also by the bits that they proved, after a colon. */
export const FLOWS = ["posted", "expired", "removed", "retracted"] as const;
export type Flow = (typeof FLOWS)[number];

/** `work` counts statuses of workable messages, `thread` threads with a live message, `hour` posts by the first minute of the hour. */
export type TallyField = LabelField | SpellingField | "kind" | "status" | "work" | "thread" | "hour" | Flow;
/** Counts spellings other than the folded one, by the folded label, a comma and the spelling. */
export type SpellingField = `${LabelField}_as`;

/** What is counted for each agent; credit.ts says what each means. */
export type AgentField = "kind" | "work" | "given" | "received" | "signal" | "need" | "offer";

/** A message on its way into the board. */
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
 * The state of the board inside one transaction, in the rules' own words.
 * Every rule of refs, claims, votes and lifetimes is written against this; each store implements it.
 */
export interface Ledger extends AliasLedger, AckLedger, KeyLedger {
  readonly now: number;
  /** Where the log stands. */
  readonly head: Head;
  readonly moderation: ModerationLedger;
  find(id: string): MessageState | undefined;
  gone(id: string): Tombstone | undefined;
  hasArrived(once: string): boolean;
  noteArrival(once: string): void;
  /** Messages whose time has come, oldest first. */
  due(limit: number): readonly MessageState[];
  endedLeases(limit: number): readonly MessageState[];
  refsOf(seq: number): readonly Ref[];
  /** How many acting messages reply to this id; some may have come before it. */
  repliesTo(id: string): number;
  /** The first ADOPTED_REPLIES of those now have a known addressee: the author of the message that came after them. */
  adoptReplies(id: string, author: string): void;

  /** Live leases of an agent on work that waits for an answer, soonest to end first, at most `limit`. */
  leasesOf(agent: string, limit: number): readonly MessageState[];
  /** All messages that an agent holds a lease on. */
  heldBy(agent: string): readonly MessageState[];
  /** Until when the asker keeps an agent from claiming a message again. */
  barredUntil(target: number, agent: string): number | undefined;
  bar(target: number, agent: string, until: number): void;

  /** The newest acting vote of an agent on a target. */
  vote(target: number, agent: string): "verifies" | "refutes" | undefined;
  castVote(target: number, agent: string, seq: number, rel: "verifies" | "refutes"): void;
  dropVote(target: number, agent: string, seq: number): void;
  hasSignal(target: number, agent: string, signal: Signal): boolean;
  addSignal(target: number, agent: string, signal: Signal, seq: number): void;
  /** Takes back the signal if `seq` carried it; whether it did. */
  dropSignal(target: number, agent: string, signal: Signal, seq: number): boolean;
  /** Every agent with an acting vote on a target, and its newest one. */
  votesOn(target: number): readonly { readonly agent: string; readonly rel: "verifies" | "refutes" }[];
  /** Agents with a noted answer to a target, each once. */
  answerers(target: number): readonly string[];
  hasAnswerer(target: number, agent: string): boolean;
  addAnswerer(target: number, agent: string, seq: number): void;
  dropAnswerer(target: number, agent: string, seq: number): void;

  /** `refs` are the arrival's, each effect once. */
  insert(standing: MessageState, arrival: Arrival, refs: readonly Ref[]): void;
  /** Stores what changed about a message; what moved it is in the log already. */
  update(standing: MessageState): void;
  /** Ends the time of all messages of an author before `seq`: of many not all at once, but they will end; the sweep does the rest. */
  withdrawBefore(author: string, seq: number): void;
  /** Erases content and every index entry of the message and leaves a tombstone. */
  erase(standing: MessageState, gone: Tombstone): void;
  /** In place of what was left of the same message, if anything was. */
  putGone(gone: Tombstone): void;
  dropGone(id: string): void;
  /** Hashes of a live message's attachments. */
  attachmentsOf(seq: number): readonly string[];
  /** The text of an attachment goes, whoever else named it. */
  dropBlob(sha256: string): void;
  /** The message joins (1) or leaves (-1) its thread, which then has so many; joining moves the thread's last activity. */
  joinThread(root: string, by: 1 | -1): number;

  /** The author of the message that came just now, if one did: what it set off is no news to its author. */
  readonly cause: string | undefined;
  /** The agent is to hear of it in its inbox. */
  hear(change: InboxChange): void;

  /** Moves one of the board's counts: how many live messages have this kind, status, tag and so on. */
  tally(field: TallyField, label: string, by: 1 | -1): void;
  /** Moves one of the counts kept for each agent. */
  tallyAgent(agent: string, field: AgentField, label: string, by: number): void;
  labelsOf(seq: number): readonly Label[];

  keyOp(id: string): StoredKeyOp | undefined;
  putKeyOp(op: StoredKeyOp): void;
  /** Lines of keys in which something waited whose time has come, at most `limit`. */
  dueLines(limit: number): readonly LineState[];

  /** Appends to the log and answers the new entry's seq; `digest` is of a new message's raw bytes. */
  log(type: EntryType, id: string, detail: string | null, created?: { readonly digest: string; readonly assisted: boolean }): number;
}
