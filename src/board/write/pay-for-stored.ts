// What a write stores counts as bytes of its agent and of the address that it came from.
import type { RateLimiter } from "../limits/rate.ts";
import type { PayForStored } from "./post-steps.ts";
import type { Quota } from "./storage-quota.ts";

export interface Stored {
  /** The agent that pays. */
  readonly payer: string;
  readonly bytes: number;
  readonly payForStored?: PayForStored | undefined;
}

/** Takes the bytes from agent and address, or from none of them; the returned function puts them back. */
export function takeStored(rates: RateLimiter, { payer, bytes, payForStored }: Stored): () => void {
  const ofAgent = rates.takeBytes("agent_bytes", payer, bytes);
  try {
    const ofAddress = payForStored?.(bytes);
    return () => {
      ofAgent();
      ofAddress?.();
    };
  } catch (error) {
    ofAgent();
    throw error;
  }
}

interface StoringParts {
  readonly rates: RateLimiter;
  readonly quota: Pick<Quota, "add">;
}

/** Appends an operation whose bytes count unless it is refused, or was stored before. */
export async function appendAtCost<Outcome>(
  { rates, quota }: StoringParts,
  stored: Stored,
  append: () => Promise<Outcome>,
  isNew: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const giveBack = takeStored(rates, stored);
  try {
    const outcome = await append();
    if (isNew(outcome)) quota.add(stored.bytes);
    else giveBack();
    return outcome;
  } catch (error) {
    giveBack();
    throw error;
  }
}
