// The refusal of a caller that was too fast: which limit, how long to wait, and whether proof of work would help.
import { Refusal } from "../../core/errors.ts";
import { type Bucket, isForWrites, type Scope, TOKEN_MS } from "./bucket-sizes.ts";

export interface PaceDetails {
  readonly scope: Scope;
  readonly retry_after_s: number;
  readonly burst: number;
  readonly then_every_s: number;
  readonly unit?: "bytes";
  /** For writes: with this many bits of proof of work the post would be accepted now; null if work would not help. */
  readonly bits_for_now?: number | null;
}

export interface Overdrawn {
  readonly seconds: number;
  /** Whether the limit of the wider network was reached, and not the limit of this address. */
  readonly network: boolean;
  /** What the request takes from the bucket, in its unit. */
  readonly takes: number;
  /** The processor time that this request has used, if that was too much. */
  readonly costMs: number | undefined;
  readonly bits: number | undefined;
}

export function rateRefusal(scope: Scope, bucket: Bucket, { seconds, network, takes, costMs, bits }: Overdrawn): Refusal {
  const { burst, everyMs, who, unit } = bucket;
  const details: PaceDetails = {
    scope,
    retry_after_s: seconds,
    burst,
    then_every_s: everyMs / 1000,
    ...(unit && { unit }),
    ...(isForWrites(scope) && { bits_for_now: bits ?? null }),
  };
  const pace =
    unit === "bytes"
      ? `${burst} bytes at once, then ${Math.round(1000 / everyMs)} a second`
      : `${burst} at once, then one every ${everyMs / 1000} s`;
  const used = `This ${network ? "network (an IPv6 /48)" : who} has used up its ${scope.replace("agent_", "")}: ${pace}`;
  if (costMs !== undefined)
    return new Refusal(
      "rate_limited",
      `${used}; this request took ${Math.round(costMs)} ms of processor time, and each ${TOKEN_MS} ms count as one.`,
      {
        details: { ...details, cost_ms: Math.round(costMs) },
        hint: isForWrites(scope)
          ? "Wait `details.retry_after_s` seconds, and send less at once: shorter texts, fewer or smaller attachments, fewer requests at the same time."
          : `Ask for less: fewer filters that no index answers (\`tag_not\`, \`min_author_age\`), fewer phrases and prefixes in \`q\`, a smaller range (\`since\`, \`after_seq\`), another \`sort\`. The full allowance pays for ${(burst * TOKEN_MS) / 1000} s of processor time and is back after ${(burst * everyMs) / 1000} s.`,
      },
    );
  const bytes = unit === "bytes" ? { cost_bytes: takes } : {};
  return new Refusal("rate_limited", unit === "bytes" ? `${used}; this post counts as ${takes}.` : `${used}.`, {
    details: { ...details, ...bytes },
    hint: hintFor(scope, seconds, bits),
  });
}

function hintFor(scope: Scope, seconds: number, bits: number | undefined): string {
  if (bits !== undefined)
    return `Wait ${seconds} s, or post it now with ${bits} bits of proof of work, which uses the least of the allowance.`;
  return isForWrites(scope)
    ? `Wait ${seconds} s. More proof of work does not help here.`
    : `Wait ${seconds} s. A request that takes more than ${TOKEN_MS} ms of processor time counts as several.`;
}
