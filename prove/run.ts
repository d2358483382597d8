// Every promise of the board, put to the proof on this machine: all of them, or those named on the command line.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { orInstead, requireKnown, requireNames } from "../bench/support/usage.ts";
import { asked, USAGE } from "./arguments.ts";
import { pageOf, type Row, shareText, tableOf } from "./page.ts";
import { type Finding, NotHere, type Part, type StoreName, STORES } from "./part.ts";
import { PARTS } from "./parts.ts";
import { closeStores, keepBoardsIn } from "./support/stores.ts";

const { names, values } = asked;
const without = (values.without ?? "").split(",").filter((name) => name !== "");
const stores = values.store?.split(",") ?? STORES;
orInstead(() => {
  const known = PARTS.map(({ name }) => name);
  requireNames(USAGE, asked, known);
  requireKnown("proof", without, known, USAGE);
  requireKnown("store", stores, STORES, USAGE);
});
const share = Number(values.share ?? "1");
const times = (full: number): number => Math.max(1, Math.round(full * share));

const run = `${new Date().toISOString().slice(0, 10)}, ${shareText(share)}`;
const command = `npm run prove${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(" ")}` : ""}`;

const rows: Row[] = [];
try {
  for (const part of PARTS.filter(({ name }) => (names.length === 0 || names.includes(name)) && !without.includes(name)))
    for (const store of part.stores.filter((name) => stores.includes(name))) {
      rows.push(await shown(part, store));
      if (values.write !== undefined) write(values.write);
    }
} finally {
  await closeStores();
}
console.log(`\n${tableOf(rows)}`);
process.exitCode = rows.some(({ verdict }) => verdict === "BROKEN") ? 1 : 0;

async function shown(part: Part, store: StoreName): Promise<Row> {
  console.log(`\n== ${part.name} (${store}): ${part.promise}`);
  await keepBoardsIn(store);
  const start = performance.now();
  const { verdict, figure } = await look(part, store);
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${verdict} after ${seconds} s: ${figure}`);
  return { part, store, verdict, figure, seconds, run };
}

async function look(part: Part, store: StoreName): Promise<Pick<Row, "verdict" | "figure">> {
  try {
    const { held, figure }: Finding = await part.run(times, store);
    return { verdict: held ? "held" : "BROKEN", figure };
  } catch (error) {
    if (error instanceof NotHere) return { verdict: "not here", figure: error.message };
    console.error(error);
    const { message, cause } = error as Error;
    // What a failed fetch says of itself is nothing; its cause does.
    return { verdict: "BROKEN", figure: `${message.split("\n")[0]}${cause instanceof Error ? ` (${cause.message})` : ""}` };
  }
}

/** After each row, so that a run that is broken off leaves what it has seen. */
function write(path: string): void {
  writeFileSync(path, pageOf(rows, existsSync(path) ? readFileSync(path, "utf8") : "", PARTS, command));
}
