import { defineConfig } from "vitest/config";

/** Whole-board tests that speak of SQLite's files, of one process alone, or of no store at all. */
const SQLITE_ONLY: string[] = [];

export default defineConfig({
  test: {
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "sqlite", include: ["src/**/*.test.ts", "test/**/*.test.ts"], exclude: ["src/adapters/postgres/**"] },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["src/adapters/postgres/**/*.test.ts"],
          exclude: SQLITE_ONLY,
          globalSetup: ["test/support/postgres/setup.ts"],
          env: { BOARD_TEST_STORE: "postgres" },
        },
      },
    ],
  },
});
