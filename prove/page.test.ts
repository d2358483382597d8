import { expect, test } from "vitest";
import { pageOf, type Row, shareText } from "./page.ts";
import { STORES, type StoreName } from "./part.ts";

const PARTS = ["kills", "backup", "fuzz"].map((name) => ({ name, promise: `${name} are survived`, stores: STORES }));

function row(name: string, store: StoreName, figure: string, run: string): Row {
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined) throw new Error(`There is no part ${name}.`);
  return { part, store, verdict: "held", figure, seconds: 3, run };
}
const write = (rows: readonly Row[], before: string, parts = PARTS): string => pageOf(rows, before, parts, "npm run prove");
const cells = (page: string) =>
  page.split("\n").flatMap((line) => (/^\| (?!proof)/.test(line) ? [line.split(/(?<!\\)\|/).map((cell) => cell.trim())] : []));
const seen = (page: string) => cells(page).map(([, name, store, , , figure, , run]) => [name, store, figure, run].join("; "));

test("a run of some parts replaces their rows and keeps those of the others, in the order of the parts", () => {
  const first = write([row("fuzz", "sqlite", "1 a|b", "Monday, all"), row("kills", "sqlite", "2", "Monday, all")], "# Proof\n");
  const second = write([row("fuzz", "postgres", "3", "Tuesday, 1/20"), row("kills", "sqlite", "4", "Tuesday, 1/20")], first);
  expect(seen(second)).toEqual([
    "kills; sqlite; 4; Tuesday, 1/20",
    "fuzz; sqlite; 1 a\\|b; Monday, all",
    "fuzz; postgres; 3; Tuesday, 1/20",
  ]);
});

test("the hand-written text below the table stays", () => {
  const words = "\n## To run it\n\nBy hand.\n\n| a | table |\n|---|---|\n";
  const page = write([row("kills", "sqlite", "1", "all")], `# Proof\n\nOld.\n${words}`);
  expect(page.endsWith(`all |\n${words}`)).toBe(true);
  expect(write([], page)).toBe(page);
});

test("the rows of a deleted part leave the page, and so do rows of a table with other columns", () => {
  const old = "| proof | promise | verdict |\n|---|---|---|\n| backup | restores | held |\n";
  const page = write([row("kills", "sqlite", "1", "all"), row("fuzz", "sqlite", "2", "all")], old);
  expect(seen(page)).toHaveLength(2);
  expect(
    seen(
      write(
        [],
        page,
        PARTS.filter(({ name }) => name !== "kills"),
      ),
    ),
  ).toEqual(["fuzz; sqlite; 2; all"]);
});

test("a quick run cannot be taken for a whole run", () => {
  expect([1, 0.05, 0.1, 0.02, 0.3].map(shareText)).toEqual(["all", "1/20", "1/10", "1/50", "0.3"]);
});
