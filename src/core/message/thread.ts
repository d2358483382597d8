// The order in which a thread is read: depth first, children by seq.

export interface Twig {
  readonly seq: number;
  readonly parent: number | null;
}

export interface DepthFirst {
  readonly seqs: Float64Array;
  readonly depths: Uint32Array;
}

/** Takes twigs by ascending seq; one whose parent is not among them stands at the top. Chains may be as long as the thread. */
export function depthFirst(twigs: readonly Twig[]): DepthFirst {
  const count = twigs.length;
  const indexOf = new Map(twigs.map(({ seq }, i) => [seq, i]));
  // The slot after the last twig stands for the ground that the top level grows from.
  const parent = Int32Array.from(twigs, (twig) => (twig.parent === null ? count : (indexOf.get(twig.parent) ?? count)));
  const firstChild = new Int32Array(count + 1).fill(-1);
  const nextSibling = new Int32Array(count + 1).fill(-1);
  for (let i = count - 1; i >= 0; i--) {
    nextSibling[i] = firstChild[parent[i]!]!;
    firstChild[parent[i]!] = i;
  }

  const seqs = new Float64Array(count);
  const depths = new Uint32Array(count);
  let depth = 0;
  let at = firstChild[count]!;
  for (let place = 0; at !== -1; place++) {
    seqs[place] = twigs[at]!.seq;
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
  return { seqs, depths };
}
