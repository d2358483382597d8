// The order in which a thread is read: depth first, children by seq. A thread may be very long, so it is ordered in steps.

/** Messages per step. */
const STEP = 1024;

/** The messages of a thread by ascending seq, each with the index of its parent among them, or -1. */
export interface Twigs {
  readonly seqs: Float64Array;
  readonly parents: Int32Array;
}

export interface DepthFirst {
  readonly order: Float64Array;
  readonly depths: Uint32Array;
}

/** Adds messages of higher seqs; a message without a parent here is at the top level. */
export function* growTwigs(
  known: Twigs | undefined,
  fresh: readonly { readonly seq: number; readonly parent: number | null }[],
): Generator<void, Twigs> {
  const start = known?.seqs.length ?? 0;
  const seqs = new Float64Array(start + fresh.length);
  const parents = new Int32Array(start + fresh.length);
  if (known !== undefined) {
    seqs.set(known.seqs);
    parents.set(known.parents);
  }
  for (const [i, { seq }] of fresh.entries()) seqs[start + i] = seq;
  for (const [i, { parent }] of fresh.entries()) {
    if (i % STEP === 0) yield;
    parents[start + i] = parent === null ? -1 : placeOf(seqs, parent);
  }
  return { seqs, parents };
}

/** Chains may be as long as the thread, so there is no recursion here. */
export function* depthFirst({ seqs, parents }: Twigs): Generator<void, DepthFirst> {
  const count = seqs.length;
  // The slot after the last message is the parent of the top level.
  const parent = parents.map((place) => (place === -1 ? count : place));
  const firstChild = new Int32Array(count + 1).fill(-1);
  const nextSibling = new Int32Array(count + 1).fill(-1);
  for (let i = count - 1; i >= 0; i--) {
    if (i % STEP === 0) yield;
    nextSibling[i] = firstChild[parent[i]!]!;
    firstChild[parent[i]!] = i;
  }

  const order = new Float64Array(count);
  const depths = new Uint32Array(count);
  let depth = 0;
  let at = firstChild[count]!;
  for (let place = 0; at !== -1; place++) {
    if (place % STEP === 0) yield;
    order[place] = seqs[at]!;
    depths[place] = depth;
    if (firstChild[at] !== -1) {
      at = firstChild[at]!;
      depth++;
      continue;
    }
    while (at !== count && nextSibling[at] === -1) {
      at = parent[at]!;
      depth--;
    }
    at = nextSibling[at]!;
  }
  return { order, depths };
}

/** A message with its ancestors and descendants, in the same order. */
export function subtreeOf({ order, depths }: DepthFirst, seq: number): DepthFirst {
  const at = order.indexOf(seq);
  if (at === -1) return { order: new Float64Array(), depths: new Uint32Array() };
  const places: number[] = [];
  let above = depths[at]!;
  for (let place = at; above > 0; place--) {
    if (depths[place] !== above - 1) continue;
    places.push(place);
    above--;
  }
  places.reverse();
  places.push(at);
  for (let place = at + 1; place < order.length && depths[place]! > depths[at]!; place++) places.push(place);
  return { order: Float64Array.from(places, (place) => order[place]!), depths: Uint32Array.from(places, (place) => depths[place]!) };
}

/** The index of a seq in an ascending list, or -1. */
function placeOf(seqs: Float64Array, seq: number): number {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (seqs[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return seqs[low] === seq ? low : -1;
}
