// Promises that the tests of the project show already: run here once more, longer where chance is involved.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { emptyDirectory } from "../../test/support/process.ts";
import type { Finding, Part } from "../part.ts";

/** `runs` multiplies the random histories of a test that reads RUNS. */
function shownBy(name: string, promise: string, files: readonly string[], runs?: number): Part {
  return { name, promise, run: (times) => vitest(files, runs === undefined ? {} : { RUNS: String(times(runs)) }) };
}

export const tests: readonly Part[] = [
  shownBy("streams", "streams lose nothing: 50 drops and 5 kills, the union equals the log", ["test/stream-nothing-lost.test.ts"]),
  shownBy("derived", "derived facts equal a replay after 100,000 random acts", ["test/model.test.ts", "test/tallies.test.ts"], 500),
  shownBy("time", "expired means gone, sweeper off included; a clock that steps loses nothing", ["test/time.test.ts"]),
  shownBy("vectors", "signatures, JSON, UTF-8, strings, MIME: each with its documented outcome", [
    "src/core/protocol",
    "src/adapters/system/signature-check.test.ts",
    "test/mail-vectors.test.ts",
    "test/search.test.ts",
  ]),
  shownBy("secrets", "a canary key in no log, file or answer", ["test/assist-canary.test.ts"]),
];

async function vitest(files: readonly string[], env: Readonly<Record<string, string>>): Promise<Finding> {
  const bin = resolve(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const report = join(emptyDirectory(), "report.json");
  const args = [bin, "run", "--reporter=json", `--outputFile=${report}`, ...files];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "close");
  const told = JSON.parse(readFileSync(report, "utf8")) as { numPassedTests: number; numFailedTests: number; numPendingTests: number };
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = told;
  return { held: failed === 0 && passed > 0, figure: `${passed} tests passed, ${failed} failed, ${skipped} skipped (${files.join(", ")})` };
}
