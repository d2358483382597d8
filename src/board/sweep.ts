// Ends lifetimes and leases when their time comes, by asking the writer at the right moment.
import type { Clock } from "../ports/clock.ts";
import type { Appender } from "./append.ts";

const RETRY_MS = 1000;

/** Keeps one timer on the next thing due; the answer stops it. */
export function startSweeper(appender: Appender, clock: Clock, firstDue: number | null): () => void {
  let cancel = () => {};
  let due: number | null = null;
  let stopped = false;

  const schedule = (next: number | null): void => {
    if (stopped || next === due) return;
    cancel();
    due = next;
    cancel = next === null ? () => {} : clock.at(next, () => void sweep());
  };

  async function sweep(): Promise<void> {
    due = null;
    try {
      await appender.append({ type: "sweep" });
    } catch {
      // The appender has reported it; a full disk may have room again soon.
      schedule(clock.now() + RETRY_MS);
    }
  }

  appender.onAppend(({ nextDue }) => schedule(nextDue));
  schedule(firstDue);
  return () => {
    stopped = true;
    cancel();
  };
}
