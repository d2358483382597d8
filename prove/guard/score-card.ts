// The guard's score card: tables of how often texts of a known kind get flags and risk, by language, class and source.
import { markdownTable } from "../../bench/support/page-section.ts";
import { guardMarks, type Judged } from "../../src/core/guard/examine-text.ts";
import type { RiskTable } from "../../src/core/guard/risk/scorer.ts";

export const judged = (table: RiskTable, text: string): Judged => guardMarks(table, { v: 1, pk: "", ts: 0, kind: "note", body: text });

const COLUMNS: readonly (readonly [string, (one: Judged) => boolean])[] = [
  ["any flag", ({ flags }) => flags.length > 0],
  ["`instructions`", ({ flags }) => flags.includes("instructions")],
  ["risk 1 or more", ({ risk }) => risk >= 1],
  ["2 or more", ({ risk }) => risk >= 2],
  ["3", ({ risk }) => risk === 3],
];

export const share = (of: readonly Judged[], has: (one: Judged) => boolean): number =>
  of.length === 0 ? 0 : (100 * of.filter(has).length) / of.length;

/** A row for each group, in the given order, with the share of its texts that got a flag or a risk. */
export function scoreCardTable(first: string, groups: readonly (readonly [string, readonly Judged[]])[]): string {
  return markdownTable(
    [first, "texts", ...COLUMNS.map(([name]) => name)],
    groups.map(([name, of]) => [name, String(of.length), ...COLUMNS.map(([, has]) => `${share(of, has).toFixed(1)} %`)]),
  );
}
