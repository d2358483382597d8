// The board's counts: moves are gathered through a transaction and written once at its end, for popular tags move many times in a batch.
import type { DatabaseSync } from "node:sqlite";
import { type AgentField, FLOWS, type TallyField } from "../../core/message/standing.ts";

interface Move {
  /** Undefined for counts of the whole board. */
  readonly agent: string | undefined;
  readonly field: TallyField | AgentField;
  readonly label: string;
  by: number;
  arrived: boolean;
}

/** Counts per minute are kept as long as statistics look back, and a little more. */
const MINUTES_KEPT = 8 * 24 * 60;

export class TallyBook {
  readonly #sql: ReturnType<typeof statements>;
  readonly #moves: Move[] = [];

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** How many moves are gathered; what an undone act added is cut off again. */
  get length(): number {
    return this.#moves.length;
  }
  cut(length: number): void {
    this.#moves.length = length;
  }

  move(agent: string | undefined, field: Move["field"], label: string, by: number): void {
    this.#moves.push({ agent, field, label, by, arrived: by > 0 });
  }

  write(now: number): void {
    // A count that is nought has no row, so that no reader has to step over it.
    for (const { agent, field, label, by, arrived } of this.#sums()) {
      if (agent === undefined) {
        const left = this.#sql.move.get(field, label, by, arrived ? now : 0)?.["count"];
        if (left === 0) this.#sql.drop.run(field, label);
      } else if (by !== 0) {
        const left = this.#sql.moveAgent.get(agent, field, label, by)?.["count"];
        if (left === 0) this.#sql.dropAgent.run(agent, field, label);
      }
    }
    this.#moves.length = 0;
  }

  prune(now: number): void {
    this.#sql.dropOldMinutes.run(String(Math.floor(now / 60_000) - MINUTES_KEPT));
  }

  #sums(): Iterable<Move> {
    const sums = new Map<string, Move>();
    for (const move of this.#moves) {
      // Neither fields nor agent ids nor labels hold a space.
      const key = `${move.agent ?? ""} ${move.field} ${move.label}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { ...move });
      else {
        sum.by += move.by;
        sum.arrived ||= move.arrived;
      }
    }
    return sums.values();
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
    // Minutes since 1970 have eight digits until the year 2160, so they compare as text.
    dropOldMinutes: p(`DELETE FROM tallies WHERE field IN (${byMinute}) AND label < ?`),
  };
}
