// Tries to break every promise of the board on this machine: all of them, or those named on the command line.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { commit } from "../bench/support/git-commit.ts";
import { orInstead, refused, requireKnown, requireNames } from "../bench/support/command-line.ts";
import { startBuilt } from "../test/support/built.ts";
import { undoOnSignals } from "../test/support/leftovers.ts";
import { asked, onlyAttacks, onlyNumber, USAGE } from "./arguments.ts";
// Imported after the arguments, which may give the seed.
import { SEED } from "../test/support/random.ts";
import { withAttackTable } from "./attack-table.ts";
import { pageOf, type Row, shareText, tableOf } from "./page.ts";
import { type Finding, NotHere, type Part, type StoreName, STORES } from "./part.ts";
import { PARTS } from "./parts.ts";
import { closeStores, keepBoardsIn } from "./support/stores.ts";

const { names, values } = asked;
const without = (values.without ?? "").split(",").filter((name) => name !== "");
const stores = values.store?.split(",") ?? STORES;
const chosen = orInstead(() => {
  const known = [...new Set(PARTS.flatMap(({ name, group }) => group ?? name))];
  requireNames(USAGE, asked, known);
  requireKnown("proof", without, known, USAGE);
  requireKnown("store", stores, STORES, USAGE);
  const attacks = PARTS.flatMap(({ name, group }) => (group === undefined ? [] : [name.slice(group.length + 1)]));
  requireKnown("attack", onlyAttacks ?? [], attacks, USAGE);
  const parts = PARTS.filter(({ name, group = name }) => (names.length === 0 || names.includes(group)) && !without.includes(group)).filter(
    ({ name, group }) => onlyAttacks === undefined || onlyAttacks.some((attack) => name === `${group} ${attack}`),
  );
  const found = parts.flatMap((part) => part.stores.filter((name) => stores.includes(name)).map((store) => ({ part, store })));
  if (found.length === 0) throw refused("That leaves nothing to prove: some proofs are of one store only.", USAGE);
  return found;
});
const share = Number(values.share ?? "1");
const usual = share === 1 && onlyNumber === undefined && values.server === undefined && values.messages === undefined;
const NOTES = "docs/lab/proof.md";
const SUMMARY = "docs/proof.md";
/** The page that gets the rows. A run with other counts, or of another board, writes to a page only if told to. */
const page = values.write ?? (usual ? NOTES : undefined);
const times = (full: number): number => Math.max(1, Math.round(full * share));

// Only `src` is compared, because the page itself changes as soon as it is written.
const at = commit("src");
const run = `${new Date().toISOString().slice(0, 10)}, ${shareText(share)}${at === "" ? "" : `, ${at}`}`;
const command = `npm run prove${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(" ")}` : ""}`;

const rows: Row[] = [];
/** Errors that nobody awaited while a part ran. */
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));
undoOnSignals(() => console.log(`\nBroken off. Seen until then:\n${tableOf(rows)}`));

console.log(`seed ${SEED}`);
// A built board starts in less than half the time.
await startBuilt();
try {
  for (const { part, store } of chosen) {
    rows.push(await shown(part, store));
    if (page !== undefined) write(page);
  }
} finally {
  await closeStores();
}
console.log(`\n${tableOf(rows)}`);
// Exits at once: processes left by a broken part must not delay it, and the package that runs PostgreSQL would soon exit with code 0.
process.exit(rows.some(({ verdict }) => verdict === "BROKEN") ? 1 : 0);

async function shown(part: Part, store: StoreName): Promise<Row> {
  console.log(`\n== ${part.name} (${store}): ${part.promise}`);
  const start = performance.now();
  const { verdict, figure } = await look(part, store);
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${verdict} after ${seconds} s: ${figure}`);
  return { part, store, verdict, figure, seconds, run };
}

async function look(part: Part, store: StoreName): Promise<Pick<Row, "verdict" | "figure">> {
  strays.length = 0;
  try {
    await keepBoardsIn(store);
    const { held, figure }: Finding = await part.run(times, store);
    if (strays.length > 0) throw strays[0];
    return { verdict: held ? "held" : "BROKEN", figure };
  } catch (error) {
    if (error instanceof NotHere) return { verdict: "not here", figure: error.message };
    console.error(error);
    const { message, cause } = error as Error;
    // The message of a failed fetch says nothing; its cause does.
    return { verdict: "BROKEN", figure: `${message.split("\n")[0]}${cause instanceof Error ? ` (${cause.message})` : ""}` };
  }
}

/** Called after each row, so that an interrupted run leaves its rows. */
function write(path: string): void {
  const written = pageOf(rows, existsSync(path) ? readFileSync(path, "utf8") : "", PARTS, command);
  writeFileSync(path, written);
  if (path === NOTES) writeFileSync(SUMMARY, withAttackTable(readFileSync(SUMMARY, "utf8"), written));
}
