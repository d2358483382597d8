// The part of a page that a command writes, between two marks; the rest of the page is written by hand.
import { readFileSync, writeFileSync } from "node:fs";

const END = "<!-- to here -->";

/** The page with another section of this command. */
export function withSection(page: string, command: string, section: string): string {
  const begin = `<!-- ${command} writes from here -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`The page has no place for the figures, between the lines ${begin} and ${END}.`);
  return `${page.slice(0, from)}${begin}\n\n${section}\n\n${page.slice(to)}`;
}

export function writeSection(file: string, command: string, section: string): void {
  writeFileSync(file, withSection(readFileSync(file, "utf8"), command, section));
}

/** A table in Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
