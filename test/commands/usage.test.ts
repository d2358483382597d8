// `npm run prove` and `npm run bench` for a person who has not read the page: a clear text and an exit code, no stack trace.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Instead, readAsked, requireNames, type Usage } from "../../bench/support/command-line.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = (program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${program}/run.ts`, ...args], { cwd: ROOT, encoding: "utf8" });
  return { status, stdout, stderr };
};

describe.each([
  ["prove", /There are: kills, .*soak\./, /--share=0\.05 +a share of every count/, "docs/proof.md"],
  ["bench", /There are: post, writer, /, /--record +add this run/, "docs/performance.md"],
] as const)("%s", (program, names, flag, docs) => {
  test("--help says what there is and how to ask for it", () => {
    const { status, stdout, stderr } = run(program, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${program} -- `));
    expect(stdout).toMatch(names);
    expect(stdout).toMatch(flag);
    expect(stdout).toContain(docs);
  });
  test("a name that does not exist is refused with those that do, and 2", () => {
    const { status, stdout, stderr } = run(program, "sotre");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^There is no (proof|bench) sotre\..* There are: .*\nSee npm run \w+ -- --help\.\n$/);
  });
});

test.each([
  [["abuse", "--only", "dumsp"], /^There is no attack dumsp\. Did you mean dumps\? There are: adoption, /],
  [["abuse", "--server", "absent"], /^--server takes the directory of a checkout; there is no absent\/src\/bin\.ts\.\n/],
  [["fuzz", "--server", "."], /^--server goes with abuse: /],
  [["kills", "--seed", "7", "--only", "3"], /^--only goes with fuzz .*, or with abuse and names of attacks\.\n/],
])("a proof of what was not meant is not begun: %j", (args, words) => {
  const { status, stdout, stderr } = run("prove", ...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(words);
});

const USAGE = {
  command: "npm run bake",
  what: "cake",
  flags: { store: { takes: "shelf", words: "where" }, record: { words: "write it down" } },
  docs: "docs/cakes.md",
} as const satisfies Usage<string>;
const ask = (...args: string[]) => {
  const asked = readAsked(USAGE, args);
  requireNames(USAGE, asked, ["cheese", "apple"]);
  return asked;
};

test("names, values and switches arrive as they were given", () => {
  const { names, values, switches } = ask("apple", "--store", "shelf", "--record");
  expect({ names, values, switches: [...switches] }).toEqual({ names: ["apple"], values: { store: "shelf" }, switches: ["record"] });
});

test.each([
  [["aple"], "There is no cake aple. Did you mean apple? There are: cheese, apple."],
  [["--stroe", "shelf"], "There is no flag --stroe. Did you mean --store? There are: --store, --record, --help."],
  [["-x"], "There is no flag --x. There are: --store, --record, --help."],
  [["--store"], "--store needs a value: --store=shelf."],
  [["--record=yes"], "--record takes no value."],
  [["--help=yes"], "--help takes no value."],
])("%j is refused with what would be right", (args, words) => {
  let said: unknown;
  try {
    ask(...args);
  } catch (error) {
    said = error;
  }
  expect(said).toBeInstanceOf(Instead);
  expect(said).toMatchObject({ code: 2, message: `${words}\nSee npm run bake -- --help.` });
});
