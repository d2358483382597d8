// The risk of a text for its reader, 0 to 3, from the scorer and the flags. A hint, never a reason to refuse.
import type { Flag } from "../flags.ts";
import type { PlainText } from "./normalized-text.ts";
import { type RiskTable, riskScore } from "./scorer.ts";

export type Risk = 0 | 1 | 2 | 3;

/**
 * 1: fewer than one in a hundred harmless texts score as high. 2: hardly any harmless text does, or the text contains a known phrase. 3:
 * the text looks like an attack, or it contains a known phrase and scores at least 1. `text` is all text of the author, as a reader sees
 * it.
 */
export function riskOf(table: RiskTable, text: string, flags: readonly Flag[], plain?: PlainText): Risk {
  const score = riskScore(table, text, plain);
  const learned = table.levels.filter((level) => score >= level).length as Risk;
  if (flags.includes("instructions")) return learned >= 1 ? 3 : 2;
  return learned === 0 && flags.some((flag) => HIDING.has(flag)) ? 1 : learned;
}

/** Flags that raise the risk: hidden text, and links that leak data. Long runs of base64 are often harmless. */
const HIDING: ReadonlySet<Flag> = new Set<Flag>(["hidden_characters", "bidi_controls", "data_link"]);
