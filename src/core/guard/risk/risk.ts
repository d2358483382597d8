// How careful a reader should be with a text: 0 to 3, from what was learned and from the flags. A hint, never a reason to refuse.
import type { Flag } from "../flags.ts";
import { type RiskTable, riskScore } from "./scorer.ts";

export type Risk = 0 | 1 | 2 | 3;

/**
 * 1: fewer than one in a hundred harmless texts look like it. 2: hardly any do, or it holds a known phrase. 3: it does not look harmless at
 * all, or has both. `text` is everything that the author worded, as a reader sees it.
 */
export function riskOf(table: RiskTable, text: string, flags: readonly Flag[]): Risk {
  const score = riskScore(table, text);
  const learned = table.levels.filter((level) => score >= level).length as Risk;
  if (flags.includes("instructions")) return learned >= 1 ? 3 : 2;
  return learned === 0 && flags.some((flag) => HIDING.has(flag)) ? 1 : learned;
}

/** What hides something from a reader, or carries something out. Long runs of base64 are on boards for many good reasons. */
const HIDING: ReadonlySet<Flag> = new Set<Flag>(["hidden_characters", "bidi_controls", "data_link"]);
