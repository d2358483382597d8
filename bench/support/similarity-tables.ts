// The tables of what similarity search finds, in Markdown.
import { markdownTable } from "./page-section.ts";
import { ENGINES, type Engine, type Found, type Recall } from "./similarity-recall.ts";

export type NamedRecall = readonly [set: string, recall: Recall];

/** In percent. */
export const share = (of: readonly Found[], has: (one: Found) => boolean): number =>
  Number(((100 * of.filter(has).length) / of.length).toFixed(1));

export const mean = (of: readonly Found[], value: (one: Found) => number): number =>
  Number((of.reduce((sum, one) => sum + value(one), 0) / of.length).toFixed(2));

/** The share of the meaning was chosen on the first, third, fifth question and so on. */
const heldBack = (found: Recall["found"]): Recall["found"] => found.filter((_, nth) => nth % 2 === 1);

const HEAD: Readonly<Record<Engine, string>> = {
  words: "words (`--meaning off`)",
  meaning: "meaning alone",
  both: "both (what the board uses)",
};
const HEADS = ENGINES.map((engine) => HEAD[engine]);

function recalls(found: Recall["found"]): readonly string[] {
  return ENGINES.map((engine) => {
    const by = found.map((one) => one[engine]);
    return `${share(by, ({ rank }) => rank === 0).toFixed(1)} / ${share(by, ({ rank }) => rank < 10).toFixed(1)}`;
  });
}

/** The time of fewer texts says nothing. */
const TIMED = 1000;

/** Recall at 1 / at 10 of all questions. */
export function recallTable(of: readonly NamedRecall[]): string {
  return markdownTable(
    ["set", "texts", "questions", ...HEADS, "words, µs a text", "meaning, µs a text"],
    of.map(([set, { texts, found, us }]) => [
      set,
      String(texts),
      String(found.length),
      ...recalls(found),
      ...(texts < TIMED ? ["", ""] : [String(us.words), String(us.meaning)]),
    ]),
  );
}

export function heldBackTable(of: readonly NamedRecall[]): string {
  const rows = of.map(([set, { found }]) => [set, heldBack(found)] as const);
  return markdownTable(
    ["set", "questions", ...HEADS],
    rows.map(([set, found]) => [set, String(found.length), ...recalls(found)]),
  );
}

/** What `near` finds with its threshold. */
export function thresholdTable(of: readonly NamedRecall[]): string {
  const cells = (found: Recall["found"], engine: Engine): readonly string[] => {
    const by = found.map((one) => one[engine]);
    return [`${share(by, ({ near }) => near).toFixed(1)} %`, mean(by, ({ others }) => others).toFixed(1)];
  };
  return markdownTable(
    ["set", "both: partner found", "other texts", "words: partner found", "other texts"],
    of.map(([set, { found }]) => [set, ...cells(found, "both"), ...cells(found, "words")]),
  );
}
