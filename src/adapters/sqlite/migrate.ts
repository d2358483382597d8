// Migrates the schema of a SQLite file, one version at a time.
import type { DatabaseSync } from "node:sqlite";
import { requireWay, type SchemaHistory } from "../sql/schema.ts";

/** 0 if nothing was made yet. */
export const versionOf = (db: DatabaseSync): number => (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;

export function migrate(db: DatabaseSync, history: SchemaHistory): void {
  const found = versionOf(db);
  if (found === history.version) return;
  if (found > 0) requireWay(found, history);
  const [step, reached] = found === 0 ? [history.schema, history.version] : [history.steps[found] ?? "", found + 1];
  // A step is done completely or not at all: a crash in the middle leaves the version before.
  db.exec("BEGIN IMMEDIATE");
  try {
    // After waiting for another process's step, there is nothing left to do.
    if (versionOf(db) !== found) db.exec("ROLLBACK");
    else db.exec(`${step} PRAGMA user_version = ${reached}; COMMIT;`);
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
  migrate(db, history);
}
