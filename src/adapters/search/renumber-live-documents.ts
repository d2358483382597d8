// The live documents of some parts, renumbered in the order of the parts.
import type { Documents, IndexPart } from "../../core/search/index/index-part.ts";

/** Everything that is kept of each document beside its terms. */
export interface Columns extends Documents {
  readonly meanings: Int8Array;
}

export interface Renumbered {
  /** For each part: the new number of each document, -1 if it has ended. */
  readonly numbers: readonly Int32Array[];
  readonly documents: Columns;
}

export function liveDocuments(parts: readonly IndexPart[]): Renumbered {
  const total = parts.reduce((sum, part) => sum + part.documents - part.deadCount, 0);
  const seqs = new Uint32Array(total);
  const titleLengths = new Uint16Array(total);
  const bodyLengths = new Uint16Array(total);
  const wordCounts = new Uint16Array(total);
  const gramCounts = new Uint16Array(total);
  const dimensions = dimensionsOf(parts);
  const meanings = new Int8Array(total * dimensions);
  let next = 0;
  const numbers = parts.map((part) => {
    const all = part.meanings();
    const numberOf = new Int32Array(part.documents).fill(-1);
    for (let doc = 0; doc < part.documents; doc++) {
      if (part.dead[doc] === 1) continue;
      seqs[next] = part.seqs[doc]!;
      titleLengths[next] = part.titleLengths[doc]!;
      bodyLengths[next] = part.bodyLengths[doc]!;
      wordCounts[next] = part.wordCounts[doc]!;
      gramCounts[next] = part.gramCounts[doc]!;
      meanings.set(all.subarray(doc * dimensions, (doc + 1) * dimensions), next * dimensions);
      numberOf[doc] = next++;
    }
    return numberOf;
  });
  return { numbers, documents: { documents: total, seqs, titleLengths, bodyLengths, wordCounts, gramCounts, meanings } };
}

/** The number of dimensions of a meaning, the same in all parts of an index. */
function dimensionsOf(parts: readonly IndexPart[]): number {
  const part = parts.find(({ documents }) => documents > 0);
  return part === undefined ? 0 : part.meanings().length / part.documents;
}
