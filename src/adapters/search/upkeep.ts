// Which segments to merge or rewrite next, so that there are few of them and little in them is gone.
import { MINUTE_MS } from "../../core/durations.ts";
import type { Segment } from "./segment.ts";

export interface Upkeep {
  readonly segment: Segment;
  /** Unix time from which on words of a withdrawn message wait to leave the file. */
  eraseSince: number | null;
}

/** Long overdue. */
export const AT_ONCE = 0;

const FANOUT = 8;
/** Sizes in documents at which a segment is of the next level; those of the last level are not merged any further. */
const LEVELS = [1024, 8192, 65_536];
/** Of its documents, how many may be gone before a segment is rewritten. */
const GONE_SHARE = 1 / 3;
/** Withdrawn words are off the disk this long after the message, and the time it takes to rewrite a segment. */
const ERASE_WITHIN_MS = 10 * MINUTE_MS;

/** Empty where nothing is due; one segment alone is to be rewritten without what is gone. */
export function nextMerge(segments: readonly Upkeep[], now: number): readonly Upkeep[] {
  const empty = segments.filter(({ segment }) => segment.live === 0);
  if (empty.length > 0) return empty;
  const erase = segments.find(({ eraseSince }) => eraseSince !== null && now - eraseSince >= ERASE_WITHIN_MS);
  if (erase !== undefined) return [erase];
  for (let level = 0; level < LEVELS.length; level++) {
    const same = segments.filter(({ segment }) => levelOf(segment.live) === level);
    if (same.length >= FANOUT) return same.slice(0, FANOUT);
  }
  const sparse = segments.find(({ segment }) => segment.deadCount > segment.documents * GONE_SHARE);
  return sparse === undefined ? [] : [sparse];
}

function levelOf(documents: number): number {
  const level = LEVELS.findIndex((size) => documents < size);
  return level === -1 ? LEVELS.length : level;
}
