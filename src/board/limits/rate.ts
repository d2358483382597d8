// Token buckets, each stored as one number per caller: the time at which its bucket is full again.
import { Refusal } from "../../core/errors.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Bucket, bucketsOf, type PublishedRates, publishedRates, type Scope, TOKEN_MS } from "./bucket-sizes.ts";
import { countedAs, countsNetwork, MAX_CALLERS, NETWORK, NETWORK_WIDTH } from "./callers.ts";
import { CallerPauses } from "./caller-pauses.ts";
import { Held } from "./held-per-caller.ts";
import { rateRefusal } from "./rate-refusal.ts";
import { WaitingLine } from "./retry-spread.ts";

/** Tokens that a caller has taken and that were not yet reported to other nodes. `caller` is the name under which it is counted. */
export interface Spent {
  readonly scope: Scope;
  readonly caller: string;
  readonly tokens: number;
}

/** With more nodes than this, a caller that spreads its calls over all of them can exceed its rate. */
const NODES_SHARING = 8;

/** What is left in a bucket. */
export interface Allowance extends Pick<Bucket, "burst" | "everyMs"> {
  readonly scope: Scope;
  readonly unit: Bucket["unit"];
  readonly tokens: number;
  readonly fullInMs: number;
}

export interface RateOptions {
  /** A factor for the usual limits. */
  readonly width?: number;
  /** Processor time that one token pays for. */
  readonly tokenMs?: number | undefined;
  /** Set if nodes share usage: hides a caller's address in what other nodes get. */
  readonly seal?: ((name: string) => string) | undefined;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #on: boolean;
  readonly tokenMs: number;
  readonly #seal: RateOptions["seal"];
  readonly pauses: CallerPauses;
  readonly #sealed = new BoundedCache<string, readonly string[]>(MAX_CALLERS);
  readonly #buckets: Readonly<Record<Scope, Bucket>>;
  readonly #networkBuckets: Readonly<Record<Scope, Bucket>>;
  readonly #width: number;
  /** The streams and long polls that callers have open at the same time. */
  readonly #open: Held;
  readonly #lines = new WaitingLine(MAX_CALLERS);
  readonly #fullAt = new Map<Scope, BoundedCache<string, number>>();
  readonly #unshared = new BoundedCache<string, Spent>(MAX_CALLERS);

  constructor(clock: Clock, on: boolean, { width = 1, tokenMs = TOKEN_MS, seal }: RateOptions = {}) {
    this.#buckets = bucketsOf(width);
    this.#networkBuckets = bucketsOf(width * NETWORK_WIDTH);
    this.#open = new Held(publishedRates(width).streams_at_once);
    this.#width = width;
    this.tokenMs = tokenMs;
    this.#clock = clock;
    this.#on = on;
    this.#seal = seal;
    this.pauses = new CallerPauses({
      on,
      width,
      restFor: (counted) => Math.max(0, this.#bucketOf("reads", counted).everyMs / tokenMs - 1),
    });
  }

  /** The limits in force, as they are published to callers. */
  get published(): PublishedRates {
    return publishedRates(this.#width);
  }
  get connectionsAtOnce(): number {
    return this.#on ? this.published.connections_at_once : Infinity;
  }

  /**
   * Takes a token, or several; refuses if there are too few. If a caller is let in with less than a token, it owes the rest until
   * `giveBack`. `bits` returns the proof of work that would be enough, if work buys a higher limit.
   */
  take(scope: Scope, caller: string, tokens = 1, bits?: () => number): void {
    if (!this.#on) return;
    this.#require(scope, caller, Math.min(tokens, this.#buckets[scope].least ?? tokens), { takes: tokens, bits });
    this.#spend(scope, caller, tokens);
  }

  /**
   * Takes what a request costs beyond its own token, for the processor time that it has used so far. Refuses if the bucket has less; the
   * tokens are taken all the same.
   */
  takeForTime(scope: Scope, caller: string, tokens: number, spentMs: number): void {
    if (!this.#on) return;
    try {
      this.#require(scope, caller, tokens, { takes: tokens, costMs: spentMs });
    } finally {
      this.#spend(scope, caller, tokens);
    }
  }

  /** Takes the cost of a request that can no longer be refused, even if the bucket has less. */
  owe(scope: Scope, caller: string, tokens: number): void {
    if (this.#on) this.#spend(scope, caller, tokens);
  }

  /** Refuses a running request, which has used this much processor time, if its caller owes more than it may. */
  require(scope: Scope, caller: string, spentMs: number): void {
    if (this.#on) this.#require(scope, caller, -mayOwe(this.#buckets[scope]), { takes: 1, costMs: spentMs });
  }

  /** How much a caller has left in its emptiest bucket; undefined if nothing is limited. */
  allowance(scope: Scope, caller: string): Allowance | undefined {
    if (!this.#on) return undefined;
    const allowances = this.#names(caller).map((counted): Allowance => {
      const { burst, everyMs, unit } = this.#bucketOf(scope, counted);
      const missingMs = this.#over(scope, counted, burst);
      return { scope, burst, everyMs, unit, tokens: Math.max(0, burst - missingMs / everyMs), fullInMs: missingMs };
    });
    return allowances.reduce((least, one) => (one.tokens < least.tokens ? one : least));
  }

  /** Takes from several buckets, or from none of them; the returned function puts everything back. */
  takeAll(due: readonly (readonly [scope: Scope, caller: string, tokens: number])[]): () => void {
    const taken: (typeof due)[number][] = [];
    const giveBack = (): void => taken.forEach(([scope, caller, tokens]) => this.giveBack(scope, caller, tokens));
    try {
      for (const one of due) {
        this.take(...one);
        taken.push(one);
      }
    } catch (error) {
      giveBack();
      throw error;
    }
    return giveBack;
  }

  /** Takes what a post of this many bytes counts as; the returned function puts it back. */
  takeBytes(scope: "bytes" | "agent_bytes", caller: string, length: number): () => void {
    return this.takeAll([[scope, caller, Math.max(length, LIMITS.post_bytes)]]);
  }

  /** Puts back the tokens of a call that had no effect. */
  giveBack(scope: Scope, caller: string, tokens = 1): void {
    if (!this.#on) return;
    const callers = this.#callers(scope);
    for (const counted of this.#names(caller)) {
      const fullAt = callers.get(counted);
      if (fullAt !== undefined) callers.set(counted, fullAt - tokens * this.#bucketOf(scope, counted).everyMs);
      const key = `${scope} ${counted}`;
      const unshared = this.#unshared.get(key);
      // Tokens that were already reported to other nodes still count there. That errs on the safe side, and ends when the bucket is full.
      if (unshared !== undefined) this.#unshared.set(key, { ...unshared, tokens: Math.max(0, unshared.tokens - tokens) });
    }
  }

  /** Whether there is a token to take, or this many. */
  has(scope: Scope, caller: string, tokens = this.#buckets[scope].least ?? 1): boolean {
    return !this.#on || this.#names(caller).every((counted) => this.#over(scope, counted, tokens) <= 0);
  }

  /** Whether a post of this many bytes would be within the limit. */
  hasBytes(scope: "bytes" | "agent_bytes", caller: string, length: number): boolean {
    return this.has(scope, caller, Math.max(length, LIMITS.post_bytes));
  }

  /** What a caller has taken, here or on other nodes, under one of its names. */
  charge(scope: Scope, counted: string, tokens: number): void {
    const now = this.#clock.now();
    const callers = this.#callers(scope);
    const bucket = this.#bucketOf(scope, counted);
    const fullAt = Math.min(Math.max(callers.get(counted) ?? 0, now) + tokens * bucket.everyMs, now + this.#longest(bucket));
    callers.set(counted, fullAt);
  }

  #spend(scope: Scope, caller: string, tokens: number): void {
    for (const counted of this.#names(caller)) {
      this.charge(scope, counted, tokens);
      if (this.#seal === undefined) continue;
      const key = `${scope} ${counted}`;
      this.#unshared.set(key, { scope, caller: counted, tokens: (this.#unshared.get(key)?.tokens ?? 0) + tokens });
    }
  }

  #names(caller: string): readonly string[] {
    const seal = this.#seal;
    if (seal === undefined) return countedAs(caller);
    let names = this.#sealed.get(caller);
    if (names === undefined) {
      names = countedAs(caller).map((name) => (countsNetwork(name) ? `${seal(name)}${NETWORK}` : seal(name)));
      this.#sealed.set(caller, names);
    }
    return names;
  }

  #require(scope: Scope, caller: string, tokens: number, { takes, bits, costMs }: Asked): void {
    for (const counted of this.#names(caller)) {
      const over = this.#over(scope, counted, tokens);
      if (over <= 0) continue;
      const bucket = this.#bucketOf(scope, counted);
      const waitMs = this.#lines.join(`${scope} ${counted}`, this.#clock.now(), over, takes * bucket.everyMs);
      const seconds = Math.ceil(waitMs / 1000);
      throw rateRefusal(scope, bucket, { seconds, network: countsNetwork(counted), takes, costMs, bits: bits?.() });
    }
  }

  /** How many milliseconds it takes until the bucket has this many tokens; 0 or less if it has them now. */
  #over(scope: Scope, counted: string, tokens: number): number {
    const bucket = this.#bucketOf(scope, counted);
    const now = this.#clock.now();
    const callers = this.#callers(scope);
    const known = callers.get(counted) ?? 0;
    // If the clock was set back, the stored time may be farther ahead than anybody can owe. Then waiting starts now, with an empty bucket.
    const isAhead = known > now + this.#longest(bucket);
    const fullAt = isAhead ? now + (bucket.burst + mayOwe(bucket)) * bucket.everyMs : Math.max(known, now);
    if (isAhead) callers.set(counted, fullAt);
    return fullAt - now + (tokens - bucket.burst) * bucket.everyMs;
  }

  #bucketOf(scope: Scope, counted: string): Bucket {
    return countsNetwork(counted) ? this.#networkBuckets[scope] : this.#buckets[scope];
  }

  /**
   * What callers have taken since the last call, `ms` ago. Callers that took so little that they stay within their rate on all nodes
   * together are left out.
   */
  spent(ms: number): readonly Spent[] {
    const shared = [...this.#unshared.values()].filter(({ scope, tokens }) => tokens * this.#buckets[scope].everyMs * NODES_SHARING > ms);
    this.#unshared.clear();
    return shared;
  }

  /** Counts one more long call of a caller; the returned function ends it. */
  enter(caller: string): () => void {
    if (!this.#on) return () => {};
    const over = this.#open.over(caller);
    if (over === undefined) return this.#open.add(caller);
    throw new Refusal("too_many_streams", `This ${over.who} has ${over.held} streams and long polls open; ${over.most} are allowed.`, {
      details: { at_once: over.most },
    });
  }

  /**
   * The longest time until a bucket is full again. What a call costs beyond its token is known only later, and tokens taken on other nodes
   * are owed here too, otherwise a caller would have a full rate on each node.
   */
  #longest({ burst, everyMs }: Bucket): number {
    return burst * everyMs + Math.max(OWED_MS, this.#seal === undefined ? 0 : burst * everyMs);
  }

  #callers(scope: Scope): BoundedCache<string, number> {
    let callers = this.#fullAt.get(scope);
    if (callers === undefined) this.#fullAt.set(scope, (callers = new BoundedCache(MAX_CALLERS)));
    return callers;
  }
}

interface Asked {
  /** The tokens that the call takes once the bucket has enough. */
  readonly takes: number;
  readonly bits?: (() => number) | undefined;
  readonly costMs?: number;
}

/** What a caller owes is paid off after this time at the latest. */
const OWED_MS = 60_000;

/** How many tokens a caller may owe: one if it may be let in with less than a whole token. */
const mayOwe = ({ least }: Bucket): number => (least === undefined ? 0 : 1);
