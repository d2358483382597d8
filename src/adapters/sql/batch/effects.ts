// The effects of messages on others inside one batch: votes, signals, answers and ended leases.
import type { Signal } from "../../../core/protocol/vocabulary.ts";
import { type VoteOf, VOTES_KEPT } from "../../../core/message/message-state.ts";
import { keyOf, WorkingSet } from "./working-set.ts";

type Vote = "verifies" | "refutes";

/** The part of the ledger that knows only the seqs of messages. */
export class BatchEffects {
  readonly set = new WorkingSet();

  vote(target: number, agent: string): Vote | undefined {
    return this.set.votes.get(keyOf(target, agent))?.at(-1)?.rel;
  }
  castVote(target: number, agent: string, seq: number, rel: Vote): void {
    const key = keyOf(target, agent);
    this.set.votes.set(key, [...(this.set.votes.get(key) ?? []), { seq, rel }].slice(-VOTES_KEPT));
  }
  dropVote(target: number, agent: string, seq: number): void {
    const key = keyOf(target, agent);
    this.set.votes.set(
      key,
      (this.set.votes.get(key) ?? []).filter((one) => one.seq !== seq),
    );
  }
  votesOn(target: number): readonly VoteOf[] {
    const prefix = `${target} `;
    const since = [...this.set.votes.changes.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    const agents = new Set([...(this.set.votersOf.get(String(target)) ?? []), ...since]);
    return [...agents].sort().flatMap((agent) => {
      const rel = this.vote(target, agent);
      return rel === undefined ? [] : [{ agent, rel }];
    });
  }
  forgetVotes(target: number, votes: readonly VoteOf[]): void {
    for (const { agent } of votes) this.set.votes.set(keyOf(target, agent), []);
  }
  hasSignal(target: number, agent: string, signal: Signal): boolean {
    return this.set.signals.get(keyOf(target, agent, signal)) !== undefined;
  }
  addSignal(target: number, agent: string, signal: Signal, seq: number): void {
    this.set.signals.set(keyOf(target, agent, signal), seq);
  }
  dropSignal(target: number, agent: string, signal: Signal, seq: number): boolean {
    const key = keyOf(target, agent, signal);
    if (this.set.signals.get(key) !== seq) return false;
    this.set.signals.set(key, undefined);
    return true;
  }
  barredUntil(target: number, agent: string): number | undefined {
    return this.set.barred.get(keyOf(target, agent));
  }
  bar(target: number, agent: string, until: number): void {
    this.set.barred.set(keyOf(target, agent), until);
  }
  answerers(target: number): readonly string[] {
    return [...new Set((this.set.answerers.get(String(target)) ?? []).map(({ agent }) => agent))];
  }
  hasAnswerer(target: number, agent: string): boolean {
    return this.answerers(target).includes(agent);
  }
  addAnswerer(target: number, agent: string, seq: number): void {
    this.set.answerers.set(String(target), [...(this.set.answerers.get(String(target)) ?? []), { agent, seq }]);
  }
  dropAnswerer(target: number, agent: string, seq: number): void {
    const rest = (this.set.answerers.get(String(target)) ?? []).filter((one) => one.seq !== seq || one.agent !== agent);
    this.set.answerers.set(String(target), rest);
  }
}
