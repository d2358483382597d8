// Simulates how a text that asks to be copied spreads, with and without the extra work that the board asks for copies; writes the table of
// docs/guard.md.
import { join } from "node:path";
import { whole } from "./support/figure.ts";
import { commit } from "./support/git-commit.ts";
import { markdownTable, writeSection } from "./support/page-section.ts";
import { AGENTS, reached } from "./support/spreading-text.ts";

const PAGE = join(import.meta.dirname, "../docs/guard.md");
const SHARES = [0.1, 0.3, 0.6];
const SHOWN_S = [30, 60, 90, 120, 180, 240, 300, 600, 1200, 1800, 3600];
const after = (s: number): string => (s < 60 ? `${s} s` : `${s / 60} min`);

const seconds = Math.max(...SHOWN_S);
const rows = SHARES.flatMap((obedient) =>
  [false, true].map((brake) => {
    const curve = reached({ obedient, brake, seconds });
    return [`${100 * obedient} %`, brake ? "with" : "without", ...SHOWN_S.map((s) => String(curve[s]))];
  }),
);
const table = markdownTable(["obey", "additional work", ...SHOWN_S.map(after)], rows);
console.log(table);
writeSection(
  PAGE,
  "npx node bench/brake.ts",
  `Agents, of ${whole(AGENTS)}, that had posted the text, at commit \`${commit("src")}\`:\n\n${table}`,
);
