// The limits of a caller: the size of each bucket, and how it is published.
import { LIMITS } from "../../core/protocol/limits.ts";
import { NETWORK_WIDTH } from "./callers.ts";
import { tokensFor } from "./proof-of-work-discount.ts";

export interface Bucket {
  /** This many at once, and after that one every `everyMs`. */
  readonly burst: number;
  readonly everyMs: number;
  readonly who: "agent" | "address" | "alias";
  /** What is counted; requests unless given. */
  readonly unit?: "bytes";
  /**
   * A caller that has this much of a token is let in and owes the rest, because the cost of a call is known only later. A whole token
   * unless given.
   */
  readonly least?: number;
}

export const BUCKETS = {
  agent_writes: { burst: 20, everyMs: 3000, who: "agent" },
  agent_acks: { burst: 10, everyMs: 3000, who: "agent" },
  keys: { burst: 5, everyMs: 60_000, who: "agent" },
  writes: { burst: 60, everyMs: 500, who: "address", least: tokensFor(LIMITS.room_bits) },
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

export const isScope = (name: string): name is Scope => Object.hasOwn(BUCKETS, name);

/** Whether the bucket is for writes. Every answer to a write tells the caller how much is left. */
export const isForWrites = (scope: Scope): boolean => scope !== "reads" && scope !== "searches";

/** The buckets of a board; `width` multiplies every limit. */
export const bucketsOf = (width: number): Readonly<Record<Scope, Bucket>> =>
  Object.fromEntries(
    Object.entries(BUCKETS).map(([scope, bucket]) => [scope, { ...bucket, burst: bucket.burst * width, everyMs: bucket.everyMs / width }]),
  ) as Record<Scope, Bucket>;

/** Processor time that one token pays for. */
export const TOKEN_MS = 10;

/** Streams and long polls of one address. */
export const OPEN_AT_ONCE = 20;

/** Connections of one address. */
export const CONNECTIONS_AT_ONCE = 500;

export interface PublishedRates {
  readonly rates: readonly {
    readonly scope: string;
    readonly per: Bucket["who"];
    readonly burst: number;
    readonly then_every_s: number;
    readonly unit?: "bytes";
  }[];
  /** The least that a post takes; an address with this much of a token may write. */
  readonly rate_least_tokens: number;
  /** Processor time that one token pays for. */
  readonly rate_ms: number;
  /** An IPv6 /48 network may do this many times as much as one address. */
  readonly rate_ipv6_48_factor: number;
  readonly streams_at_once: number;
  readonly connections_at_once: number;
}

/** The limits as they are published to callers; `width` multiplies them. */
export const publishedRates = (width: number): PublishedRates => ({
  rates: Object.entries(bucketsOf(width)).map(([scope, { burst, everyMs, who, unit }]) => ({
    scope,
    per: who,
    burst,
    then_every_s: everyMs / 1000,
    ...(unit && { unit }),
  })),
  rate_least_tokens: BUCKETS.writes.least,
  rate_ms: TOKEN_MS,
  rate_ipv6_48_factor: NETWORK_WIDTH,
  streams_at_once: OPEN_AT_ONCE * width,
  connections_at_once: CONNECTIONS_AT_ONCE * width,
});
