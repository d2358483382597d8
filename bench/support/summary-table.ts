// The table at the end of a run: every figure, its share of the ceiling, and its last recorded value.
import { type Figure, shareOfCeiling, written } from "./figure.ts";
import type { Change, History, Run } from "./history.ts";

/** Smaller changes occur by chance on shared machines. */
const TELLING = 0.2;

export function summary(run: Run, figures: readonly Figure[], history: History): string {
  const changes = figures.map((figure) => history.change(run, figure));
  const rows = figures.map((figure, i) => {
    const share = shareOfCeiling(figure);
    const change = changes[i];
    return [
      figure.name,
      written(figure),
      share === undefined ? "" : `${share.toFixed(2)} of ${figure.ceiling?.name}`,
      change === undefined ? "" : written(change.before),
      verdict(change),
    ];
  });
  const last = changes
    .flatMap((change) => (change === undefined ? [] : [change.at]))
    .toSorted()
    .at(-1);
  const head = ["", "now", "of the ceiling", last === undefined ? "no run before" : `on ${last.slice(0, 10)}`, ""];
  const worse = figures.filter((_, i) => isWorse(changes[i])).map(({ name }) => name);
  return `${aligned([head, ...rows])}${worse.length === 0 ? "" : `\nWORSE than before: ${worse.join("; ")}`}`;
}

const isWorse = (change: Change | undefined): boolean => change?.better !== undefined && change.better < -TELLING / (1 + TELLING);

function verdict(change: Change | undefined): string {
  if (change?.better === undefined) return "";
  const percent = `${change.better >= 0 ? "+" : ""}${(change.better * 100).toFixed(0)} %`;
  if (isWorse(change)) return `${percent} WORSE`;
  return change.better > TELLING ? `${percent} better` : percent;
}

/** Columns are as wide as their widest cell; the second and fourth contain figures and are aligned right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column % 2 === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
