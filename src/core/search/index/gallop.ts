// Finds a number in an ascending list, starting at the last one found.

/** The first index from `from` on whose item is not less, `end` if there is none: by growing steps, then by bisection. */
export function seek(docs: Uint32Array, doc: number, from: number, end = docs.length): number {
  if (from >= end || docs[from]! >= doc) return from;
  let step = 1;
  let low = from;
  while (low + step < end && docs[low + step]! < doc) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
