// The table of attacks in docs/proof.md: a row for each, from the rows of the laboratory notes.
import { rowsIn } from "./page.ts";
import { STORES, type StoreName } from "./part.ts";

const PREFIX = "abuse ";
const NAMES: Readonly<Record<StoreName, string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const HEADING = "\n## Attacks of one caller\n";
const INTRODUCTION = `
What one address sends for 30 s, and what others notice: the 99th percentile of their waits for the time, for a list of 50 and for a post, before and during the attack, in milliseconds; the processor time of the longest turn of the event loop, 0 if none was noticed; and the memory that the board took in addition. A wait passes up to three times the one before the attack; up to 50 ms it always passes, because one request may hold the event loop that long; over 250 ms never. If an attack was repeated, this is its last round. \`npm run prove -- abuse\` writes these rows.
`;

/** The summary, with the table as the laboratory notes have it now. */
export function withAttackTable(summary: string, notes: string): string {
  const start = summary.indexOf(HEADING);
  const next = start < 0 ? -1 : summary.indexOf("\n## ", start + HEADING.length);
  const before = start < 0 ? `${summary.trimEnd()}\n` : summary.slice(0, start);
  return `${before}${HEADING}${INTRODUCTION}\n${attackTable(notes)}\n${next < 0 ? "" : summary.slice(next)}`;
}

function attackTable(notes: string): string {
  const attacks = new Map<string, { readonly sends: string; readonly seen: Partial<Record<string, string>> }>();
  for (const { name, store, promise, verdict, figure } of rowsIn(notes)) {
    if (!name.startsWith(PREFIX)) continue;
    // The promise is the same for all: what others notice.
    const known = attacks.get(name) ?? { sends: promise.slice(0, promise.lastIndexOf(": others' ")), seen: {} };
    known.seen[store] = verdict === "not here" ? verdict : `${verdict}: ${shortened(figure)}`;
    attacks.set(name, known);
  }
  const head = ["attack", "sends", ...STORES.map((store) => NAMES[store])];
  const rows = [...attacks].map(([name, { sends, seen }]) => [
    name.slice(PREFIX.length),
    sends,
    ...STORES.map((store) => seen[store] ?? "not run"),
  ]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The last round, without what the laboratory notes are for. */
function shortened(figure: string): string {
  const round = figure.split(/; round \d+: /).at(-1) ?? "";
  const parts = round.split("; ").filter((words) => !/^\**(answered|none of their|\d+ % of the machine)/.test(words));
  return parts
    .join("; ")
    .replace(/longest turn of the loop (\d+) ms, 0 over \d+/, "longest turn $1 ms")
    .replace(/ more memory \(\d+ at most\)/, " more");
}
