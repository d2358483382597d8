// Aliases in the writer's transaction: rows, owners' last acts, and when to look at them again.
import type { DatabaseSync } from "node:sqlite";
import { ALIAS_LIFE_MS, ALIAS_QUARANTINE_MS, type AliasRow } from "../../core/message/alias-rules.ts";

const COLUMNS = "alias, agent, last_ts AS lastTs, claimed_at AS claimedAt, ended_at AS endedAt, released";

export function toAliasRow(row: unknown): AliasRow {
  const { released, ...rest } = row as Omit<AliasRow, "released"> & { released: 0 | 1 };
  return { ...rest, released: released === 1 };
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
  put({ alias, agent, lastTs, claimedAt, endedAt, released }: AliasRow, now: number): void {
    const checkAt = endedAt === null ? now + ALIAS_LIFE_MS : endedAt + ALIAS_QUARANTINE_MS;
    this.#sql.put.run(alias, agent, lastTs, claimedAt, endedAt, Number(released), checkAt);
  }
  live(agent: string, now: number): number {
    return this.#sql.live.get(agent, now - ALIAS_LIFE_MS)!["count"] as number;
  }
  lastSeen(agent: string): number | undefined {
    return this.#sql.lastSeen.get(agent)?.["at"] as number | undefined;
  }
  seeAgent(agent: string, pk: string, now: number): void {
    this.#sql.seeAgent.run(agent, pk, now);
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
    put: p("INSERT OR REPLACE INTO aliases (alias, agent, last_ts, claimed_at, ended_at, released, check_at) VALUES (?, ?, ?, ?, ?, ?, ?)"),
    forget: p("DELETE FROM aliases WHERE alias = ?"),
    live: p(
      "SELECT count(*) AS count FROM aliases l JOIN agents a ON a.id = l.agent WHERE l.agent = ? AND l.ended_at IS NULL AND a.last_seen > ?",
    ),
    lastSeen: p("SELECT last_seen AS at FROM agents WHERE id = ?"),
    seeAgent: p(`INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?1, ?2, ?3, ?3, 0)
      ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen`),
    due: p(`SELECT ${COLUMNS} FROM aliases WHERE check_at <= ? ORDER BY check_at LIMIT +?`),
    checkAt: p("UPDATE aliases SET check_at = ? WHERE alias = ?"),
  };
}
