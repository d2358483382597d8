// Token buckets, kept as one number a caller: the time at which its bucket is full again.
import { Refusal } from "../core/errors.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { Recent } from "../core/recent.ts";
import type { Clock } from "../ports/clock.ts";
import { countedAs, isNetwork, NETWORK, NETWORK_WIDTH } from "./callers.ts";

export interface Bucket {
  /** So many at once, and after that one every `everyMs`. */
  readonly burst: number;
  readonly everyMs: number;
  readonly who: "agent" | "address" | "alias";
  /** What is counted; requests unless given. */
  readonly unit?: "bytes";
}

export const BUCKETS = {
  agent_writes: { burst: 20, everyMs: 3000, who: "agent" },
  writes: { burst: 60, everyMs: 500, who: "address" },
  reads: { burst: 300, everyMs: 50, who: "address" },
  searches: { burst: 60, everyMs: 500, who: "address" },
  reports: { burst: 5, everyMs: 720_000, who: "address" },
  keygens: { burst: 10, everyMs: 120_000, who: "address" },
  assists: { burst: 60, everyMs: 5000, who: "address" },
  mails: { burst: 60, everyMs: 1000, who: "alias" },
  agent_bytes: { burst: 2 * 1024 * 1024, everyMs: 1000 / 8192, who: "agent", unit: "bytes" },
  bytes: { burst: 2 * 1024 * 1024, everyMs: 1000 / 8192, who: "address", unit: "bytes" },
} as const satisfies Record<string, Bucket>;
export type Scope = keyof typeof BUCKETS;

/** The buckets of a board whose limits are so many times as wide. */
export const bucketsOf = (width: number): Readonly<Record<Scope, Bucket>> =>
  Object.fromEntries(
    Object.entries(BUCKETS).map(([scope, bucket]) => [scope, { ...bucket, burst: bucket.burst * width, everyMs: bucket.everyMs / width }]),
  ) as Record<Scope, Bucket>;

/** What a caller who was too fast is told. */
export interface PaceDetails {
  readonly scope: Scope;
  readonly retry_after_s: number;
  readonly burst: number;
  readonly then_every_s: number;
  readonly unit?: "bytes";
}

export interface PublishedRates {
  readonly rates: readonly {
    readonly scope: string;
    readonly per: Bucket["who"];
    readonly burst: number;
    readonly then_every_s: number;
    readonly unit?: "bytes";
  }[];
  /** Processor time that comes with a request; so much more is one more token. */
  readonly rate_ms: number;
  /** An IPv6 network of 48 bits may do so many times as much as one address. */
  readonly rate_ipv6_48_factor: number;
  readonly streams_at_once: number;
  readonly connections_at_once: number;
}

export const isScope = (name: string): name is Scope => Object.hasOwn(BUCKETS, name);

/** Tokens that a caller has taken and that others have not been told of, by the name that it is counted by. */
export interface Spent {
  readonly scope: Scope;
  readonly caller: string;
  readonly tokens: number;
}

/** Processor time that comes with a request, and that one more token buys. */
export const TOKEN_MS = 10;

/** Streams and long polls of one address. */
export const OPEN_AT_ONCE = 20;

/** Connections of one address. */
const CONNECTIONS_AT_ONCE = 500;

/** Requests of one address under way, and how long what arrives of it is looked at in one turn of the event loop. */
const AT_ONCE = 4;
/** Work that nobody notices. */
const SHORT_MS = 2;
const TURN_MS = 8;

const MAX_CALLERS = 100_000;
/** With more nodes than this, a caller who spreads its calls over all of them can exceed its pace. */
const NODES_SHARING = 8;

export interface TurnLimits {
  /** Requests of one caller that are worked on. */
  readonly atOnce: number;
  /** Of these, what begins in one turn of the event loop. */
  readonly perTurn: number;
  /** What arrives of one caller is looked at for so long in one turn. */
  readonly turnMs: number;
  /** How long nothing more begins for a caller after so much work for it. */
  readonly pauseFor: (usedMs: number) => number;
}

export interface RateOptions {
  /** So many times the usual limits. */
  readonly width?: number;
  /** Where other nodes are to hear what callers take here: they hear it of sealed names, for addresses are not theirs to keep. */
  readonly seal?: ((name: string) => string) | undefined;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #on: boolean;
  readonly #seal: RateOptions["seal"];
  readonly #sealed = new Recent<string, readonly string[]>(MAX_CALLERS);
  readonly #buckets: Readonly<Record<Scope, Bucket>>;
  readonly #networkBuckets: Readonly<Record<Scope, Bucket>>;
  readonly #openAtOnce: number;
  readonly #width: number;
  readonly #open = new Map<string, number>();
  readonly #fullAt = new Map<Scope, Recent<string, number>>();
  /** Until when each caller's answers under way rest, by the machine's own time. */
  readonly #pacedUntil = new Recent<string, number>(MAX_CALLERS);
  readonly #untold = new Recent<string, Spent>(MAX_CALLERS);

  constructor(clock: Clock, on: boolean, { width = 1, seal }: RateOptions = {}) {
    this.#buckets = bucketsOf(width);
    this.#networkBuckets = bucketsOf(width * NETWORK_WIDTH);
    this.#openAtOnce = OPEN_AT_ONCE * width;
    this.#width = width;
    this.#clock = clock;
    this.#on = on;
    this.#seal = seal;
  }

  /** The limits in force, in the form in which callers are told. */
  get published(): PublishedRates {
    return {
      rates: Object.entries(this.#buckets).map(([scope, { burst, everyMs, who, unit }]) => ({
        scope,
        per: who,
        burst,
        then_every_s: everyMs / 1000,
        ...(unit && { unit }),
      })),
      rate_ms: TOKEN_MS,
      rate_ipv6_48_factor: NETWORK_WIDTH,
      streams_at_once: this.#openAtOnce,
      connections_at_once: CONNECTIONS_AT_ONCE * this.#width,
    };
  }
  get connectionsAtOnce(): number {
    return this.#on ? CONNECTIONS_AT_ONCE * this.#width : Infinity;
  }

  /** How much of one caller is done at once, where that is limited. */
  get turns(): TurnLimits | undefined {
    return this.#on
      ? { atOnce: AT_ONCE * this.#width, perTurn: this.#width, turnMs: TURN_MS * this.#width, pauseFor: (ms) => this.pauseFor(ms) }
      : undefined;
  }

  /** Takes a token, or as many as there are to pay; refuses where there are too few. */
  take(scope: Scope, caller: string, tokens = 1): void {
    if (!this.#on) return;
    this.#require(scope, caller, tokens);
    this.#spend(scope, caller, tokens);
  }

  /** Takes what a request costs beyond its own token, for the processor time that it has used so far; refuses where that is more than there is. */
  takeForTime(scope: Scope, caller: string, tokens: number, spentMs: number): void {
    if (!this.#on) return;
    try {
      this.#require(scope, caller, tokens, spentMs);
    } finally {
      this.#spend(scope, caller, tokens);
    }
  }

  /** Refuses a request under way, which has used so much processor time, where its caller owes more than it has. */
  require(scope: Scope, caller: string, spentMs: number): void {
    if (this.#on) this.#require(scope, caller, 0, spentMs);
  }

  /** Takes from several buckets, or from none of them; the answer puts everything back. */
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

  /** Takes what a post of so many bytes counts for; the answer puts it back. */
  takeBytes(scope: "bytes" | "agent_bytes", caller: string, length: number): () => void {
    const bytes = Math.max(length, LIMITS.post_bytes);
    this.take(scope, caller, bytes);
    return () => this.giveBack(scope, caller, bytes);
  }

  /** How long a caller has to rest who has used so much processor time for answers under way: it may use as much as reads buy by and by. */
  pace(caller: string, usedMs: number): number {
    if (!this.#on) return 0;
    const now = performance.now();
    const until = Math.max(this.#pacedUntil.get(caller) ?? 0, now) + usedMs * Math.max(0, this.#buckets.reads.everyMs / TOKEN_MS - 1);
    this.#pacedUntil.set(caller, until);
    return until - now;
  }

  /** After so much work for one caller the others have as much time to themselves. */
  pauseFor(usedMs: number): number {
    return this.#on && usedMs >= SHORT_MS * this.#width ? usedMs / this.#width : 0;
  }

  /** Puts back the tokens of a call that came to nothing. */
  giveBack(scope: Scope, caller: string, tokens = 1): void {
    if (!this.#on) return;
    const callers = this.#callers(scope);
    for (const counted of this.#names(caller)) {
      const fullAt = callers.get(counted);
      if (fullAt !== undefined) callers.set(counted, fullAt - tokens * this.#bucketOf(scope, counted).everyMs);
      const key = `${scope} ${counted}`;
      const untold = this.#untold.get(key);
      // Where other nodes were told in the meantime, they count it: that errs on the safe side, and heals as the bucket fills.
      if (untold !== undefined) this.#untold.set(key, { ...untold, tokens: Math.max(0, untold.tokens - tokens) });
    }
  }

  /** Whether there is one to take. */
  has(scope: Scope, caller: string): boolean {
    return !this.#on || this.#names(caller).every((counted) => this.#over(scope, counted, 1) <= 0);
  }

  /** What has been given to a caller, here or by other nodes, under a name that it is counted by. */
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
      this.#untold.set(key, { scope, caller: counted, tokens: (this.#untold.get(key)?.tokens ?? 0) + tokens });
    }
  }

  #names(caller: string): readonly string[] {
    const seal = this.#seal;
    if (seal === undefined) return countedAs(caller);
    let names = this.#sealed.get(caller);
    if (names === undefined) {
      names = countedAs(caller).map((name) => (isNetwork(name) ? `${seal(name)}${NETWORK}` : seal(name)));
      this.#sealed.set(caller, names);
    }
    return names;
  }

  #require(scope: Scope, caller: string, tokens: number, costMs?: number): void {
    for (const counted of this.#names(caller)) {
      const over = this.#over(scope, counted, tokens);
      if (over <= 0) continue;
      throw limited(scope, this.#bucketOf(scope, counted), { seconds: Math.ceil(over / 1000), network: isNetwork(counted), costMs });
    }
  }

  /** How many milliseconds too early it is for so many. */
  #over(scope: Scope, counted: string, tokens: number): number {
    const bucket = this.#bucketOf(scope, counted);
    const now = this.#clock.now();
    const callers = this.#callers(scope);
    const known = callers.get(counted) ?? 0;
    const fullAt = Math.min(Math.max(known, now), now + this.#longest(bucket));
    // No bucket is emptier than empty: where the clock was set back, waiting starts from now.
    if (known > fullAt) callers.set(counted, fullAt);
    return fullAt - now + (tokens - bucket.burst) * bucket.everyMs;
  }

  #bucketOf(scope: Scope, counted: string): Bucket {
    return isNetwork(counted) ? this.#networkBuckets[scope] : this.#buckets[scope];
  }

  /** What callers have taken since it was last asked, `ms` ago, but for those so slow that all nodes together would keep their pace. */
  spent(ms: number): readonly Spent[] {
    const told = [...this.#untold.values()].filter(({ scope, tokens }) => tokens * this.#buckets[scope].everyMs * NODES_SHARING > ms);
    this.#untold.clear();
    return told;
  }

  /** One more long call of a caller; the answer ends it. */
  enter(caller: string): () => void {
    if (!this.#on) return () => {};
    const names = countedAs(caller);
    for (const counted of names) {
      const open = this.#open.get(counted) ?? 0;
      const atOnce = this.#openAtOnce * (isNetwork(counted) ? NETWORK_WIDTH : 1);
      if (open < atOnce) continue;
      const who = isNetwork(counted) ? "network (an IPv6 /48)" : "address";
      throw new Refusal("too_many_streams", `This ${who} has ${open} streams and long polls open; ${atOnce} are allowed.`, {
        details: { at_once: atOnce },
      });
    }
    for (const counted of names) this.#open.set(counted, (this.#open.get(counted) ?? 0) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      for (const counted of names) {
        const rest = (this.#open.get(counted) ?? 1) - 1;
        if (rest <= 0) this.#open.delete(counted);
        else this.#open.set(counted, rest);
      }
    };
  }

  /** Until a bucket is full again. What other nodes gave is owed, or an empty bucket on each would be a pace for each. */
  #longest({ burst, everyMs }: Bucket): number {
    return burst * everyMs * (this.#seal === undefined ? 1 : 2);
  }

  #callers(scope: Scope): Recent<string, number> {
    let callers = this.#fullAt.get(scope);
    if (callers === undefined) this.#fullAt.set(scope, (callers = new Recent(MAX_CALLERS)));
    return callers;
  }
}

interface Overdrawn {
  readonly seconds: number;
  /** Whether it is the wider network that has had enough, not this address alone. */
  readonly network: boolean;
  /** The processor time that this very request has used, where that was too much. */
  readonly costMs: number | undefined;
}

function limited(scope: Scope, { burst, everyMs, who, unit }: Bucket, { seconds, network, costMs }: Overdrawn): Refusal {
  const details: PaceDetails = { scope, retry_after_s: seconds, burst, then_every_s: everyMs / 1000, ...(unit && { unit }) };
  const pace =
    unit === "bytes"
      ? `${burst} bytes at once, then ${Math.round(1000 / everyMs)} a second`
      : `${burst} at once, then one every ${everyMs / 1000} s`;
  const used = `This ${network ? "network (an IPv6 /48)" : who} has used up its ${scope.replace("agent_", "")}: ${pace}`;
  return costMs === undefined
    ? new Refusal("rate_limited", `${used}.`, { details: { ...details } })
    : new Refusal("rate_limited", `${used}; this request took ${Math.round(costMs)} ms of processor time, and each 10 ms count as one.`, {
        details: { ...details, cost_ms: Math.round(costMs) },
        hint: "Ask for less: fewer filters that no index answers (`tag_not`, `min_author_age`), a smaller range (`since`, `after_seq`), another `sort`.",
      });
}
