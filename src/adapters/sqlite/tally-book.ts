// The board's counts in SQLite, written once at the end of a transaction.
import type { DatabaseSync } from "node:sqlite";
import { FLOWS } from "../../core/message/standing.ts";
import { oldestMinuteKept, TallyMoves } from "../sql/tally-moves.ts";

export class TallyBook extends TallyMoves {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    super();
    this.#sql = statements(db);
  }

  write(now: number): void {
    // A count that is nought has no row, so that no reader has to step over it.
    for (const { agent, field, label, by, arrived } of this.sums()) {
      if (agent === undefined) {
        const left = this.#sql.move.get(field, label, by, arrived ? now : 0)?.["count"];
        if (left === 0) this.#sql.drop.run(field, label);
      } else if (by !== 0) {
        const left = this.#sql.moveAgent.get(agent, field, label, by)?.["count"];
        if (left === 0) this.#sql.dropAgent.run(agent, field, label);
      }
    }
    this.cut(0);
  }

  prune(now: number): void {
    this.#sql.dropOldMinutes.run(oldestMinuteKept(now));
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  const byMinute = [...FLOWS, "hour"].map((field) => `'${field}'`).join(", ");
  return {
    move: p(`INSERT INTO tallies (field, label, count, last_used) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (field, label) DO UPDATE SET count = count + ?3, last_used = max(last_used, ?4) RETURNING count`),
    drop: p("DELETE FROM tallies WHERE field = ? AND label = ?"),
    moveAgent: p(`INSERT INTO agent_tallies (agent, field, label, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (agent, field, label) DO UPDATE SET count = count + ?4 RETURNING count`),
    dropAgent: p("DELETE FROM agent_tallies WHERE agent = ? AND field = ? AND label = ?"),
    dropOldMinutes: p(`DELETE FROM tallies WHERE field IN (${byMinute}) AND label < ?`),
  };
}
