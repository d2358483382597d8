// The rules of aliases in their simplest form: the holder of each name is computed again from everything that ever happened.
import { DAY_MS } from "../../src/core/durations.ts";
const LIFE = 30 * DAY_MS;
const QUARANTINE = 30 * DAY_MS;
/** A released name is reserved for its owner for this long. */
const RELEASED = 3 * DAY_MS;
const PER_AGENT = 5;

export interface Operation {
  readonly agent: string;
  readonly alias: string;
  readonly op: "claim" | "release";
  readonly ts: number;
}
type State =
  | { readonly is: "free" }
  | { readonly is: "held"; readonly agent: string; readonly lastTs: number; readonly claimedAt: number }
  | { readonly is: "kept"; readonly agent: string; readonly lastTs: number; readonly free: boolean };

export class AliasModel {
  now: number;
  readonly #operations: (Operation & { readonly at: number })[] = [];
  /** When each agent signed something that was accepted. */
  readonly #acts: { readonly agent: string; readonly at: number }[] = [];

  constructor(now: number) {
    this.now = now;
  }

  act(agent: string): void {
    this.#acts.push({ agent, at: this.now });
  }

  operate(operation: Operation): string {
    const { agent, alias, op, ts } = operation;
    const state = this.state(alias);
    const last = this.#operations.findLast((one) => one.alias === alias);
    const isSame = (one: Operation): boolean => one.alias === alias && one.agent === agent && one.op === op && one.ts === ts;
    if (state.is !== "free" && last?.ts === ts && this.#operations.some(isSame)) return op;
    if (op === "claim") {
      if (alias === "postmaster") return "alias_reserved";
      if (state.is === "held" && state.agent !== agent) return "alias_taken";
      if (state.is === "kept" && !state.free && state.agent !== agent) return "alias_taken";
    } else if (state.is !== "held" || state.agent !== agent) return "not_owner";
    if (state.is !== "free" && ts < state.lastTs) return "stale_alias_op";
    const others = this.held(agent).filter((name) => name !== alias);
    if (op === "claim" && others.length >= PER_AGENT) return "too_many_aliases";
    this.#operations.push({ ...operation, at: this.now });
    this.act(agent);
    return op;
  }

  /** All names ever used. */
  names(): readonly string[] {
    return [...new Set(this.#operations.map((one) => one.alias))].sort();
  }

  held(agent: string): readonly string[] {
    return this.names().filter((name) => {
      const state = this.state(name);
      return state.is === "held" && state.agent === agent;
    });
  }

  state(alias: string): State {
    const history = this.#operations.filter((one) => one.alias === alias);
    const last = history.at(-1);
    if (last === undefined) return { is: "free" };
    const { agent, ts: lastTs, at } = last;
    const end = last.op === "release" ? at : this.#silentFrom(agent, at);
    if (end > this.now) return { is: "held", agent, lastTs, claimedAt: this.#heldSince(history) };
    return end + QUARANTINE > this.now
      ? { is: "kept", agent, lastTs, free: last.op === "release" && end + RELEASED <= this.now }
      : { is: "free" };
  }

  /** How often the name expired, as the list of its owners in order. */
  expiries(alias: string): readonly string[] {
    const history = this.#operations.filter((one) => one.alias === alias);
    return history.flatMap(({ op, agent, at }, i) => {
      const until = history[i + 1]?.at ?? this.now;
      return op === "claim" && this.#silentFrom(agent, at) <= until ? [agent] : [];
    });
  }

  entries(alias: string): readonly { readonly type: string; readonly agent: string }[] {
    return this.#operations.filter((one) => one.alias === alias).map(({ op, agent }) => ({ type: `alias_${op}`, agent }));
  }

  /** The end of the first thirty days after `from` in which an agent signed nothing. */
  #silentFrom(agent: string, from: number): number {
    let last = from;
    for (const { at } of this.#acts.filter((one) => one.agent === agent && one.at > from)) {
      if (at >= last + LIFE) break;
      last = at;
    }
    return last + LIFE;
  }

  #heldSince(history: readonly (Operation & { readonly at: number })[]): number {
    let since = history.length - 1;
    for (; since > 0; since--) {
      const [before, after] = [history[since - 1], history[since]];
      if (before === undefined || after === undefined || before.op === "release" || before.agent !== after.agent) break;
      if (this.#silentFrom(before.agent, before.at) <= after.at) break;
    }
    return history[since]?.at ?? Number.NaN;
  }
}
