// Decides which segments to merge or rewrite next, so that there are few of them with few ended documents.
import { MINUTE_MS } from "../../core/durations.ts";
import type { Segment } from "./segment.ts";

export interface IndexUpkeep {
  readonly segment: Segment;
  /** Unix time since when words of a withdrawn message wait to be erased from the file. */
  eraseSince: number | null;
}

/** A time at which erasing is long overdue. */
export const AT_ONCE = 0;

const FANOUT = 8;
/** Sizes in documents at which a segment belongs to the next level; those of the last level are not merged any further. */
const LEVELS = [1024, 8192, 65_536];
/** The share of ended documents at which a segment is rewritten. */
const GONE_SHARE = 1 / 3;
/** Withdrawn words leave the disk this long after the message ended, plus the time it takes to rewrite a segment. */
const ERASE_WITHIN_MS = 10 * MINUTE_MS;

/** Empty if nothing is due; a single segment is to be rewritten without ended documents. */
export function nextMerge(segments: readonly IndexUpkeep[], now: number): readonly IndexUpkeep[] {
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
