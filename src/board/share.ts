// The price of a request in processor time: the first milliseconds are its own, and each further step takes a token of its scope.
import type { Share } from "../ports/share.ts";
import type { RateLimiter, Scope } from "./rate.ts";

/** Processor time that comes with a request, and that one more token buys. */
export const TOKEN_MS = 10;

export function shareOf(rates: Pick<RateLimiter, "takeForTime">, scope: Scope, caller: string): Share {
  let spent = 0;
  let paid = 1;
  return {
    caller,
    spend(ms) {
      spent += ms;
      const due = Math.ceil(spent / TOKEN_MS);
      if (due <= paid) return;
      const tokens = due - paid;
      paid = due;
      rates.takeForTime(scope, caller, tokens, spent);
    },
  };
}
