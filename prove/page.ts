// The page of findings: what this run saw, and of the parts that it left out what an earlier run has written there.
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import type { Part, StoreName } from "./part.ts";

export interface Row {
  readonly part: Pick<Part, "name" | "promise">;
  readonly store: StoreName;
  readonly verdict: "held" | "BROKEN" | "not here";
  readonly figure: string;
  readonly seconds: number;
  /** When, with which share of the full counts, and at which commit. */
  readonly run: string;
}

const COLUMNS = ["proof", "store", "promise", "verdict", "seen", "took", "run"];
const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const lineOf = ({ part, store, verdict, figure, seconds, run }: Row): string =>
  line([part.name, store, part.promise, verdict, figure, `${seconds} s`, run]);
const table = (lines: readonly string[]): string => [line(COLUMNS), `|${"---|".repeat(COLUMNS.length)}`, ...lines].join("\n");

export const tableOf = (rows: readonly Row[]): string => table(rows.map(lineOf));

/** `all`, or a part of it such as `1/20`. */
export function shareText(share: number): string {
  if (share === 1) return "all";
  const whole = Math.round(1 / share);
  return Math.abs(whole * share - 1) < 1e-6 ? `1/${whole}` : String(share);
}

/** `before` is the page as it was. Rows stand in the order of the parts, and what is no part any more has none. */
export function pageOf(rows: readonly Row[], before: string, parts: readonly Pick<Part, "name" | "stores">[], command: string): string {
  const lines = linesIn(before);
  for (const row of rows) lines.set(`${row.part.name} ${row.store}`, lineOf(row));
  const kept = parts.flatMap(({ name, stores }) => stores.flatMap((store) => lines.get(`${name} ${store}`) ?? []));
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}, Node ${process.version}`;
  return `# Proof

What the board promises, and what \`npm run prove\` saw of it. A run of some parts replaces their rows and leaves the others: each row says in its last column when it was made, and with all of the counts that \`npm run prove\` has for it or with a share of them; newer ones also at which commit. The last run was \`${command}\`, on ${machine}. "Not here" says what the machine lacked.

${table(kept)}
${sectionsOf(before)}`;
}

/** What people wrote below the table. */
function sectionsOf(page: string): string {
  const at = page.indexOf("\n## ");
  return at < 0 ? "" : page.slice(at);
}

/** By proof and store; a table of other columns has nothing to keep. */
function linesIn(page: string): Map<string, string> {
  const lines = new Map<string, string>();
  for (const text of page.split("\n")) {
    const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim());
    // One more at either end, outside of the bars.
    if (cells.length === COLUMNS.length + 2) lines.set(`${cells[1]} ${cells[2]}`, text);
  }
  return lines;
}
