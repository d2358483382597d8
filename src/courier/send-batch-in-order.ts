// Sends the messages of a batch one by one, in order, and stops at the first that is not accepted.
import type { Adapter, Batch, Failure, Parcel } from "./adapter.ts";
import { type Answered, postTo, type PostRequest } from "./ssrf-safe-post.ts";

type Sent = Omit<PostRequest, "signal">;

/** These answers mean "later", or come from a server in front of the receiver. */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const oneByOne =
  (requestOf: (parcel: Parcel, batch: Batch) => Sent): Adapter =>
  async (batch, signal) => {
    for (const [acknowledged, parcel] of batch.parcels.entries()) {
      const failure = await failureOf({ ...requestOf(parcel, batch), signal }, signal);
      if (failure !== undefined) return { acknowledged, failure };
    }
    return { acknowledged: batch.parcels.length };
  };

async function failureOf(request: PostRequest, signal: AbortSignal): Promise<Failure | undefined> {
  let answer: Answered;
  try {
    answer = await postTo(request);
  } catch (error) {
    signal.throwIfAborted();
    return { words: `${request.url.host} does not answer: ${(error as Error).message}`, counts: false };
  }
  const { status, retryAfterS } = answer;
  if (status >= 200 && status < 300) return undefined;
  return { words: `${request.url.host} answered ${status}`, counts: !LATER.has(status), retryAfterS };
}
