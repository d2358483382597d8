// Counts of the board: messages by kind, status and label, and what happens per minute. And counts of agents, by principal: for authors, and
// for agents that answer, vote, signal and hold leases. Those of agents:
//
// `live`: the agent's messages that default listings show, under no label. `kind`: the same by kind, of which there can be very many.
// `need` and `offer`: the needs and offers of those messages.
// `work` has three counts. `answered`: those of the messages that answer something. `claimed`: the leases that the agent holds now.
// `resolved`: live workable messages that are resolved and that the agent has answered with a live message.
// `given`: the agent's votes in force. `received` and `signal`: the votes and signals in force on its messages.
// Answers, votes and signals count while their target is live, superseded or not; a vote on a message that very many voted on counts as given
// until it ends itself.
import { type Signal, isWorkable, type Status, type Vote } from "../protocol/vocabulary.ts";
import type { Label, Ledger, MessageState, Flow, AgentField, TallyField, VoteOf } from "./message-state.ts";
import type { Ref } from "../protocol/payload.ts";
import { HOUR_MS, minuteOf } from "../durations.ts";

const VOTES = ["verifies", "refutes"] as const satisfies readonly Vote[];

/** Only this many answers to one message are noted, so that resolving it is never a long write. */
const ANSWERS_NOTED = 100;

/** Counts the message for its author: `by` is 1 when it enters default listings, and -1 when it leaves them. */
export function creditMessage(
  ledger: Ledger,
  { principal: author, kind }: MessageState,
  labels: readonly Label[],
  refs: readonly Ref[],
  by: 1 | -1,
): void {
  ledger.tallyAgent(author, "live", "", by);
  ledger.tallyAgent(author, "kind", kind, by);
  for (const { field, label } of labels) if (field !== "tag") ledger.tallyAgent(author, field, label, by);
  if (refs.some((ref) => ref.rel === "answers")) ledger.tallyAgent(author, "work", "answered", by);
}

export function creditLease(ledger: Ledger, from: string | null, to: string | null): void {
  if (from === to) return;
  if (from !== null) ledger.tallyAgent(ledger.principalOf(from), "work", "claimed", -1);
  if (to !== null) ledger.tallyAgent(ledger.principalOf(to), "work", "claimed", 1);
}

export function creditVote(ledger: Ledger, { principal: author }: MessageState, voter: string, rel: Vote, by: 1 | -1): void {
  creditGiven(ledger, voter, rel, by);
  ledger.tallyAgent(author, "received", rel, by);
}

export const creditGiven = (ledger: Ledger, voter: string, rel: Vote, by: 1 | -1): void => ledger.tallyAgent(voter, "given", rel, by);

export function creditSignal(ledger: Ledger, { principal: author }: MessageState, signal: Signal, by: 1 | -1): void {
  ledger.tallyAgent(author, "signal", signal, by);
}

/** An answer to the target was added or ended; `target.answers` includes the change. */
export function creditAnswer(ledger: Ledger, target: MessageState, { principal: agent, seq }: MessageState, by: 1 | -1): void {
  const before = ledger.hasAnswerer(target.seq, agent);
  if (by === -1) ledger.dropAnswerer(target.seq, agent, seq);
  else if (target.answers <= ANSWERS_NOTED) ledger.addAnswerer(target.seq, agent, seq);
  const after = ledger.hasAnswerer(target.seq, agent);
  if (before !== after && target.status === "resolved") ledger.tallyAgent(agent, "work", "resolved", after ? 1 : -1);
}

/** The target has become resolved (1) or is no longer resolved (-1). */
export function creditResolved(ledger: Ledger, target: MessageState, by: 1 | -1): void {
  for (const agent of ledger.answerers(target.seq)) ledger.tallyAgent(agent, "work", "resolved", by);
}

/** The message ends for good, and with it everything that was done to it. */
export function uncredit(ledger: Ledger, target: MessageState, votes: readonly VoteOf[]): void {
  creditLease(ledger, target.claimedBy, null);
  if (target.status === "resolved" && target.answers > 0) creditResolved(ledger, target, -1);
  for (const rel of VOTES) if (target[rel] > 0) ledger.tallyAgent(target.principal, "received", rel, -target[rel]);
  for (const { agent, rel } of votes) creditGiven(ledger, agent, rel, -1);
  ledger.forgetVotes(target.seq, votes);
  for (const [signal, count] of Object.entries(target.signals)) ledger.tallyAgent(target.principal, "signal", signal, -count);
}

/** Counts an event in the current minute. */
export function tallyFlow(ledger: Ledger, flow: Exclude<Flow, "posted">): void {
  ledger.tally(flow, String(minuteOf(ledger.now)), 1);
}

/** Counts a post in its minute, by its proof of work, and in its hour. */
export function tallyPosted(ledger: Ledger, { bits }: MessageState): void {
  ledger.tally("posted", `${minuteOf(ledger.now)}:${bits}`, 1);
  ledger.tally("hour", String(minuteOf(ledger.now - (ledger.now % HOUR_MS))), 1);
}

/** Adds a message to the counts of default listings, or subtracts it. */
export function tallyMessage(ledger: Ledger, state: MessageState, labels: readonly Label[], refs: readonly Ref[], by: 1 | -1): void {
  ledger.tally("kind", state.kind, by);
  tallyStatus(ledger, state, state.status, by);
  for (const { field, label, spelling } of labels) {
    ledger.tally(field, label, by);
    if (spelling !== label) ledger.tally(`${field}_as`, `${label},${spelling}`, by);
  }
  creditMessage(ledger, state, labels, refs, by);
}

export function tallyStatus(ledger: Ledger, { kind }: MessageState, status: Status, by: 1 | -1): void {
  ledger.tally("status", status, by);
  if (isWorkable(kind)) ledger.tally("work", status, by);
}

/** A change of a count. */
export interface TallyMove {
  /** Undefined for counts of the whole board. */
  readonly agent: string | undefined;
  readonly field: TallyField | AgentField;
  readonly label: string;
  by: number;
  arrived: boolean;
}

/** Counts per minute are kept a little longer than the statistics need them. */
const RETAINED_MINUTES = 8 * 24 * 60;

/** Minutes since 1970 have eight digits until the year 2160, so they compare as text. */
export const oldestRetainedMinute = (now: number): string => String(minuteOf(now) - RETAINED_MINUTES);

/** Changes are collected during a transaction and summed at its end: the count of a popular tag changes many times in a batch. */
export class TallyMoves {
  readonly #moves: TallyMove[] = [];
  #sums: ReadonlyMap<string, TallyMove> | undefined;

  /** The number of collected changes; an undone act is cut off again. */
  get length(): number {
    return this.#moves.length;
  }
  cut(length: number): void {
    this.#moves.length = length;
    this.#sums = undefined;
  }

  move(agent: string | undefined, field: TallyMove["field"], label: string, by: number): void {
    this.#moves.push({ agent, field, label, by, arrived: by > 0 });
    this.#sums = undefined;
  }

  sums(): Iterable<TallyMove> {
    return (this.#sums ??= this.#added()).values();
  }

  #added(): ReadonlyMap<string, TallyMove> {
    const sums = new Map<string, TallyMove>();
    for (const move of this.#moves) {
      // Neither fields nor agent ids contain a space.
      const key = `${move.agent ?? ""} ${move.field} ${move.label}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { ...move });
      else {
        sum.by += move.by;
        sum.arrived ||= move.arrived;
      }
    }
    return sums;
  }
}
