// Kinds of experiments (`x-...`) are named by strangers, so they count as untrusted text; the board's own kinds do not.
import { isOwnKind } from "../protocol/vocabulary.ts";

/** The kind as a word of the board: all experiments are `experiment`. */
export const kindWord = (kind: string): string => (isOwnKind(kind) ? kind : "experiment");

export interface KindCounts {
  /** Counts of the board's own kinds; all experiments together. */
  readonly by_kind: Readonly<Record<string, number>>;
  /** Counts by the names that strangers chose, if there are any. */
  readonly experiments?: readonly { readonly kind: string; readonly count: number; readonly untrusted: true }[] | undefined;
}

/** A stranger's word is never the name of a field, only a value that is marked as untrusted. */
export function kindCounts(counts: Readonly<Record<string, number>>): KindCounts {
  const byKind: Record<string, number> = {};
  for (const [kind, count] of Object.entries(counts)) byKind[kindWord(kind)] = (byKind[kindWord(kind)] ?? 0) + count;
  const strange = Object.entries(counts).filter(([kind]) => !isOwnKind(kind));
  if (strange.length === 0) return { by_kind: byKind };
  return { by_kind: byKind, experiments: strange.map(([kind, count]) => ({ kind, count, untrusted: true as const })) };
}

/** Each kind by its own name, for a page that marks strangers' words by other means. */
export const kindsNamed = ({ by_kind: byKind, experiments = [] }: KindCounts): readonly (readonly [string, number])[] => [
  ...Object.entries(byKind).filter(([kind]) => isOwnKind(kind)),
  ...experiments.map(({ kind, count }) => [kind, count] as const),
];
