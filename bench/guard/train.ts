// Learns the guard's table from the tuning half and from ordinary texts, and writes models/guard.bin: npm run train:guard.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RiskTable, writeRiskTable } from "../../src/core/guard/risk/scorer.ts";
import { noSets } from "../support/eval-sets.ts";
import { half, INJECTION } from "./injections.ts";
import { type Example, examplesOf, learnTexts, scoreOf, tableOf } from "./logistic.ts";
import { askedTexts, demoTexts, sentences, programMessages, withoutLatin } from "./ordinary.ts";

interface Row {
  readonly text: string;
  readonly label: 0 | 1;
  readonly lang: string;
  readonly source: string;
  readonly examples: readonly Example[];
}

const SENTENCES = 500;
/** To choose the levels, each text is scored by a table that was learned without it. */
const FOLDS = 5;
/**
 * The share of harmless texts that look like injections which may have risk 1. It is a third of what is promised, because other texts will
 * come.
 */
const FIRST = 0.003;
/** How far the levels of risk 2 and 3 are above the score of the most suspicious harmless text. */
const SECOND_ABOVE = 0.5;
const THIRD_ABOVE = 2.5;

const tune = half("tune");
if (tune.length === 0) {
  console.log(`Nothing to learn from: ${noSets(INJECTION)}.`);
  process.exit(0);
}
const started = performance.now();
const program = programMessages();
const own = [...demoTexts(), ...askedTexts()];
const ordinary = [...sentences("even", SENTENCES), ...own, ...program, ...withoutLatin([...program, ...own])];
const rows: readonly Row[] = [
  ...tune.map(({ text, label, lang, source }) => ({ text, label, lang, source })),
  ...ordinary.map(({ text, source }) => ({ text, label: 0 as const, lang: "", source })),
].map((row) => ({ ...row, examples: examplesOf(row.text, row.label) }));

const scores = new Map<Row, number>();
for (let fold = 0; fold < FOLDS; fold++) {
  const weights = learnTexts(rows.filter((row) => foldOf(row) !== fold).map(({ examples }) => examples));
  for (const row of rows) if (foldOf(row) === fold) scores.set(row, Math.max(...row.examples.map((example) => scoreOf(weights, example))));
}
const harmless = rows.filter(({ label }) => label === 0);
const looking = sorted(harmless.filter(({ lang }) => lang !== ""));
const levels: RiskTable["levels"] = [looking[Math.floor(FIRST * looking.length)]!, looking[0]! + SECOND_ABOVE, looking[0]! + THIRD_ABOVE];
report();

const table = tableOf(learnTexts(rows.map(({ examples }) => examples)), levels);
const bytes = writeRiskTable(table);
writeFileSync(join(import.meta.dirname, "../../models/guard.bin"), bytes);
const digest = createHash("sha256").update(bytes).digest("hex");
console.log(`models/guard.bin: ${bytes.length} bytes, SHA-256 ${digest}, after ${Math.round((performance.now() - started) / 1000)} s.`);

function foldOf({ text }: Row): number {
  return createHash("sha256").update(text).digest()[0]! % FOLDS;
}

function sorted(of: readonly Row[]): readonly number[] {
  return of.map((row) => scores.get(row)!).sort((a, b) => b - a);
}

/** Prints the expected rates, from the tuning half alone. */
function report(): void {
  const share = (of: readonly Row[], level: number): string =>
    `${((100 * of.filter((row) => scores.get(row)! >= level).length) / of.length).toFixed(1)} % of ${of.length}`;
  const attempts = rows.filter(({ label }) => label === 1);
  const groups: Readonly<Record<string, readonly Row[]>> = {
    "attempts, English": attempts.filter(({ lang }) => lang === "en"),
    "attempts, no language named": attempts.filter(({ lang }) => lang === "und"),
    ...Object.fromEntries(
      [...Map.groupBy(attempts, ({ lang }) => lang)]
        .filter(([lang]) => !["en", "und"].includes(lang))
        .map(([lang, of]) => [`attempts, ${lang}`, of]),
    ),
    ...Object.fromEntries([...Map.groupBy(harmless, ({ source }) => source)].map(([source, of]) => [`harmless, ${source}`, of])),
  };
  console.log(`Levels ${levels.map((level) => level.toFixed(2)).join(", ")}. Each text scored without having been learned from:`);
  console.table(
    Object.fromEntries(
      Object.entries(groups).map(([name, of]) => [
        name,
        Object.fromEntries(levels.map((level, at) => [`risk ${at + 1}`, share(of, level)])),
      ]),
    ),
  );
}
