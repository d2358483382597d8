// GET /api/time: the board's clock.
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import type { Clock } from "../../ports/clock.ts";
import { timeBody } from "../bodies/board.ts";
import { readWithoutParameters } from "../operation.ts";

export const getTime = (clock: Clock) =>
  readWithoutParameters({
    name: "get_time",
    path: "/api/time",
    summary: "The board's clock, and which `ts` it accepts.",
    responses: { 200: { words: "The time.", body: timeBody } },
    async run() {
      const now = clock.now();
      const unix = Math.floor(now / 1000);
      return { body: { now: iso(now), unix, unix_ms: now, accept_ts: { min: unix - LIMITS.ts_past_s, max: unix + LIMITS.ts_future_s } } };
    },
  });
