// Rates and load of a board with several nodes: each tells the others what callers have used, and all compute the load from one log.
import { MINUTE_MS, minuteOf } from "../../core/durations.ts";
import { type Clock, every } from "../../ports/clock.ts";
import type { Peers } from "../../ports/peers.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { LogReads } from "../../ports/store.ts";
import type { Wakeup } from "../../ports/wakeup.ts";
import type { Difficulty } from "../write/difficulty.ts";
import { isScope } from "../limits/bucket-sizes.ts";
import type { RateLimiter, Spent } from "../limits/rate.ts";
import { BackgroundWork } from "./finish-before-close.ts";

export interface SharedLoadParts {
  readonly store: Pick<LogReads, "postedByMinute">;
  readonly clock: Clock;
  readonly report: Telemetry;
  readonly difficulty: Difficulty;
  readonly rates: RateLimiter;
  readonly wakeup: Wakeup;
  readonly peers: Peers;
}

/** How often nodes tell each other. A caller that switches nodes gains what it can take in this time. */
const TELL_MS = 1000;
/** A minute's count is read this long after it has ended, since every node may still have added to it. */
const COUNTED_MS = 2000;
const DAY_MINUTES = 24 * 60;
/** The length of one message to other nodes. */
const MOST_CHARS = 7000;

export function shareLoad({ store, clock, report, difficulty, rates, wakeup, peers }: SharedLoadParts): { stop(): Promise<void> } {
  let cancelReading = (): void => {};
  /** Queries must be answered before the database is closed. */
  const underWay = new BackgroundWork((error) => report.failed("nodes", error));

  wakeup.onMoved(({ posted }) => posted.forEach((posts, bits) => difficulty.accepted(bits, posts)));
  peers.onMessage((text) => {
    for (const { scope, caller, tokens } of JSON.parse(text) as readonly Spent[]) if (isScope(scope)) rates.charge(scope, caller, tokens);
  });

  const cancelTelling = every(clock, TELL_MS, () => {
    for (const text of batches(rates.spent(TELL_MS))) underWay.add(peers.broadcast(text));
  });
  /** All nodes begin at the same minute, so that they compute the same bits whenever they were started. */
  async function read(): Promise<void> {
    const minute = minuteOf(clock.now());
    const from = minute - (minute % DAY_MINUTES) - DAY_MINUTES;
    difficulty.replay(from, await store.postedByMinute(from));
  }
  function reading(): void {
    const next = (minuteOf(clock.now()) + 1) * MINUTE_MS + COUNTED_MS;
    cancelReading = clock.at(next, () => {
      reading();
      underWay.add(read());
    });
  }
  reading();
  underWay.add(read());
  return {
    async stop() {
      cancelTelling();
      cancelReading();
      await underWay.finished();
    },
  };
}

function* batches(spent: readonly Spent[]): Generator<string> {
  let batch: Spent[] = [];
  let chars = 0;
  for (const one of spent) {
    chars += JSON.stringify(one).length + 1;
    if (chars > MOST_CHARS) {
      yield JSON.stringify(batch);
      batch = [];
      chars = 0;
    }
    batch.push(one);
  }
  if (batch.length > 0) yield JSON.stringify(batch);
}
