// One reader's way through the log: backfill at its own pace, cutover in one turn of the loop, then live.
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { nextTurn } from "../turn.ts";
import type { LiveFilter } from "./filter.ts";
import { type Hub, type Reader, remember } from "./hub.ts";
import type { Known } from "./known.ts";
import { type Occurrence, type OccurrenceParts, occurrences, readWords } from "./occurrence.ts";

/** Where a reader's events go. */
export interface Sink extends Reader {
  /** `hello`, `live` and `gap`: told to this reader alone. */
  control(name: "hello" | "live" | "gap", body: object, seq: number): void;
  /** Resolves when the reader has taken enough that more can be sent; false once it is gone. */
  ready(): Promise<boolean>;
}

export interface FollowParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly occurrence: OccurrenceParts;
}

/** What a reader asked for. */
export interface Course {
  readonly filter: LiveFilter;
  /** The last entry it has. */
  readonly start: number;
  readonly known: Known | undefined;
  readonly greeting: object;
}

/** Entries that are read in one go, at most, before everybody else has a turn: few where messages are large. */
const STEP = 100;
const FIRST_STEP = 10;
/** What is sent in one go before the reader is asked whether it keeps up; well below what may wait for it. */
const SLICE_CHARS = 64 * 1024;

interface Hold {
  stopped: boolean;
  detach(): void;
}

/** Runs until the reader goes; the answer lets it go. While the reader is live, nothing but its place in the hub is kept. */
export function followLog(parts: FollowParts, course: Course, sink: Sink): { readonly stop: () => void; readonly done: Promise<void> } {
  const hold: Hold = { stopped: false, detach() {} };
  return { stop: () => letGo(hold), done: follow(parts, course, sink, hold) };
}

function letGo(hold: Hold): void {
  hold.stopped = true;
  hold.detach();
}

async function follow(parts: FollowParts, course: Course, sink: Sink, hold: Hold): Promise<void> {
  const { store, hub } = parts;
  const { filter, known } = course;
  let position = course.start;
  let step = FIRST_STEP;
  sink.control("hello", course.greeting, position);
  const oldest = await store.oldestSeq();
  if (position + 1 < oldest) {
    sink.control("gap", { from: position + 1, to: oldest - 1 }, oldest - 1);
    position = oldest - 1;
  }
  while (!hold.stopped) {
    // The hub has not come so far yet: what it is about to tell is no news to this reader.
    if (position > hub.position && !(await hub.caughtUp(position))) return;
    // In one turn of the loop: nothing can be told between this look and the attachment.
    if (position === hub.position) {
      if (hold.stopped) return;
      sink.control("live", { seq: position }, position);
      // That word may have been one too many for a reader that takes nothing.
      if (!hold.stopped) hold.detach = hub.attach(filter, sink, known);
      return;
    }
    // Never further than the hub, which knows how far what readers see is settled.
    const told = await tellSome(parts, course, sink, position, Math.min(step, hub.position - position));
    position = told.upTo;
    step = told.all ? Math.min(STEP, step * 2) : Math.max(1, told.events);
    // Whoever waits here, however long, holds nothing but what its socket does.
    if (!(await sink.ready())) return;
    await nextTurn();
  }
}

interface Told {
  readonly upTo: number;
  readonly events: number;
  /** Whether it was everything that was read. */
  readonly all: boolean;
}

/** Sends what comes next, as far as it fits one slice. */
async function tellSome(
  { store, clock, hub, occurrence }: FollowParts,
  course: Course,
  sink: Sink,
  from: number,
  step: number,
): Promise<Told> {
  const { filter, known } = course;
  const entries = await store.entries(from, step);
  const heard = await occurrences(entries, occurrence, clock.now(), filter.usesVotes);
  if (filter.matchesText !== undefined) await readWords(heard);
  // Whose words are gone by now may have matched then: its end is told rather than lost.
  const concerning = heard.filter((one) => filter.concerns(one, () => true));
  const slice = concerning.slice(0, fittingSlice(concerning));
  if (known !== undefined) for (const one of slice) remember(filter, known, one);
  if (slice.length > 0) sink.deliver(slice.map(({ event }) => event));
  const all = slice.length === concerning.length;
  return { upTo: (all ? entries : slice.map(({ event }) => event)).at(-1)?.seq ?? hub.position, events: slice.length, all };
}

/** How many of the first ones make a slice; one at least. */
function fittingSlice(heard: readonly Occurrence[]): number {
  let chars = 0;
  const end = heard.findIndex(({ event }) => (chars += event.json.length) > SLICE_CHARS);
  return end === -1 ? heard.length : Math.max(1, end);
}
