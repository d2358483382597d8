import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withAttackTable } from "./attack-table.ts";
import { ATTACKS } from "./abuse/attacks.ts";
import { PROMISE } from "./abuse/run-attack.ts";
import { pageOf, type Row } from "./page.ts";
import { STORES, type StoreName } from "./part.ts";

const PARTS = ["abuse listings", "abuse dumps", "kills"].map((name) => ({ name, promise: `${name} are sent: ${PROMISE}`, stores: STORES }));
const ROUND = "time 1 -> 2 ms; list 3 -> 4 ms; post 5 -> 6 ms; longest turn of the loop 7 ms, 0 over 50; none of their 9 refused";
const row = (name: string, store: StoreName, figure: string, verdict: Row["verdict"] = "held"): Row => ({
  part: PARTS.find((one) => one.name === name)!,
  store,
  verdict,
  figure,
  seconds: 3,
  run: "Monday, all",
});
const notesOf = (...rows: Row[]): string => pageOf(rows, "", PARTS, "npm run prove");
const tableRows = (page: string): string[] => page.split("\n").filter((line) => /^\| (listings|dumps|kills) /.test(line));

test("each attack has a row in the summary, with its last round on each store, and other proofs have none", () => {
  const notes = notesOf(
    row("abuse listings", "sqlite", `${ROUND}; 8 MiB more memory (256 at most); answered 1 x 200`),
    row("abuse listings", "postgres", `**time 1 -> 900 ms**; answered 2 x 200; round 2: ${ROUND}; 3 of 4 kept; answered 3 x 200`),
    row("abuse dumps", "sqlite", `**time 1 -> 900 ms**; **did not attack: answered nothing**`, "BROKEN"),
    row("kills", "sqlite", "0 lost"),
  );
  expect(tableRows(withAttackTable("# Proof\n", notes))).toEqual([
    "| listings | abuse listings are sent | held: time 1 -> 2 ms; list 3 -> 4 ms; post 5 -> 6 ms; longest turn 7 ms; 8 MiB more | held: time 1 -> 2 ms; list 3 -> 4 ms; post 5 -> 6 ms; longest turn 7 ms; 3 of 4 kept |",
    "| dumps | abuse dumps are sent | BROKEN: **time 1 -> 900 ms**; **did not attack: answered nothing** | not run |",
  ]);
});

test("the rest of the summary stays, and writing it again changes nothing", () => {
  const notes = notesOf(row("abuse dumps", "sqlite", ROUND));
  const page = withAttackTable("# Proof\n\nBefore.\n\n## Attacks of one caller\n\nOld.\n\n## Run it\n\nAfter.\n", notes);
  expect(page.startsWith("# Proof\n\nBefore.\n\n## Attacks of one caller\n")).toBe(true);
  expect(page.endsWith("|\n\n## Run it\n\nAfter.\n")).toBe(true);
  expect(page).not.toContain("Old.");
  expect(withAttackTable(page, notes)).toBe(page);
});

test("docs/proof.md has what the laboratory notes have, a row for every attack", () => {
  const [summary, notes] = ["docs/proof.md", "docs/lab/proof.md"].map((path) => readFileSync(path, "utf8")) as [string, string];
  expect(withAttackTable(summary, notes)).toBe(summary);
  for (const { name } of ATTACKS) expect(summary).toContain(`\n| ${name} | `);
});
