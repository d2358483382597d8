// Tables for a terminal; strangers' text is escaped and cut to fit the line.
import { visible } from "../core/view/fence.ts";

const NARROW = 40;

/** A stranger's text on one line, cut to a number of characters. */
export function oneLine(text: string, width: number): string {
  const line = Array.from(visible(text.slice(0, 4 * width)).replaceAll(/\s+/g, " "));
  return line.length > width ? `${line.slice(0, width - 1).join("")}…` : line.join("");
}

/** The last column, which may be a stranger's text, gets the rest of the line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], columns = process.stdout.columns ?? 120): string {
  if (rows.length === 0) return "nothing\n";
  const last = headings.length - 1;
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const taken = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === last ? oneLine(cell, Math.max(NARROW, columns - taken)) : cell.padEnd((widths[i] ?? 0) + 2))).join("");
  return `${[headings, ...rows].map((row) => line(row).trimEnd()).join("\n")}\n`;
}
