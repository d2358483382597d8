// The steps of every call of an operation. HTTP, its fast paths and MCP all use these.
//
// First: is the operation switched on, and has the caller tokens left? Then, in the caller's turn and at its cost: read input and body by
// the operation's schemas, count the call among the open ones if it stays open for long, run it, and refund tokens of refused calls.
import { laneOf } from "../board/limits/callers.ts";
import type { PayForStored } from "../board/write/post-steps.ts";
import type { RateLimiter, Allowance } from "../board/limits/rate.ts";
import { bitsForNow } from "../board/limits/proof-of-work-discount.ts";
import { pacedShare, shareOf } from "../board/limits/cpu-time-price.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { atTheCostOf, nextSlice, slice } from "../ports/cpu-slices.ts";
import { readInput } from "./input.ts";
import type { Call, Operation, Reply } from "./operation.ts";

/** The caller, on any transport. */
export interface Guest {
  /** The address that it came from, as limits count callers. */
  readonly caller: string;
  /** A read that is already paid for and not used yet; undefined if each call pays for itself. */
  paid?: boolean;
  /** Throws if no secret may be sent over this transport. */
  requireSafe(): void;
  /** Resolves when it is the caller's turn. */
  turn?(): Promise<void> | undefined;
  /** Ends the turn: the call only waits from now on. */
  waits?(): void;
  /** Reports how long the call was worked on. */
  used?(ms: number): void;
}

/** The input of a call, not parsed yet. */
export interface Asked {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The body. */
  readonly text: string;
}

/** What a transport adds to the input and body of a call. */
export interface CallContext extends Omit<Call<Record<string, unknown>>, "input" | "body" | "payForStored"> {
  /** Whether the caller has the present answer already; asked only of answers that have a validator. */
  readonly isUnchanged?: (input: Record<string, unknown>) => Promise<boolean>;
}

/** A call that was answered. */
export interface AnsweredCall {
  readonly input: Record<string, unknown>;
  readonly answer: Reply;
}

/** The answer to a caller that has it already. */
const UNCHANGED: Reply = { status: 304, body: undefined };

/** An operation, as far as the first steps need it. */
export type Callable = Pick<Operation, "rate" | "input" | "refusals"> & Partial<Operation>;

/** Done before the body is read, so that refusing a caller that is too fast costs next to nothing. */
export function admitCall(operation: Callable, guest: Guest, rates: RateLimiter): AdmittedCall {
  if (operation.secret === true) guest.requireSafe();
  operation.requireOpen?.();
  if (operation.refunds === true && guest.paid === undefined) rates.take("reads", guest.caller);
  if (operation.rate === "reads" && guest.paid === true) guest.paid = false;
  else pay(operation, guest.caller, rates);
  return new AdmittedCall(operation, guest, rates);
}

/** Takes the token for a call. The fast path takes no other step, and answers only calls that need no other. */
export const pay = ({ rate, work }: Pick<Callable, "rate" | "work">, caller: string, rates: RateLimiter): void =>
  rates.take(rate, caller, 1, work && (() => bitsForNow(work())));
/** Whether the caller could pay; takes no tokens. */
export const couldPay = ({ rate }: Pick<Callable, "rate">, caller: string, rates: RateLimiter): boolean => rates.has(rate, caller);

/** Whether paying is the only step of such a call. */
export const onlyPays = (operation: Operation, input: Record<string, unknown>): boolean =>
  operation.secret !== true &&
  operation.requireOpen === undefined &&
  operation.keeps !== true &&
  operation.paced !== true &&
  operation.extraRate?.(input) === undefined &&
  operation.holds?.(input) !== true;

/**
 * All steps from reading to the answer, in the caller's turn. If the answer is a stream or a feed, the transport calls `leave` at its end.
 * A large answer waits until the caller has read its earlier ones; a call that stays open waits for that itself, when it has something to
 * answer.
 */
export async function runCall(operation: Operation, call: AdmittedCall, asked: Asked, context: CallContext): Promise<AnsweredCall> {
  const { input, body, payForStored } = call.read(asked);
  const holds = call.hold(input);
  const largeTurn = operation.large?.(input) === true ? context.largeTurn : undefined;
  if (!holds && largeTurn !== undefined) await largeTurn();
  if (!holds && operation.revalidate === true && (await context.isUnchanged?.(input)) === true) return { input, answer: UNCHANGED };
  const answer = await operation.run({
    ...context,
    input,
    body,
    payForStored,
    largeTurn: holds ? largeTurn : undefined,
  });
  call.succeeded(answer);
  if (answer.stream === undefined && answer.feed === undefined) call.leave();
  return { input, answer };
}

/** Each further part of a body of this size takes one more token, whatever becomes of it: to read it costs time. */
const TOKEN_BYTES = 64 * 1024;

export class AdmittedCall {
  readonly #operation: Callable;
  readonly #guest: Guest;
  readonly #rates: RateLimiter;
  #bytesBack: (() => void) | undefined = undefined;
  #bytesCounted = false;
  /** What was taken for the body. */
  #bytes = 0;
  #payer: string | undefined = undefined;
  #leave: (() => void) | undefined = undefined;
  #ended = false;

  constructor(operation: Callable, guest: Guest, rates: RateLimiter) {
    this.#operation = operation;
    this.#guest = guest;
    this.#rates = rates;
  }

  /** One of many calls in this request: admitted and paid for like a single request. */
  another(used: (ms: number) => void): AdmittedCall {
    const { caller } = this.#guest;
    return admitCall(this.#operation, { caller, requireSafe: () => {}, used }, this.#rates);
  }

  /** Whether another call of this size would be admitted now. */
  couldAdmit(length: number): boolean {
    const { caller } = this;
    if (!couldPay(this.#operation, caller, this.#rates)) return false;
    return this.#operation.keeps !== true || this.#rates.hasBytes("bytes", caller, length);
  }

  /** The calls in the request pay for themselves, so the request itself costs nothing more. */
  payNothing(): void {
    this.#rates.giveBack(this.#operation.rate, this.caller);
  }

  /** Waits as long as was used, so that other callers get as much time. */
  async rest(usedMs: number): Promise<void> {
    const { caller } = this;
    await atTheCostOf({ lane: laneOf(caller), spend: () => {}, rest: () => this.#rates.pauses.pause(caller, usedMs) }, nextSlice);
  }

  get caller(): string {
    return this.#guest.caller;
  }

  /** Counts the bytes of a body, once: those of a body that will be stored in a bucket of their own, those of others as tokens. */
  countBytes(length: number): void {
    if (this.#bytesCounted) return;
    this.#bytesCounted = true;
    const { keeps, rate } = this.#operation;
    const tokens = Math.floor(length / TOKEN_BYTES);
    if (keeps === true) this.#takeBytes(length);
    else if (tokens > 0) this.#rates.take(rate, this.caller, tokens);
  }

  #takeBytes(length: number): void {
    this.#bytesBack = this.#rates.takeBytes("bytes", this.caller, length);
    this.#bytes = Math.max(length, LIMITS.post_bytes);
  }

  readonly payForStored: PayForStored = (bytes) => this.#rates.takeAll([["bytes", this.caller, Math.max(0, bytes - this.#bytes)]]);

  /** Runs in the caller's turn; processor time is charged to the caller from here on. A call that fails stays open no longer. */
  async work<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#guest.turn?.();
    try {
      return await this.atItsCost(work);
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Runs the work and charges its processor time to the caller. */
  atItsCost<Result>(work: () => Promise<Result>): Promise<Result> {
    const { rate, paced } = this.#operation;
    const { caller } = this.#guest;
    const share =
      paced === true ? pacedShare(this.#rates.pauses, caller) : shareOf(this.#rates, rate, caller, (ms) => this.#guest.used?.(ms));
    return atTheCostOf(share, work);
  }

  /** Reads input and body by the operation's schemas; some inputs take tokens from a second bucket. */
  read({ params, query, text }: Asked): Pick<Call<Record<string, unknown>>, "input" | "body" | "payForStored"> {
    const operation = this.#operation;
    const input = readInput(operation, params, query);
    const extra = operation.extraRate?.(input);
    if (extra !== undefined) this.#rates.take(extra, this.#guest.caller);
    if (operation.keeps === true) this.countBytes(Buffer.byteLength(text));
    operation.requireReady?.();
    const reader = operation.body;
    const body = reader === undefined ? undefined : slice(() => reader.read(text));
    return { input, body, payForStored: this.payForStored };
  }

  /** A call that stays open for long counts among the caller's open calls until it leaves. Returns whether it is such a call. */
  hold(input: Record<string, unknown>): boolean {
    if (this.#operation.holds?.(input) !== true) return false;
    this.#leave = this.#rates.enter(this.#guest.caller);
    this.#guest.waits?.();
    return true;
  }

  /** The call stays open no longer. */
  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** The call succeeded and costs less than a token: the rest is refunded before the answer is sent. */
  succeeded({ tokens = 1, payer }: Pick<Reply, "tokens" | "payer">): void {
    if (tokens < 1) this.#rates.giveBack(this.#operation.rate, this.#guest.caller, 1 - tokens);
    this.#payer = payer;
  }

  /** What is left in the bucket that paid, and in the agent's own bucket, if the agent is known. */
  get allowances(): readonly Allowance[] {
    const allowances = [
      this.#rates.allowance(this.#operation.rate, this.#guest.caller),
      this.#payer === undefined ? undefined : this.#rates.allowance(this.#operation.pace ?? "agent_writes", this.#payer),
    ];
    return allowances.filter((one) => one !== undefined);
  }

  /** The call was answered: a refused call gets its tokens back, a body that was not stored its bytes. Only the first answer counts. */
  end(status: number): void {
    if (this.#ended) return;
    this.#ended = true;
    const { refunds, rate } = this.#operation;
    if (status >= 400 && refunds === true) this.#rates.giveBack(rate, this.#guest.caller);
    if (status !== 201) this.#bytesBack?.();
  }
}
