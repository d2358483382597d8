// Every promise of the board, put to the proof on this machine: all of them, or those named on the command line.
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { type Finding, NotHere, type Part } from "./part.ts";
import { diskFull } from "./parts/disk-full.ts";
import { floods } from "./parts/floods.ts";
import { fuzz } from "./parts/fuzz.ts";
import { kills } from "./parts/kills.ts";
import { powerCut } from "./parts/power-cut.ts";
import { restarts } from "./parts/restarts.ts";
import { slow } from "./parts/slow.ts";
import { soak } from "./parts/soak.ts";
import { syncErrors } from "./parts/sync-errors.ts";
import { syncOrder } from "./parts/sync-order.ts";
import { tests } from "./parts/tests.ts";

const PARTS: readonly Part[] = [kills, syncOrder, powerCut, syncErrors, diskFull, restarts, ...tests, slow, floods, fuzz, soak];

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { share: { type: "string", default: "1" }, write: { type: "string" } },
});
const unknown = asked.filter((name) => PARTS.every((part) => part.name !== name));
if (unknown.length > 0) {
  console.error(`There is no proof ${unknown.join(", ")}. There are: ${PARTS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const share = Number(values.share);
const times = (full: number): number => Math.max(1, Math.round(full * share));

interface Row {
  readonly part: Part;
  readonly seconds: number;
  readonly verdict: "held" | "BROKEN" | "not here";
  readonly figure: string;
}

const rows: Row[] = [];
for (const part of PARTS.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  console.log(`\n== ${part.name}: ${part.promise}`);
  const start = performance.now();
  const { verdict, figure } = await look(part);
  rows.push({ part, seconds: Math.round((performance.now() - start) / 1000), verdict, figure });
  console.log(`${verdict}: ${figure}`);
}
const table = [
  "| proof | promise | verdict | seen | took |",
  "|---|---|---|---|---|",
  ...rows.map(({ part, seconds, verdict, figure }) => `| ${part.name} | ${part.promise} | ${verdict} | ${figure} | ${seconds} s |`),
].join("\n");
console.log(`\n${table}`);
if (values.write !== undefined) writeFileSync(values.write, document());
process.exitCode = rows.some(({ verdict }) => verdict === "BROKEN") ? 1 : 0;

async function look(part: Part): Promise<Pick<Row, "verdict" | "figure">> {
  try {
    const { held, figure }: Finding = await part.run(times);
    return { verdict: held ? "held" : "BROKEN", figure };
  } catch (error) {
    if (error instanceof NotHere) return { verdict: "not here", figure: error.message };
    console.error(error);
    return { verdict: "BROKEN", figure: (error as Error).message.split("\n")[0] ?? "" };
  }
}

function document(): string {
  const command = `npm run prove${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(" ")}` : ""}`;
  return `# Proof

What the board promises, and what \`${command}\` printed on ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}. "Not here" says what the machine lacked.

${table}
`;
}
