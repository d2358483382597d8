// Phrases: the documents that contain all words, and how often the words follow one another there.
import type { Postings } from "./index-part.ts";
import { seek } from "./gallop.ts";

/** `starts` has the index in `positions` where those of each posting begin. */
export interface PositionedPostings extends Postings {
  readonly positions: Uint32Array;
  readonly starts: Uint32Array;
}

/** For each document that is in all lists: its index in each list, one after the other. */
export function commonPostings(lists: readonly Uint32Array[]): Uint32Array {
  const rarest = lists.reduce((least, docs) => (docs.length < least.length ? docs : least));
  const found = new Uint32Array(rarest.length * lists.length);
  const at = new Uint32Array(lists.length);
  let count = 0;
  for (let i = 0; i < rarest.length; i++) {
    const doc = rarest[i]!;
    let w = 0;
    for (; w < lists.length; w++) {
      const docs = lists[w]!;
      let place = at[w]!;
      // For common words it is usually the next one.
      if (docs[place]! < doc) at[w] = place = seek(docs, doc, place + 1);
      if (docs[place] !== doc) break;
    }
    if (w === lists.length) for (w = 0; w < lists.length; w++) found[count++] = at[w]!;
  }
  return found.subarray(0, count);
}

/** Checks these documents, as `commonPostings` returns them, and appends those with the phrase after the first `count` results. */
export function findRuns(places: readonly PositionedPostings[], common: Uint32Array, found: Postings, count: number): number {
  const words = places.length;
  // For each word, where its positions in the current field begin and end.
  const from = new Uint32Array(words);
  const to = new Uint32Array(words);
  for (let at = 0; at < common.length; at += words) {
    let inTitles = true;
    for (let w = 0; w < words; w++) {
      const { starts, titles } = places[w]!;
      const posting = common[at + w]!;
      from[w] = starts[posting]!;
      to[w] = from[w]! + titles[posting]!;
      if (titles[posting] === 0) inTitles = false;
    }
    const title = inTitles ? runsIn(places, from, to) : 0;
    for (let w = 0; w < words; w++) {
      from[w] = to[w]!;
      to[w] = places[w]!.starts[common[at + w]! + 1]!;
    }
    const body = runsIn(places, from, to);
    if (title + body === 0) continue;
    found.docs[count] = places[0]!.docs[common[at]!]!;
    found.titles[count] = title;
    found.bodies[count++] = body;
  }
  return count;
}

/** How often the words follow one another; `from` is advanced. */
function runsIn(places: readonly PositionedPostings[], from: Uint32Array, to: Uint32Array): number {
  let count = 0;
  const { positions: firsts } = places[0]!;
  for (let i = from[0]!; i < to[0]!; i++) {
    const first = firsts[i]!;
    let w = 1;
    for (; w < places.length; w++) {
      const { positions } = places[w]!;
      const end = to[w]!;
      let place = from[w]!;
      while (place < end && positions[place]! < first + w) place++;
      from[w] = place;
      if (place >= end) return count;
      if (positions[place] !== first + w) break;
    }
    if (w === places.length) count++;
  }
  return count;
}
