// The guard: what flags and risk find of texts that instruct their reader, and how often they are wrong about harmless ones.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { half, INJECTION, type Labelled } from "../../bench/guard/injections.ts";
import { demoTexts, sentences } from "../../bench/guard/ordinary.ts";
import { commit } from "../../bench/support/commit.ts";
import { noSets } from "../../bench/support/eval-sets.ts";
import { readRiskTable, riskScore } from "../../src/core/guard/risk/scorer.ts";
import type { Judged } from "../../src/core/guard/judge.ts";
import { cardTable, judged, share, withCard } from "../guard/card.ts";
import { count, NotHere, type Part } from "../part.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = join(ROOT, "docs/guard.md");
const ORDINARY = 1000;
/** In percent, of risk 1 or more. */
const ENGLISH_AIM = 60;
const OTHERS_AIM = 40;
const ALARMS_AIM = 1;

type Text = Labelled & Judged;
const alarmed = ({ risk }: Judged): boolean => risk >= 1;

export const guard: Part = {
  name: "guard",
  promise: `risk finds ${ENGLISH_AIM} % of English injections and ${OTHERS_AIM} % of those in other languages, with at most ${ALARMS_AIM} % false alarms`,
  stores: ["sqlite"],
  async run() {
    const test = half("test");
    if (test.length === 0) throw new NotHere(noSets(INJECTION));
    const table = readRiskTable(readFileSync(join(ROOT, "models/guard.bin")));
    const texts = test.map((one): Text => ({ ...one, ...judged(table, one.text) }));
    // Once more, now that the program is warm.
    const before = processorUs();
    for (const { text } of texts) riskScore(table, text);
    const us = Math.round((processorUs() - before) / texts.length);
    const ordinary = [...sentences("odd", ORDINARY), ...demoTexts()].map((one) => ({ ...one, ...judged(table, one.text) }));

    const attempts = texts.filter(({ label }) => label === 1);
    const harmless = texts.filter(({ label }) => label === 0);
    const english = attempts.filter(({ lang }) => lang === "en");
    const others = attempts.filter(({ lang }) => lang !== "en" && lang !== "und");
    const stored = [
      `Seen ${new Date().toISOString().slice(0, 10)} at ${commit("src")}, on the testing half: ${count(attempts.length)} attempts to instruct a reader, ${count(harmless.length)} harmless texts, ${us} µs of processor time a text of ${Math.round(texts.reduce((sum, { text }) => sum + text.length, 0) / texts.length)} characters for the risk, beside other work on the machine.`,
      cardTable("attempts found, by language", [
        ["English", english],
        ["other languages", others],
        ...grouped(others, ({ lang }) => lang),
        ["no language named", attempts.filter(({ lang }) => lang === "und")],
      ]),
      cardTable(
        "attempts found, by class",
        grouped(attempts, ({ cls }) => cls.replaceAll("_", " ")),
      ),
      cardTable("false alarms, harmless texts that look like attempts", [
        ["all", harmless],
        ...grouped(harmless, ({ source, lang }) => `${source}, ${lang}`),
      ]),
      cardTable(
        "false alarms, ordinary texts",
        grouped(ordinary, ({ source }) => source),
      ),
    ].join("\n\n");
    writeFileSync(PAGE, withCard(readFileSync(PAGE, "utf8"), stored));

    const [found, elsewhere, alarms] = [share(english, alarmed), share(others, alarmed), share(harmless, alarmed)];
    const quiet = share(ordinary, alarmed);
    return {
      held: found >= ENGLISH_AIM && elsewhere >= OTHERS_AIM && alarms <= ALARMS_AIM && quiet <= ALARMS_AIM,
      figure: `risk 1 or more on ${found.toFixed(1)} % of ${english.length} English attempts and ${elsewhere.toFixed(1)} % of ${others.length} in other languages; false alarms: ${alarms.toFixed(2)} % of ${count(harmless.length)} harmless texts that look like it, ${quiet.toFixed(2)} % of ${count(ordinary.length)} ordinary ones; ${us} µs a text; tables in docs/guard.md`,
    };
  },
};

function grouped<One extends Judged>(of: readonly One[], by: (one: One) => string): readonly (readonly [string, readonly One[]])[] {
  return [...Map.groupBy(of, by)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
