// How a message ends: expired, retracted, removed or superseded, its effects on others are taken back.
import { isVote, isWorkable, type Rel } from "../protocol/vocabulary.ts";
import { creditGiven, uncredit, tallyFlow, tallyMessage } from "./counts.ts";
import { acts, cameBack, changeVote, countAnswer, countSignal, freeOfPart, isToDo, release } from "./effects.ts";
import { type Tombstone, type EndReason, type Ledger, type MessageState, type VoteOf, VOTES_TAKEN_BACK } from "./message-state.ts";
import { type Trace, traceOf } from "./trace.ts";

const ENTRY_OF = { expired: "expire", retracted: "retract", removed: "remove" } as const;

/** A message ends for good; its tombstone stays for a while. Returns the seq of its last entry. */
export function leave(ledger: Ledger, state: MessageState, reason: EndReason, statement: string | null = null): number {
  const entry = ledger.log(ENTRY_OF[reason], state.id, statement);
  const voters = state.verifies + state.refutes;
  const votes = voters === 0 || voters > VOTES_TAKEN_BACK ? [] : ledger.votesOn(state.seq);
  const trace = reason === "removed" ? null : JSON.stringify(traceIn(ledger, state, votes));
  cease(ledger, state, entry);
  uncredit(ledger, state, votes);
  const { id, seq, author, kind, root, receivedAt } = state;
  const tombstone: Tombstone = {
    id,
    seq,
    author,
    kind: reason === "removed" ? kindOfRemoved(kind) : kind,
    root,
    receivedAt,
    reason,
    // When it ended for its readers, which may be before the sweep.
    at: Math.min(state.expiresAt, ledger.now),
    statement,
    trace,
    restored: false,
    changed: entry,
  };
  ledger.erase(state, tombstone);
  // A superseded message stays in its thread; only an erased one leaves it.
  if (ledger.joinThread(root, -1) === 0) ledger.tally("thread", "live", -1);
  tallyFlow(ledger, reason);
  return entry;
}

function traceIn(ledger: Ledger, state: MessageState, votes: readonly VoteOf[]): Trace {
  const { seq, hasAttachment } = state;
  return traceOf(state, ledger.refsOf(seq), ledger.labelsOf(seq), votes, hasAttachment ? ledger.attachmentsOf(seq) : []);
}

export function supersede(ledger: Ledger, target: MessageState, by: string): void {
  const entry = ledger.log("supersede", target.id, JSON.stringify({ by }));
  cease(ledger, target, entry);
  target.supersededBy = by;
  target.supersededAt = ledger.now;
  ledger.update(target);
}

/** Takes back the effects of a message that expired, was withdrawn, removed or superseded. */
function cease(ledger: Ledger, actor: MessageState, entry: number): void {
  if (actor.supersededBy !== null) return;
  const refs = ledger.refsOf(actor.seq);
  const agent = actor.principal;
  tallyMessage(ledger, actor, ledger.labelsOf(actor.seq), refs, -1);
  for (const { rel, id } of refs) {
    const target = ledger.find(id);
    if (target === undefined) takeBackLeft(ledger, rel, id, actor);
    if (target === undefined || !acts(rel, actor, target) || (rel !== "reply" && cameBack(target, actor))) continue;
    switch (rel) {
      case "reply":
        target.replies--;
        ledger.update(target);
        break;
      case "answers":
        countAnswer(ledger, target, actor, -1);
        break;
      case "verifies":
      case "refutes":
        changeVote(ledger, target, agent, () => ledger.dropVote(target.seq, agent, actor.seq));
        break;
      case "claims":
        if (target.claimSeq === actor.seq) release(ledger, target);
        break;
      case "on": {
        const { signal } = actor;
        if (signal !== null && ledger.dropSignal(target.seq, agent, signal, actor.seq)) countSignal(ledger, target, agent, signal, -1);
        break;
      }
      case "subtask_of":
        if (isWorkable(actor.kind) && isToDo(actor.status)) freeOfPart(ledger, target, entry);
        break;
      case "retracts":
      case "supersedes":
      case "duplicates":
      case "builds_on":
      case "cites":
      case "summarizes":
        break;
    }
  }
}

/** Takes back a vote or signal that was left when its target ended. */
function takeBackLeft(ledger: Ledger, rel: Rel, id: string, { seq, principal: agent, signal }: MessageState): void {
  if (rel !== "on" && !isVote({ rel })) return;
  const target = ledger.tombstone(id)?.seq;
  if (target === undefined || target > seq) return;
  if (signal !== null) ledger.dropSignal(target, agent, signal, seq);
  const before = ledger.vote(target, agent);
  if (before === undefined) return;
  ledger.dropVote(target, agent, seq);
  const after = ledger.vote(target, agent);
  if (before === after) return;
  creditGiven(ledger, agent, before, -1);
  if (after !== undefined) creditGiven(ledger, agent, after, 1);
}

/** The name of an experiment is its author's own text. */
export const kindOfRemoved = (kind: string): string => (kind.startsWith("x-") ? "x-removed" : kind);
