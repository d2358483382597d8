// One reader's way through the log: replay at its own pace, cutover in one turn of the event loop, then live.
import { nextSlice } from "../../ports/cpu-slices.ts";
import type { LogReads } from "../../ports/store.ts";
import type { Reader } from "./fan-out.ts";
import type { LiveFilter } from "./filter.ts";
import type { Hub } from "./hub.ts";
import { remember } from "./reader-groups.ts";
import type { MatchedMessages } from "./text-filter-matches.ts";
import type { Backlog } from "./replay-chunks.ts";

/** The receiver of a reader's events. */
export interface Sink extends Reader {
  /** `hello`, `live` and `gap`: for this reader alone. */
  control(name: "hello" | "live" | "gap", body: object, seq: number): void;
  /** Resolves when the reader has taken enough that more can be sent; false once it has disconnected. */
  ready(): Promise<boolean>;
}

export interface FollowParts {
  readonly store: LogReads;
  readonly hub: Hub;
  readonly backlog: Backlog;
}

/** What a reader asked for. */
export interface Course {
  readonly filter: LiveFilter;
  /** The last entry it has. */
  readonly start: number;
  readonly known: MatchedMessages | undefined;
  readonly greeting: object;
}

interface Hold {
  stopped: boolean;
  detach(): void;
}

/** Runs until the reader disconnects; the returned function ends it. While the reader is live, only its place in the hub is kept. */
export function followLog(parts: FollowParts, course: Course, sink: Sink): { readonly stop: () => void; readonly done: Promise<void> } {
  const hold: Hold = { stopped: false, detach() {} };
  const stop = (): void => {
    hold.stopped = true;
    hold.detach();
  };
  return { stop, done: follow(parts, course, sink, hold) };
}

async function follow(parts: FollowParts, course: Course, sink: Sink, hold: Hold): Promise<void> {
  const { store, hub, backlog } = parts;
  let position = course.start;
  sink.control("hello", course.greeting, position);
  const oldest = await store.oldestSeq();
  if (position + 1 < oldest) {
    sink.control("gap", { from: position + 1, to: oldest - 1 }, oldest - 1);
    position = oldest - 1;
  }
  while (!hold.stopped) {
    // Wait for the hub to catch up, or the reader gets events twice.
    if (position > hub.position && !(await hub.caughtUp(position))) return;
    // In one turn of the event loop: nothing can be sent between this check and the attachment.
    if (position === hub.position) {
      if (hold.stopped) return;
      sink.control("live", { seq: position }, position);
      // If the reader takes nothing, that event may have been one too many, and the reader was stopped.
      if (!hold.stopped) hold.detach = hub.attach(course.filter, sink, course.known);
      return;
    }
    position = await sendChunk(backlog, course, sink, position);
    // A waiting reader holds nothing but its socket's buffer, however long it waits.
    if (!(await sink.ready())) return;
    await nextSlice();
  }
}

/** Sends the next chunk and returns how far it goes. A separate function, so that nothing refers to the chunk while waiting afterwards. */
async function sendChunk(backlog: Backlog, { filter, known }: Course, sink: Sink, from: number): Promise<number> {
  const { events, upTo, matched } = await backlog.after(from, filter, known);
  if (known !== undefined) for (const one of matched) remember(filter, known, one);
  if (events.length > 0) sink.deliver(events);
  return upTo;
}
