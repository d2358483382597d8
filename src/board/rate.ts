// Token buckets, kept as one number a caller: the time at which its bucket is full again.
import { Refusal } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import type { Clock } from "../ports/clock.ts";

export interface Bucket {
  /** Requests at once, and after that one every `everyMs`. */
  readonly burst: number;
  readonly everyMs: number;
  readonly who: "agent" | "address";
}

export const BUCKETS = {
  agent_writes: { burst: 20, everyMs: 3000, who: "agent" },
  writes: { burst: 60, everyMs: 500, who: "address" },
  reads: { burst: 300, everyMs: 50, who: "address" },
  searches: { burst: 60, everyMs: 500, who: "address" },
  reports: { burst: 5, everyMs: 720_000, who: "address" },
  keygens: { burst: 10, everyMs: 120_000, who: "address" },
  assists: { burst: 60, everyMs: 5000, who: "address" },
} as const satisfies Record<string, Bucket>;
export type Scope = keyof typeof BUCKETS;

/** The buckets of a board whose limits are so many times as wide. */
export const bucketsOf = (width: number): Readonly<Record<Scope, Bucket>> =>
  Object.fromEntries(
    Object.entries(BUCKETS).map(([scope, { burst, everyMs, who }]) => [scope, { burst: burst * width, everyMs: everyMs / width, who }]),
  ) as Record<Scope, Bucket>;

/** What a caller who was too fast is told. */
export interface PaceDetails {
  readonly scope: Scope;
  readonly retry_after_s: number;
  readonly burst: number;
  readonly then_every_s: number;
}

export const isScope = (name: string): name is Scope => Object.hasOwn(BUCKETS, name);

/** Tokens that a caller has taken and that others have not been told of. */
export interface Spent {
  readonly scope: Scope;
  readonly caller: string;
  readonly tokens: number;
}

/** Streams and long polls of one address. */
export const OPEN_AT_ONCE = 20;

/** Connections of one address. */
const CONNECTIONS_AT_ONCE = 500;

const MAX_CALLERS = 100_000;
/** With more nodes than this, a caller who spreads its calls over all of them can exceed its pace. */
const NODES_SHARING = 8;

export class RateLimiter {
  readonly #clock: Clock;
  readonly #on: boolean;
  readonly #shared: boolean;
  readonly #buckets: Readonly<Record<Scope, Bucket>>;
  readonly #openAtOnce: number;
  readonly #width: number;
  readonly #open = new Map<string, number>();
  readonly #fullAt = new Map<Scope, Recent<string, number>>();
  readonly #untold = new Recent<string, Spent>(MAX_CALLERS);

  /** `shared`: other nodes are to hear what callers take here. `width`: so many times the usual limits. */
  constructor(clock: Clock, on: boolean, shared = false, width = 1) {
    this.#buckets = bucketsOf(width);
    this.#openAtOnce = OPEN_AT_ONCE * width;
    this.#width = width;
    this.#clock = clock;
    this.#on = on;
    this.#shared = shared;
  }

  /** The limits in force. */
  get buckets(): Readonly<Record<Scope, Bucket>> {
    return this.#buckets;
  }
  get connectionsAtOnce(): number {
    return this.#on ? CONNECTIONS_AT_ONCE * this.#width : Infinity;
  }
  get openAtOnce(): number {
    return this.#openAtOnce;
  }

  /** Takes one token, or refuses. */
  take(scope: Scope, caller: string): void {
    if (!this.#on) return;
    const callers = this.#callers(scope);
    const { over, fullAt } = this.#after(scope, caller);
    if (over > 0) {
      // No bucket is emptier than empty: where the clock was set back, waiting starts from now.
      callers.set(caller, fullAt - this.#buckets[scope].everyMs);
      throw limited(scope, this.#buckets[scope], Math.ceil(over / 1000));
    }
    callers.set(caller, fullAt);
    this.#noteSpent(scope, caller);
  }

  /** Takes what a request costs beyond its own token, for the processor time that it has used so far; refuses where that is more than there is. */
  takeForTime(scope: Scope, caller: string, tokens: number, spentMs: number): void {
    if (!this.#on) return;
    const { over } = this.#after(scope, caller, tokens);
    this.charge(scope, caller, tokens);
    this.#noteSpent(scope, caller, tokens);
    if (over > 0) throw limited(scope, this.#buckets[scope], Math.ceil(over / 1000), Math.round(spentMs));
  }

  /** Puts back the token of a call that came to nothing. */
  giveBack(scope: Scope, caller: string): void {
    const callers = this.#callers(scope);
    const fullAt = callers.get(caller);
    if (fullAt !== undefined) callers.set(caller, fullAt - this.#buckets[scope].everyMs);
    const key = `${scope} ${caller}`;
    const untold = this.#untold.get(key);
    // Where other nodes were told in the meantime, they count it: that errs on the safe side, and heals as the bucket fills.
    if (untold !== undefined && untold.tokens > 0) this.#untold.set(key, { ...untold, tokens: untold.tokens - 1 });
  }

  /** Whether there is one to take. */
  has(scope: Scope, caller: string): boolean {
    return !this.#on || this.#after(scope, caller).over <= 0;
  }

  /** What one more would come to: when the bucket would be full again, and how many milliseconds too late that is. */
  #after(scope: Scope, caller: string, tokens = 1): { readonly over: number; readonly fullAt: number } {
    const { burst, everyMs } = this.#buckets[scope];
    const now = this.#clock.now();
    const known = this.#callers(scope).get(caller) ?? 0;
    const fullAt = Math.min(Math.max(known, now), now + this.#longest(scope)) + tokens * everyMs;
    return { over: fullAt - now - burst * everyMs, fullAt };
  }

  /** What other nodes have given a caller. */
  charge(scope: Scope, caller: string, tokens: number): void {
    const { everyMs } = this.#buckets[scope];
    const now = this.#clock.now();
    const callers = this.#callers(scope);
    const fullAt = Math.min(Math.max(callers.get(caller) ?? 0, now) + tokens * everyMs, now + this.#longest(scope));
    callers.set(caller, fullAt);
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
    const open = this.#open.get(caller) ?? 0;
    const atOnce = this.#openAtOnce;
    if (open >= atOnce)
      throw new Refusal("too_many_streams", `This address has ${open} streams and long polls open; ${atOnce} are allowed.`, {
        details: { at_once: atOnce },
      });
    this.#open.set(caller, open + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const rest = (this.#open.get(caller) ?? 1) - 1;
      if (rest <= 0) this.#open.delete(caller);
      else this.#open.set(caller, rest);
    };
  }

  /** Until a bucket is full again. What other nodes gave is owed, or an empty bucket on each would be a pace for each. */
  #longest(scope: Scope): number {
    const { burst, everyMs } = this.#buckets[scope];
    return burst * everyMs * (this.#shared ? 2 : 1);
  }

  #noteSpent(scope: Scope, caller: string, tokens = 1): void {
    if (!this.#shared) return;
    const key = `${scope} ${caller}`;
    this.#untold.set(key, { scope, caller, tokens: (this.#untold.get(key)?.tokens ?? 0) + tokens });
  }

  #callers(scope: Scope): Recent<string, number> {
    let callers = this.#fullAt.get(scope);
    if (callers === undefined) this.#fullAt.set(scope, (callers = new Recent(MAX_CALLERS)));
    return callers;
  }
}

/** `costMs`: the processor time that this very request has used, where that was too much. */
function limited(scope: Scope, { burst, everyMs, who }: Bucket, seconds: number, costMs?: number): Refusal {
  const details: PaceDetails = { scope, retry_after_s: seconds, burst, then_every_s: everyMs / 1000 };
  const pace = `${burst} at once, then one every ${everyMs / 1000} s`;
  const used = `This ${who} has used up its ${scope.replace("agent_", "")}: ${pace}`;
  return costMs === undefined
    ? new Refusal("rate_limited", `${used}.`, { details: { ...details } })
    : new Refusal("rate_limited", `${used}; this request took ${costMs} ms of processor time, and each 10 ms count as one.`, {
        details: { ...details, cost_ms: costMs },
        hint: "Ask for less: fewer filters that no index answers (`tag_not`, `min_author_age`), a smaller range (`since`, `after_seq`), another `sort`.",
      });
}

/** As some proxies pass an address on: with the port that its connection has, which is another each time. */
const WITH_PORT = /^(?:((?:\d+\.){3}\d+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** Addresses are counted one by one, except that an IPv6 network of 64 bits is one caller. Those who have gone have none, and are one too. */
export function callerOf(written: string | undefined): string {
  if (written === undefined) return "";
  const address = written.replace(WITH_PORT, "$1$2");
  if (!address.includes(":")) return address;
  const groups = groupsOf(address.split("%")[0]!);
  const [g6 = 0, g7 = 0] = groups.slice(6);
  const mapped = groups.slice(0, 6).join() === "0,0,0,0,0,65535";
  if (mapped) return [g6 >> 8, g6 & 255, g7 >> 8, g7 & 255].join(".");
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** The eight numbers of an IPv6 address, however it is written. */
function groupsOf(address: string): readonly number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right] = hex.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = right === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return [...left, ...zeros, ...(right ?? [])].map((group) => Number.parseInt(group, 16));
}
