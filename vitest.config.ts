import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { HANG_MS } from "./test/support/eventually.ts";
import { SkippedReporter } from "./test/support/skipped-reporter.ts";

/** Tests of what is the same whatever the board is kept in run once; test/sqlite is about SQLite's own files and writer. */
const NOT_ON_POSTGRES = ["sqlite", "clients", "commands", "documents", "vectors", "mcp-protocol", "deploy", "browser"];
/** No test is to be this slow, however busy the machine: only one that hangs meets it. */
const TEST_HANGS_MS = 2 * HANG_MS;

export default defineConfig({
  // Boards in the process of a test have their threads from the program that was built for this run, and leave them to the next board.
  resolve: {
    alias:
      process.env["BOARD_TEST_BUILT"] === undefined
        ? []
        : [
            { find: /^.*\/worker-url\.ts$/, replacement: join(import.meta.dirname, "test/support/built-threads.ts") },
            { find: /^.*\/start-thread\.ts$/, replacement: join(import.meta.dirname, "test/support/reused-threads.ts") },
          ],
  },
  test: {
    pool: "threads",
    // One more than two cores: half of a file's time goes by waiting, for processes and their answers.
    maxWorkers: 3,
    // Reading all of the program again for each file would take a third of the time.
    isolate: false,
    testTimeout: TEST_HANGS_MS,
    hookTimeout: TEST_HANGS_MS,
    expect: { poll: { timeout: HANG_MS } },
    setupFiles: ["test/support/setup.ts"],
    reporters: ["default", new SkippedReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "prove/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: ["src/adapters/postgres/**"],
        },
      },
      {
        extends: true,
        test: { name: "sqlite", include: ["test/**/*.test.ts"], exclude: ["test/nodes/**", "test/browser/**"] },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["src/adapters/postgres/**/*.test.ts", "test/**/*.test.ts"],
          exclude: NOT_ON_POSTGRES.map((folder) => `test/${folder}/**`),
          globalSetup: ["test/support/postgres/setup.ts"],
          env: { BOARD_TEST_STORE: "postgres" },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/support/browser-setup.ts"],
        },
      },
    ],
  },
});
