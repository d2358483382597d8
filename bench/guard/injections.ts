// Texts that try to instruct a model, and harmless texts that look like them, in two halves: one to learn from, one to measure with.
import { evalSet, evalSets } from "../support/eval-sets.ts";

export interface Labelled {
  readonly text: string;
  /** 1 if the text tries to instruct its reader. */
  readonly label: 0 | 1;
  readonly cls: string;
  readonly lang: string;
  readonly source: string;
}

export const INJECTION = "injection";

/** `tune` is for learning, `test` only for reports. Empty if the sets are not on this machine. */
export function half(name: "tune" | "test"): readonly Labelled[] {
  return evalSets(INJECTION).includes(name) ? evalSet<Labelled>(INJECTION, name) : [];
}
