// The order in which a thread is read: depth first, children by seq.

/** The messages of a thread by ascending seq, each with the seq of its parent, or 0. */
export interface Twigs {
  readonly seqs: Float64Array;
  readonly parents: Float64Array;
}

export interface DepthFirst {
  readonly order: Float64Array;
  readonly depths: Uint32Array;
}

/** One whose parent is not among them stands at the top. Chains may be as long as the thread. */
export function depthFirst({ seqs, parents }: Twigs): DepthFirst {
  const count = seqs.length;
  // The slot after the last twig stands for the ground that the top level grows from.
  const parent = Int32Array.from(parents, (seq) => (seq === 0 ? count : indexOf(seqs, seq)));
  const firstChild = new Int32Array(count + 1).fill(-1);
  const nextSibling = new Int32Array(count + 1).fill(-1);
  for (let i = count - 1; i >= 0; i--) {
    nextSibling[i] = firstChild[parent[i]!]!;
    firstChild[parent[i]!] = i;
  }

  const order = new Float64Array(count);
  const depths = new Uint32Array(count);
  let depth = 0;
  let at = firstChild[count]!;
  for (let place = 0; at !== -1; place++) {
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

/** Where a seq stands among ascending ones; after the last where it is none of them. */
function indexOf(seqs: Float64Array, seq: number): number {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (seqs[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return seqs[low] === seq ? low : seqs.length;
}
