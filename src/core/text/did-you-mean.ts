// The known name that somebody most likely meant, or none: a wrong guess costs an agent more than no guess.

/** The known name with the fewest edits, if they are few for its length, or if the name only has something appended. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 60) return undefined;
  const wanted = name.toLowerCase();
  const begins = (one: string): boolean => one.charAt(0).toLowerCase() === wanted.charAt(0);
  const scored = known
    .map((one) => ({ one, edits: distance(wanted, one.toLowerCase()), whole: goesOn(wanted, one.toLowerCase()) }))
    .filter(({ one, edits, whole }) => whole || edits <= allowedEdits(Math.min(wanted.length, one.length)))
    // People seldom mistype the first letter.
    .sort((a, b) => a.edits - b.edits || Number(b.whole) - Number(a.whole) || Number(begins(b.one)) - Number(begins(a.one)));
  if (scored[0] !== undefined) return scored[0].one;
  const longer = known.filter((one) => wanted.length >= 3 && one.startsWith(wanted));
  const kin = longer.length > 0 ? longer : known.filter((one) => differInEnding(wanted, one.toLowerCase()));
  return kin.length === 1 ? kin[0] : undefined;
}

/** A known name and more, such as `author_id`, `tag[]` or `sorting`; a short name only if a separator follows it. */
const goesOn = (name: string, one: string): boolean =>
  one.length >= 2 && name.startsWith(one) && (one.length >= 4 || !/[a-z0-9]/.test(name.charAt(one.length)));

/** Two forms of one word, such as `reply` and `replies`: they share all but the last letter of the shorter one. */
function differInEnding(a: string, b: string): boolean {
  const stem = Math.min(a.length, b.length) - 1;
  return stem >= 4 && Math.abs(a.length - b.length) <= 3 && a.slice(0, stem) === b.slice(0, stem);
}

/** Allowed edits for a length: more would turn a short word into any other, and one would turn any letter into `q`. */
export const allowedEdits = (length: number): number => (length < 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3);

/** Letters to add, drop or change, and neighbours to swap, which is the most common typo and counts once. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), swapped));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
