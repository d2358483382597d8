// The page of findings: the rows of this run, and for all other parts the rows of earlier runs.
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import type { Part, StoreName } from "./part.ts";

export interface Row {
  readonly part: Pick<Part, "name" | "promise">;
  readonly store: StoreName;
  readonly verdict: "held" | "BROKEN" | "not here";
  readonly figure: string;
  readonly seconds: number;
  /** The time, the share of the full counts, and the commit. */
  readonly run: string;
}

const COLUMNS = ["proof", "store", "promise", "verdict", "seen", "took", "run"];
const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const lineOf = ({ part, store, verdict, figure, seconds, run }: Row): string =>
  line([part.name, store, part.promise, verdict, figure, `${seconds} s`, run]);
const table = (lines: readonly string[]): string => [line(COLUMNS), `|${"---|".repeat(COLUMNS.length)}`, ...lines].join("\n");

export const tableOf = (rows: readonly Row[]): string => table(rows.map(lineOf));

/** `all`, or a fraction such as `1/20`. */
export function shareText(share: number): string {
  if (share === 1) return "all";
  const whole = Math.round(1 / share);
  return Math.abs(whole * share - 1) < 1e-6 ? `1/${whole}` : String(share);
}

/** `before` is the old page. Rows are in the order of the parts; rows of deleted parts are dropped. */
export function pageOf(rows: readonly Row[], before: string, parts: readonly Pick<Part, "name" | "stores">[], command: string): string {
  const lines = linesIn(before);
  for (const row of rows) lines.set(`${row.part.name} ${row.store}`, lineOf(row));
  const current = parts.flatMap(({ name, stores }) => stores.flatMap((store) => lines.get(`${name} ${store}`) ?? []));
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}, Node ${process.version}`;
  return `# Laboratory notes: proofs

Every promise of the board, and what \`npm run prove\` measured; [proof](../proof.md) is the summary. The last column says when a row was made, whether with all counts or a share of them, and at which commit, or just before which. A run of some parts replaces only their rows. The last run was \`${command}\`, on ${machine}. "Not here" means that the machine lacked something, and says what.

${table(current)}
${sectionsOf(before)}`;
}

/** The hand-written sections below the table. */
function sectionsOf(page: string): string {
  const at = page.indexOf("\n## ");
  return at < 0 ? "" : page.slice(at);
}

/** The rows by proof and store. */
function linesIn(page: string): Map<string, string> {
  return new Map(rowsIn(page).map(({ name, store, text }) => [`${name} ${store}`, text]));
}

/** A row of an old page, as it was written. */
export interface WrittenRow {
  readonly name: string;
  readonly store: string;
  readonly promise: string;
  readonly verdict: string;
  readonly figure: string;
  /** The whole line. */
  readonly text: string;
}

/** The rows of a page; rows of tables with other columns are ignored. */
export function rowsIn(page: string): readonly WrittenRow[] {
  return page.split("\n").flatMap((text) => {
    const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const [, name = "", store = "", promise = "", verdict = "", figure = ""] = cells;
    // The text before the first bar and after the last one makes two more cells.
    return cells.length === COLUMNS.length + 2 ? [{ name, store, promise, verdict, figure, text }] : [];
  });
}
