// Promises that the tests of the project show already: run here once more, longer where chance is involved.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { counted } from "../../src/core/view/counted.ts";
import { emptyDirectory } from "../../test/support/process.ts";
import type { Finding, Part, StoreName } from "../part.ts";

function shownBy(name: string, promise: string, stores: readonly StoreName[], files: readonly string[]): Part {
  return { name, promise, stores, run: (_times, store) => vitest(files, store) };
}

export const tests: readonly Part[] = [
  shownBy(
    "vectors",
    "signatures, JSON, UTF-8, strings, HTML, MIME: each with its documented outcome",
    ["sqlite"],
    [
      "src/core/protocol",
      "src/adapters/system/signature-check.test.ts",
      "test/protocol-vectors.test.ts",
      "test/mail-vectors.test.ts",
      "test/mail-sender-vectors.test.ts",
      "test/browser/hostile.test.ts",
      "test/search.test.ts",
    ],
  ),
  shownBy("secrets", "a canary key in no log, file or answer", ["sqlite"], ["test/assist-canary.test.ts", "test/secrets.test.ts"]),
];

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

async function vitest(files: readonly string[], store: StoreName): Promise<Finding> {
  const bin = resolve(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const report = join(emptyDirectory(), "report.json");
  const args = [bin, "run", "--project", store, "--reporter=json", `--outputFile=${report}`, ...files];
  // It chooses its own store.
  const { BOARD_TEST_STORE: _store, BOARD_TEST_POSTGRES: _url, ...env } = process.env;
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "close");
  const told = JSON.parse(readFileSync(report, "utf8")) as Report;
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = told;
  return {
    held: failed === 0 && passed > 0,
    figure: `${counted(passed, "test")} passed, ${failed} failed, ${skipped} skipped (${files.join(", ")})`,
  };
}
