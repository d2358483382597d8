// Measures how often similarity search finds the other version of a text: recall over sets of paraphrases and duplicate reports, by words
// alone, by meaning alone, and by both; writes the tables of docs/lab/performance.md.
import { join } from "node:path";
import { NEAR_THRESHOLD } from "../src/core/search/similarity.ts";
import { evalSet, evalSets, noSets } from "./support/eval-sets.ts";
import { commit } from "./support/git-commit.ts";
import { writeSection } from "./support/page-section.ts";
import { REWORDED } from "./support/reworded.ts";
import { ENGINES, type GroupedText, recall } from "./support/similarity-recall.ts";
import { heldBackTable, mean, type NamedRecall, recallTable, share, thresholdTable } from "./support/similarity-tables.ts";

const PAGE = join(import.meta.dirname, "../docs/lab/performance.md");
const OWN = "reworded";

const sets = evalSets("similarity");
if (sets.length === 0) console.log(`similarity: ${noSets("similarity")}. Only the project's own texts are measured.`);
const asked = process.argv.slice(2);
const measured = (asked.length > 0 ? asked : [...sets, OWN]).map((name): NamedRecall => [name, recall(textsOf(name))]);

console.table(Object.fromEntries(measured.flatMap(rowsOf)));
if (asked.length > 0 || sets.length === 0) console.log("Not written to docs/lab/performance.md, which has all sets.");
else writeSection(PAGE, "npx node bench/similarity.ts", section());

function textsOf(name: string): readonly GroupedText[] {
  if (name !== OWN) return evalSet<GroupedText>("similarity", name);
  return REWORDED.flatMap((pair, g) => pair.map((t, nth) => ({ i: 2 * g + nth, t, b: "", g })));
}

function rowsOf([name, { texts, found, us }]: NamedRecall): readonly (readonly [string, Record<string, number>])[] {
  return ENGINES.map((engine) => {
    const by = found.map((one) => one[engine]);
    const row = {
      texts,
      "R@1": share(by, ({ rank }) => rank === 0),
      "R@10": share(by, ({ rank }) => rank < 10),
      "partner over threshold %": share(by, ({ near }) => near),
      "others over threshold": mean(by, ({ others }) => others),
      "text µs": us[engine],
      "question ms": mean(by, ({ ms }) => ms),
    };
    return [`${name}, ${engine}`, row];
  });
}

function section(): string {
  const others = measured.filter(([name]) => name !== OWN);
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)} at commit \`${commit("src")}\`, beside other work on the machine.`,
    recallTable(measured),
    "Only the questions that were not used to choose how much the meaning counts, which is every second one:",
    heldBackTable(others),
    `At the threshold of \`near\` (${NEAR_THRESHOLD}): how often the partner is found, and how many other texts are found with it, per question.`,
    thresholdTable(measured),
  ].join("\n\n");
}
