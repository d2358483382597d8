// Promises that tests of the project already check: runs those tests again, and random tests for longer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { plural } from "../../src/core/text/plural.ts";
import { undoAtExit } from "../../test/support/leftovers.ts";
import { emptyDirectory } from "../../test/support/process.ts";
import { noVectors } from "../../test/support/vectors.ts";
import { type Finding, NotHere, type Part, type StoreName } from "../part.ts";

/** `lacking` is what this machine lacks to run them. */
function shownBy(name: string, promise: string, stores: readonly StoreName[], files: readonly string[], lacking?: string): Part {
  return {
    name,
    promise,
    stores,
    async run(_times, store) {
      if (lacking !== undefined) throw new NotHere(lacking);
      return vitest(files, store);
    },
  };
}

export const tests: readonly Part[] = [
  shownBy(
    "vectors",
    "signatures, JSON, UTF-8, strings, HTML, MIME: each with its documented outcome",
    ["sqlite"],
    [
      "src/core/protocol",
      "src/adapters/system/signature-thread.test.ts",
      "test/vectors/protocol-vectors.test.ts",
      "test/vectors/mail-vectors.test.ts",
      "test/vectors/mail-sender-vectors.test.ts",
      "test/browser/hostile.test.ts",
      "test/reading/search.test.ts",
    ],
    noVectors ? "the public vectors are not at VECTORS_DIR" : undefined,
  ),
  shownBy(
    "secrets",
    "a canary key in no log, file or answer",
    ["sqlite"],
    ["test/sqlite/assist-canary.test.ts", "test/posting/secrets.test.ts"],
  ),
];

interface Report {
  /** Also false if a file could not be loaded; its tests are not counted then. */
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

async function vitest(files: readonly string[], store: StoreName): Promise<Finding> {
  const run = resolve(import.meta.dirname, "../../test/run.ts");
  const report = join(emptyDirectory(), "report.json");
  const projects = [store, ...(store === "sqlite" ? ["unit"] : [])].flatMap((name) => ["--project", name]);
  const args = [run, ...projects, "--reporter=json", `--outputFile=${report}`, ...files];
  // The tests choose their own store.
  const { BOARD_TEST_STORE: _store, BOARD_TEST_POSTGRES: _url, ...env } = process.env;
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const forget = undoAtExit(() => child.kill());
  await once(child, "close");
  forget();
  const results = JSON.parse(readFileSync(report, "utf8")) as Report;
  const { success, numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = results;
  const unread = success || failed > 0 ? "" : ", not all files could be loaded";
  return {
    held: success && skipped === 0 && passed > 0,
    figure: `${plural(passed, "test")} passed, ${failed} failed, ${skipped} skipped${unread} (${files.join(", ")})`,
  };
}
