// What callers are told of their limits beside the answer: RateLimit and RateLimit-Policy.
import type { FastifyReply } from "fastify";
import type { Bucket, Scope } from "../../board/limits/buckets.ts";
import type { Room } from "../../board/limits/rate.ts";
import type { PaceDetails } from "../../board/limits/rate-refusal.ts";

interface Told extends Pick<Bucket, "burst" | "everyMs"> {
  readonly scope: Scope | "streams";
  readonly unit?: Bucket["unit"] | undefined;
  readonly left: number;
  readonly seconds: number;
}

function tell(reply: FastifyReply, ...told: readonly Told[]): void {
  void reply.header("ratelimit-policy", told.map(policyOf).join(", "));
  void reply.header("ratelimit", told.map(({ scope, left, seconds }) => `"${scope}";r=${left};t=${seconds}`).join(", "));
}

function policyOf({ scope, burst, everyMs, unit }: Told): string {
  const inBytes = unit === "bytes" ? ';qu="content-bytes"' : "";
  const window = everyMs > 0 ? `;w=${Math.ceil((burst * everyMs) / 1000)}` : "";
  return `"${scope}";q=${burst}${inBytes}${window}`;
}

/** Who was too fast hears of the limit that it ran into. */
export function tellRefused(reply: FastifyReply, details: PaceDetails): void {
  const { scope, retry_after_s: seconds, burst, then_every_s: every, unit } = details;
  void reply.header("retry-after", String(seconds));
  tell(reply, { scope, burst, everyMs: every * 1000, unit, left: 0, seconds });
}

export function tellTooManyStreams(reply: FastifyReply, atOnce: number, seconds: number): void {
  tell(reply, { scope: "streams", burst: atOnce, everyMs: 0, left: 0, seconds });
}

/** Who writes hears with every answer how much room is left, so that it can slow down, or bring more work, in time. */
export function tellRooms(reply: FastifyReply, rooms: readonly Room[]): void {
  if (rooms.length === 0 || reply.hasHeader("ratelimit")) return;
  tell(reply, ...rooms.map((room) => ({ ...room, left: Math.floor(room.tokens), seconds: Math.ceil(room.fullInMs / 1000) })));
}
