// How a label is shown: in the spelling that is used most, of those who wrote it in their own way and those who wrote it folded.

/** So many spellings of one label are looked at, the most used first. */
export const SPELLINGS_READ = 64;

export interface SpellingCount {
  /** The folded label, a comma and the spelling. */
  readonly label: string;
  readonly count: number;
}

/** `total` counts all who use the label; what none of the counts names was written folded. */
export function mostUsed(folded: string, total: number, counts: readonly SpellingCount[]): string {
  const [first] = counts;
  if (first === undefined) return folded;
  // Where not all were read, nobody knows how many wrote it folded.
  const other = counts.length === SPELLINGS_READ ? 0 : total - counts.reduce((sum, { count }) => sum + count, 0);
  return first.count > other ? first.label.slice(folded.length + 1) : folded;
}
