// Texts that speak to a model and harmless ones that look like it, in two halves: one to learn from, one to be measured with.
import { evalSet, evalSets } from "../support/eval-sets.ts";

export interface Labelled {
  readonly text: string;
  /** 1: it tries to instruct its reader. */
  readonly label: 0 | 1;
  readonly cls: string;
  readonly lang: string;
  readonly source: string;
}

export const INJECTION = "injection";

/** `tune` to learn from, `test` to report with and for nothing else; none where they are not at hand. */
export function half(name: "tune" | "test"): readonly Labelled[] {
  return evalSets(INJECTION).includes(name) ? evalSet<Labelled>(INJECTION, name) : [];
}
