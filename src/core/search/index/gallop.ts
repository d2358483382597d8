// Finds a number in an ascending list, starting at the last one found.

/** The first index from `from` on whose item is not less: by growing steps, then by bisection. */
export function seek(docs: Uint32Array, doc: number, from: number): number {
  if (from >= docs.length || docs[from]! >= doc) return from;
  let step = 1;
  let low = from;
  while (low + step < docs.length && docs[low + step]! < doc) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, docs.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
