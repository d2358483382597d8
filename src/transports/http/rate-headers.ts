// The headers that tell callers their limits: RateLimit and RateLimit-Policy.
import type { FastifyReply } from "fastify";
import type { Bucket, Scope } from "../../board/limits/bucket-sizes.ts";
import type { Allowance } from "../../board/limits/rate.ts";
import type { PaceDetails } from "../../board/limits/rate-refusal.ts";

interface StatedLimit extends Pick<Bucket, "burst" | "everyMs"> {
  readonly scope: Scope | "streams";
  readonly unit?: Bucket["unit"] | undefined;
  readonly left: number;
  readonly seconds: number;
}

type RateHeaders = Readonly<Record<string, string>>;

const limitHeaders = (...all: readonly StatedLimit[]): RateHeaders => ({
  "ratelimit-policy": all.map(policyOf).join(", "),
  ratelimit: all.map(({ scope, left, seconds }) => `"${scope}";r=${left};t=${seconds}`).join(", "),
});

function policyOf({ scope, burst, everyMs, unit }: StatedLimit): string {
  const inBytes = unit === "bytes" ? ';qu="content-bytes"' : "";
  const window = everyMs > 0 ? `;w=${Math.ceil((burst * everyMs) / 1000)}` : "";
  return `"${scope}";q=${burst}${inBytes}${window}`;
}

/** The headers for a caller that was too fast: the limit that it reached. */
export function refusedHeaders(details: PaceDetails): RateHeaders {
  const { scope, retry_after_s: seconds, burst, then_every_s: every, unit } = details;
  return { "retry-after": String(seconds), ...limitHeaders({ scope, burst, everyMs: every * 1000, unit, left: 0, seconds }) };
}

export const tooManyStreamsHeaders = (atOnce: number, seconds: number): RateHeaders =>
  limitHeaders({ scope: "streams", burst: atOnce, everyMs: 0, left: 0, seconds });

/** The headers of every answer to a write: how much is left, so that the caller can slow down or send more proof of work in time. */
export const allowanceHeaders = (allowances: readonly Allowance[]): RateHeaders =>
  allowances.length === 0
    ? {}
    : limitHeaders(...allowances.map((one) => ({ ...one, left: Math.floor(one.tokens), seconds: Math.ceil(one.fullInMs / 1000) })));

export function sendAllowances(reply: FastifyReply, allowances: readonly Allowance[]): void {
  if (!reply.hasHeader("ratelimit")) void reply.headers(allowanceHeaders(allowances));
}
