// Tags, needs and offers: how they may be written, and which spellings are the same label.
import { codePoints } from "./encoding.ts";
import { LIMITS } from "./limits.ts";

/** No comma, which separates labels in a URL; no invisible characters; blanks only inside. */
const WRITTEN = /^(?! )(?:[^,\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}\s]| (?!$))+$/u;
const PLAIN = /^[a-z0-9._:/+#-]+$/;

/** Labels are compared without regard to case and to Unicode compatibility forms. */
export const foldLabel = (label: string): string => (PLAIN.test(label) ? label : label.normalize("NFKC").toLowerCase().normalize("NFKC"));

const isWritten = (label: string): boolean =>
  label.length <= 2 * LIMITS.tag_chars && codePoints(label) <= LIMITS.tag_chars && WRITTEN.test(label);

/** The rules apply to a label as written and as compared. */
export const isLabel = (label: string): boolean => isWritten(label) && (PLAIN.test(label) || isWritten(foldLabel(label)));

export const LABEL_RULE = `1 to ${LIMITS.tag_chars} characters without a comma, control or invisible characters, or white space but blanks inside, as written and once folded (NFKC, lower case)`;

/** Removes duplicates; the first spelling stays. */
export function distinctLabels(labels: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return labels.filter((label) => seen.size < seen.add(foldLabel(label)).size);
}
