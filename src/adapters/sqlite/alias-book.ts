// Aliases in the writer's transaction: rows, owners' last acts, and when to look at them again.
import type { DatabaseSync } from "node:sqlite";
import { opsOf, opsText } from "../sql/alias-ops.ts";
import { ALIAS_LIFE_MS, ALIAS_QUARANTINE_MS, type AliasRow } from "../../core/message/alias-rules.ts";

const COLUMNS = "alias, agent, last_ts AS lastTs, claimed_at AS claimedAt, ended_at AS endedAt, released, last_ops AS lastOps";

export function toAliasRow(row: unknown): AliasRow {
  const { released, lastOps, ...rest } = row as Omit<AliasRow, "released" | "lastOps"> & { released: 0 | 1; lastOps: string };
  return { ...rest, released: released === 1, lastOps: opsOf(lastOps) };
}

export class AliasBook {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  find(alias: string): AliasRow | undefined {
    const row = this.#sql.find.get(alias);
    return row === undefined ? undefined : toAliasRow(row);
  }
  put({ alias, agent, lastTs, lastOps, claimedAt, endedAt, released }: AliasRow, now: number): void {
    const checkAt = endedAt === null ? now + ALIAS_LIFE_MS : endedAt + ALIAS_QUARANTINE_MS;
    this.#sql.put.run(alias, agent, lastTs, claimedAt, endedAt, Number(released), checkAt, opsText(lastOps));
  }
  /** How many it holds, if it was not silent for too long. */
  held(agent: string): number {
    return this.#sql.held.get(agent)!["count"] as number;
  }
  forget(alias: string): void {
    this.#sql.forget.run(alias);
  }
  due(now: number, limit: number): readonly AliasRow[] {
    return this.#sql.due.all(now, limit).map(toAliasRow);
  }
  checkAt(alias: string, at: number): void {
    this.#sql.checkAt.run(at, alias);
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    find: p(`SELECT ${COLUMNS} FROM aliases WHERE alias = ?`),
    put: p(
      "INSERT OR REPLACE INTO aliases (alias, agent, last_ts, claimed_at, ended_at, released, check_at, last_ops) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    forget: p("DELETE FROM aliases WHERE alias = ?"),
    held: p("SELECT count(*) AS count FROM aliases WHERE agent = ? AND ended_at IS NULL"),
    due: p(`SELECT ${COLUMNS} FROM aliases WHERE check_at <= ? ORDER BY check_at LIMIT +?`),
    checkAt: p("UPDATE aliases SET check_at = ? WHERE alias = ?"),
  };
}
