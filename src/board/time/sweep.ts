// Ends lifetimes and leases when they are due, by an act of the writer.
import { DAY_MS } from "../../core/durations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Appender } from "../write/append.ts";

const RETRY_MS = 1000;
/**
 * A board on which nothing happens sweeps this often, because retention continues without posts, and because a report that an operator's
 * command has closed, without an entry in the log, is due some time later.
 */
const IDLE_SWEEP_MS = DAY_MS;

export interface Sweeper {
  /** Whether nothing is due, so that stored values are current. */
  isSwept(): boolean;
  /** Resolves when nothing is due any more, or when readers have waited for it long enough. */
  sweepDue(): Promise<void>;
  /** Sets the next due time; called when another node has written. */
  reschedule(nextDue: number | null): void;
  stop(): void;
}

/**
 * Readers wait this long for a late sweep, all of them together: whoever comes later does not wait until the sweep has caught up. Anybody
 * can let tens of thousands of messages end in the same second. The store itself leaves out what has ended; only counts, and statuses that
 * change because a message ends, are late.
 */
const MOST_WAIT_MS = 50;
/** But at least for the step that runs and for the next one, so that few messages have ended, however slow the machine is. */
const LEAST_STEPS = 2;

/** Keeps one timer, set to the next due time, but not further ahead than the next sweep of an idle board. */
export function startSweeper(appender: Appender, clock: Clock, firstDue: number | null): Sweeper {
  let cancel = () => {};
  let due = firstDue;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** The last step. What was due before it and is still there waits for twice as long as the step took, unless readers wait for it. */
  let last = { begun: -Infinity, rested: 0 };
  /** What readers wait for, from when something is due until nothing is. */
  let awaited: Promise<void> | undefined;

  const isSwept = (): boolean => running === undefined && (due === null || due > clock.now());
  const arm = (): void => {
    cancel();
    const next = Math.min(due ?? Infinity, clock.now() + IDLE_SWEEP_MS);
    cancel = stopped ? () => {} : clock.at(next <= last.begun ? last.rested : next, () => void sweep());
    if (isSwept()) awaited = undefined;
  };
  const schedule = (next: number | null): void => {
    if (next === due) return;
    due = next;
    arm();
  };

  async function step(): Promise<void> {
    due = null;
    try {
      await appender.append({ type: "sweep" });
    } catch {
      // The appender has reported it; a full disk may have space again soon.
      schedule(clock.now() + RETRY_MS);
    }
  }
  /** One step at a time, however many callers ask for it. */
  function sweep(): Promise<void> {
    if (running !== undefined) return running;
    const begun = clock.now();
    running = step().finally(() => {
      running = undefined;
      last = { begun, rested: clock.now() + 2 * (clock.now() - begun) };
      // Something may have become due while this step was running, and the step did not include it.
      arm();
    });
    return running;
  }

  const isOver = (): boolean => stopped || isSwept();
  async function catchUp(): Promise<void> {
    const end = clock.now() + MOST_WAIT_MS;
    for (let steps = 0; !isOver() && (steps < LEAST_STEPS || clock.now() < end); steps++) await sweep();
  }

  appender.onAppend(({ nextDue }) => schedule(nextDue));
  arm();
  return {
    isSwept,
    sweepDue: () => (isSwept() ? Promise.resolve() : (awaited ??= catchUp())),
    reschedule: schedule,
    stop() {
      stopped = true;
      cancel();
    },
  };
}
