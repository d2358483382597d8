// The price of a request in processor time: the first milliseconds are included, and each further step takes a token of its bucket.
import type { Share } from "../../ports/cpu-slices.ts";
import type { Scope } from "./bucket-sizes.ts";
import { laneOf } from "./callers.ts";
import type { CallerPauses } from "./caller-pauses.ts";
import type { RateLimiter } from "./rate.ts";

/** For answers that are sent in chunks: the chunks of one caller share a part of the processor. */
export function pacedShare(pauses: Pick<CallerPauses, "pace">, caller: string): Share {
  let spent = 0;
  return {
    lane: laneOf(caller),
    spend(ms) {
      spent += ms;
    },
    rest() {
      const ms = pauses.pace(caller, spent);
      spent = 0;
      return ms;
    },
  };
}

/** `onSpend` is called after each slice. */
export function shareOf(
  rates: Pick<RateLimiter, "takeForTime" | "owe" | "require" | "pauses" | "tokenMs">,
  scope: Scope,
  caller: string,
  onSpend: (ms: number) => void = () => {},
): Share {
  let spent = 0;
  let paid = 1;
  let unrested = 0;
  let hasWritten = false;
  /** Adds this time, and returns the tokens that are due for it. */
  const add = (ms: number): number => {
    onSpend(ms);
    unrested += ms;
    spent += ms;
    const tokens = Math.max(0, Math.ceil(spent / rates.tokenMs) - paid);
    paid += tokens;
    return tokens;
  };
  const owe = (ms: number): void => {
    const tokens = add(ms);
    if (tokens > 0) rates.owe(scope, caller, tokens);
  };
  return {
    lane: laneOf(caller),
    owe,
    require() {
      if (!hasWritten) rates.require(scope, caller, spent);
    },
    written() {
      hasWritten = true;
    },
    rest() {
      const ms = rates.pauses.pause(caller, unrested);
      unrested = 0;
      return ms;
    },
    spend(ms) {
      if (hasWritten) return owe(ms);
      const tokens = add(ms);
      if (tokens > 0) rates.takeForTime(scope, caller, tokens, spent);
    },
  };
}
