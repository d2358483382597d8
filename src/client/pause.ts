// Waits, until an AbortSignal ends it.

/** Timers that are longer end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Resolves after a time in milliseconds, or after 24 days if that is sooner; rejects with the signal's reason if that comes first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      },
      Math.min(ms, LONGEST_MS),
    );
    signal?.addEventListener("abort", leave, { once: true });
  });
}

/** Exponential backoff with jitter, so that readers that lost the same board do not come back at once. */
export function backoffMs(failures: number, firstMs = 500, mostMs = 30_000): number {
  const most = Math.min(mostMs, firstMs * 2 ** Math.max(0, failures - 1));
  return most / 2 + (Math.random() * most) / 2;
}
