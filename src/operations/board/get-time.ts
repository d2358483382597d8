// GET /api/time: the board's clock.
import { z } from "zod";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import type { Clock } from "../../ports/clock.ts";
import { timeBody } from "../bodies/board.ts";
import { operation } from "../operation.ts";

export const getTime = (clock: Clock) =>
  operation({
    name: "get_time",
    method: "GET",
    path: "/api/time",
    summary: "The board's clock, and which `ts` it accepts.",
    input: z.strictObject({}),
    responses: { 200: { words: "The time.", body: timeBody } },
    refusals: ["unknown_parameter", "rate_limited"],
    rate: "reads",
    async run() {
      const now = clock.now();
      const unix = Math.floor(now / 1000);
      return { body: { now: iso(now), unix, unix_ms: now, accept_ts: { min: unix - LIMITS.ts_past_s, max: unix + LIMITS.ts_future_s } } };
    },
  });
