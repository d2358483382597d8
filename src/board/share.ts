// The price of a request in processor time: the first milliseconds are its own, and each further step takes a token of its scope.
import type { Share } from "../ports/share.ts";
import { type RateLimiter, type Scope, TOKEN_MS } from "./rate.ts";

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
