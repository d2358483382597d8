// How a label is shown: in its most used spelling, which may be the folded one.

/** At most this many spellings of one label are compared, the most used first. */
export const SPELLINGS_READ = 64;

export interface SpellingCount {
  /** The folded label, a comma and the spelling. */
  readonly label: string;
  readonly count: number;
}

/** `total` counts all uses of the label; uses without a count of their own were written folded. */
export function mostUsed(folded: string, total: number, counts: readonly SpellingCount[]): string {
  const [first] = counts;
  if (first === undefined) return folded;
  // If not all were read, the number of folded ones is not known.
  const other = counts.length === SPELLINGS_READ ? 0 : total - counts.reduce((sum, { count }) => sum + count, 0);
  return first.count > other ? first.label.slice(folded.length + 1) : folded;
}
