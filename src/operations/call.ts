// The one door: how a call of an operation is admitted, whichever way it came. HTTP, its answers at hand and MCP are adapters of this.
//
// Is it open? Is it paid for? Then, in the caller's turn and at the caller's cost: what was asked, read by the operation's own schemas; held,
// if it stays open for long; run; and at the end what came to nothing is given back.
import type { RateLimiter, Room } from "../board/limits/rate.ts";
import { bitsForNow } from "../board/limits/work-discount.ts";
import { pacedShare, shareOf } from "../board/limits/share.ts";
import { atTheCostOf, nextSlice, slice } from "../ports/share.ts";
import { readInput } from "./input.ts";
import type { Call, Operation, Reply } from "./operation.ts";

/** The caller, on any transport. */
export interface Guest {
  /** The address that it came from, as limits count callers. */
  readonly caller: string;
  /** A read that is paid for already and that no operation has used yet; undefined where each call pays for itself. */
  paid?: boolean;
  /** Throws where no secret may come this way. */
  requireSafe(): void;
  /** Resolves when it may be worked on. */
  turn?(): Promise<void> | undefined;
  /** It only waits from now on. */
  waits?(): void;
  /** It was worked on for so long. */
  used?(ms: number): void;
}

/** What was asked, as it was written. */
export interface Asked {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Of the body. */
  readonly text: string;
}

/** All that the door has to know of what is called. */
export type Callable = Pick<Operation, "rate" | "input" | "refusals"> &
  Partial<
    Pick<
      Operation,
      "secret" | "requireOpen" | "refunds" | "keeps" | "pace" | "work" | "paced" | "extraRate" | "requireReady" | "body" | "holds"
    >
  >;

/** Before anything of the body is read: who asks too often costs next to nothing. */
export function admitCall(operation: Callable, guest: Guest, rates: RateLimiter): AdmittedCall {
  if (operation.secret === true) guest.requireSafe();
  operation.requireOpen?.();
  if (operation.refunds === true && guest.paid === undefined) rates.take("reads", guest.caller);
  if (operation.rate === "reads" && guest.paid === true) guest.paid = false;
  else pay(operation, guest.caller, rates);
  return new AdmittedCall(operation, guest, rates);
}

/** All that there is to it where an answer is at hand: what has one is always open, and holds no secret. */
export const pay = ({ rate, work }: Pick<Callable, "rate" | "work">, caller: string, rates: RateLimiter): void =>
  rates.take(rate, caller, 1, work && (() => bitsForNow(work())));
/** Takes nothing. */
export const couldPay = ({ rate }: Pick<Callable, "rate">, caller: string, rates: RateLimiter): boolean => rates.has(rate, caller);

export class AdmittedCall {
  readonly #operation: Callable;
  readonly #guest: Guest;
  readonly #rates: RateLimiter;
  #bytesBack: (() => void) | undefined = undefined;
  #agent: string | undefined = undefined;
  #ended = false;

  constructor(operation: Callable, guest: Guest, rates: RateLimiter) {
    this.#operation = operation;
    this.#guest = guest;
    this.#rates = rates;
  }

  /** One of many that came in this request: let in and paid for by itself, as a request of its own would be. */
  another(used: (ms: number) => void): AdmittedCall {
    const { caller } = this.#guest;
    return admitCall(this.#operation, { caller, requireSafe: () => {}, used }, this.#rates);
  }

  /** Whether another one of so many bytes would be let in now. */
  hasRoomFor(length: number): boolean {
    const { caller } = this;
    if (!couldPay(this.#operation, caller, this.#rates)) return false;
    return this.#operation.keeps !== true || this.#rates.hasBytes("bytes", caller, length);
  }

  /** Those that it brought pay for themselves, and it costs nothing more. */
  payNothing(): void {
    this.#rates.giveBack(this.#operation.rate, this.caller);
  }

  /** The others have as much time to themselves as was used. */
  async rest(usedMs: number): Promise<void> {
    const { caller } = this;
    await atTheCostOf({ caller, spend: () => {}, rest: () => this.#rates.pauseFor(usedMs) }, nextSlice);
  }

  get caller(): string {
    return this.#guest.caller;
  }

  /** Counts the bytes of what is to be kept, once. */
  countBytes(length: number): void {
    if (this.#operation.keeps === true) this.#bytesBack ??= this.#rates.takeBytes("bytes", this.#guest.caller, length);
  }

  /** In the caller's turn, and from there on at its cost. */
  async work<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#guest.turn?.();
    return this.atItsCost(work);
  }

  /** It has had its turn. */
  atItsCost<Result>(work: () => Promise<Result>): Promise<Result> {
    const { rate, paced } = this.#operation;
    const { caller } = this.#guest;
    const share = paced === true ? pacedShare(this.#rates, caller) : shareOf(this.#rates, rate, caller, (ms) => this.#guest.used?.(ms));
    return atTheCostOf(share, work);
  }

  /** Input and body by the operation's own schemas; some inputs are paid for from a second bucket. */
  read({ params, query, text }: Asked): Pick<Call<Record<string, unknown>>, "input" | "body"> {
    const operation = this.#operation;
    const input = readInput(operation, params, query);
    const extra = operation.extraRate?.(input);
    if (extra !== undefined) this.#rates.take(extra, this.#guest.caller);
    if (operation.keeps === true) this.countBytes(Buffer.byteLength(text));
    operation.requireReady?.();
    const reader = operation.body;
    return { input, body: reader === undefined ? undefined : slice(() => reader.read(text)) };
  }

  /** A call that stays open for long has its place among the caller's others until it leaves. */
  hold(input: Record<string, unknown>): (() => void) | undefined {
    if (this.#operation.holds?.(input) !== true) return undefined;
    const leave = this.#rates.enter(this.#guest.caller);
    this.#guest.waits?.();
    return leave;
  }

  /** It was done, and took so much: the rest of its token is there for others before the answer is sent. */
  settle({ tokens = 1, agent }: Pick<Reply, "tokens" | "agent">): void {
    if (tokens < 1) this.#rates.giveBack(this.#operation.rate, this.#guest.caller, 1 - tokens);
    this.#agent = agent;
  }

  /** How much is left to the caller, if that is counted: of the bucket that paid, and of the agent's own, if the agent is known. */
  get rooms(): readonly Room[] {
    const rooms = [
      this.#rates.room(this.#operation.rate, this.#guest.caller),
      this.#agent === undefined ? undefined : this.#rates.room(this.#operation.pace ?? "agent_writes", this.#agent),
    ];
    return rooms.filter((room) => room !== undefined);
  }

  /** It is answered so: what was refused gives back what it took, what was not kept its bytes. The first word counts. */
  end(status: number): void {
    if (this.#ended) return;
    this.#ended = true;
    const { refunds, rate } = this.#operation;
    if (status >= 400 && refunds === true) this.#rates.giveBack(rate, this.#guest.caller);
    if (status !== 201) this.#bytesBack?.();
  }
}
