// Brings the schema of a SQLite file up to date, a version at a time.
import type { DatabaseSync } from "node:sqlite";
import { foldLabel } from "../../core/protocol/labels.ts";

export interface SchemaHistory {
  readonly version: number;
  /** All of it, for a new file. */
  readonly schema: string;
  /** From each older version that was ever released to the next. */
  readonly upgrades: Readonly<Record<number, string>>;
}

const versionOf = (db: DatabaseSync): number => (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;

export function migrate(db: DatabaseSync, history: SchemaHistory): void {
  const found = versionOf(db);
  if (found === history.version) return;
  const steps = found === 0 ? history.schema : history.upgrades[found];
  if (steps === undefined)
    throw new Error(`The database has schema ${found}; this program speaks ${history.version}. Use the matching version.`);
  const reached = found === 0 ? history.version : found + 1;
  db.function("fold_label", { deterministic: true }, (label) => foldLabel(String(label)));
  // All of a step or nothing: a crash in the middle leaves the version before.
  db.exec("BEGIN IMMEDIATE");
  try {
    // Whoever waited for somebody else's step has nothing left of it to do.
    if (versionOf(db) !== found) db.exec("ROLLBACK");
    else db.exec(`${steps} PRAGMA user_version = ${reached}; COMMIT;`);
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
  migrate(db, history);
}
