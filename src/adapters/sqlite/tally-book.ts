// The board's counts in SQLite, written once at the end of a transaction.
import type { DatabaseSync } from "node:sqlite";
import { FLOWS } from "../../core/message/standing.ts";
import { oldestMinuteKept, TallyMoves } from "../../core/message/tally-moves.ts";

export class TallyBook extends TallyMoves {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    super();
    this.#sql = statements(db);
  }

  write(now: number): void {
    const { tallies, agentTallies } = this.#sql;
    for (const { agent, field, label, by, arrived } of this.sums()) {
      if (agent !== undefined) {
        if (by !== 0 && agentTallies.move.run(by, agent, field, label).changes === 0) agentTallies.add.run(agent, field, label, by);
        if (by < 0) agentTallies.drop.run(agent, field, label);
        continue;
      }
      const at = arrived ? now : 0;
      if (tallies.move.run(by, at, field, label).changes === 0 && by !== 0) tallies.add.run(field, label, by, at);
      if (by <= 0) tallies.drop.run(field, label);
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
    // Plain statements: with RETURNING or ON CONFLICT, SQLite copies each page that it is about to change.
    tallies: {
      move: p("UPDATE tallies SET count = count + ?, last_used = max(last_used, ?) WHERE field = ? AND label = ?"),
      add: p("INSERT INTO tallies (field, label, count, last_used) VALUES (?, ?, ?, ?)"),
      // A count that is nought has no row, so that no reader has to step over it.
      drop: p("DELETE FROM tallies WHERE field = ? AND label = ? AND count = 0"),
    },
    agentTallies: {
      move: p("UPDATE agent_tallies SET count = count + ? WHERE agent = ? AND field = ? AND label = ?"),
      add: p("INSERT INTO agent_tallies (agent, field, label, count) VALUES (?, ?, ?, ?)"),
      drop: p("DELETE FROM agent_tallies WHERE agent = ? AND field = ? AND label = ? AND count = 0"),
    },
    dropOldMinutes: p(`DELETE FROM tallies WHERE field IN (${byMinute}) AND label < ?`),
  };
}
