// What messages do to others in the writer's transaction: votes, signals, answers and ended leases.
import type { DatabaseSync } from "node:sqlite";
import type { Signal } from "../../core/protocol/vocabulary.ts";

type Vote = "verifies" | "refutes";

/** The part of the ledger that knows nothing of messages but their numbers. */
export class EffectBook {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  vote(target: number, agent: string): Vote | undefined {
    return this.#sql.vote.get(target, agent)?.["rel"] as Vote | undefined;
  }
  castVote(target: number, agent: string, seq: number, rel: Vote): void {
    this.#sql.castVote.run(target, agent, seq, rel);
  }
  dropVote(target: number, agent: string, seq: number): void {
    this.#sql.dropVote.run(target, agent, seq);
  }
  hasSignal(target: number, agent: string, signal: Signal): boolean {
    return this.#sql.hasSignal.get(target, agent, signal) !== undefined;
  }
  addSignal(target: number, agent: string, signal: Signal, seq: number): void {
    this.#sql.addSignal.run(target, agent, signal, seq);
  }
  dropSignal(target: number, agent: string, signal: Signal, seq: number): boolean {
    return this.#sql.dropSignal.run(target, agent, signal, seq).changes === 1;
  }
  votesOn(target: number): readonly { agent: string; rel: Vote }[] {
    return this.#sql.votesOn.all(target) as unknown as readonly { agent: string; rel: Vote }[];
  }
  answerers(target: number): readonly string[] {
    return this.#sql.answerers.all(target).map((row) => row["agent"] as string);
  }
  hasAnswerer(target: number, agent: string): boolean {
    return this.#sql.hasAnswerer.get(target, agent) !== undefined;
  }
  addAnswerer(target: number, agent: string, seq: number): void {
    this.#sql.addAnswerer.run(target, agent, seq);
  }
  dropAnswerer(target: number, agent: string, seq: number): void {
    this.#sql.dropAnswerer.run(target, agent, seq);
  }
  barredUntil(target: number, agent: string): number | undefined {
    return this.#sql.barredUntil.get(target, agent)?.["until"] as number | undefined;
  }
  bar(target: number, agent: string, until: number): void {
    this.#sql.bar.run(target, agent, until);
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    vote: p("SELECT rel FROM votes WHERE target = ? AND agent = ? ORDER BY seq DESC LIMIT 1"),
    castVote: p("INSERT INTO votes (target, agent, seq, rel) VALUES (?, ?, ?, ?)"),
    dropVote: p("DELETE FROM votes WHERE target = ? AND agent = ? AND seq = ?"),
    // In a row with max() the other columns are those of that row.
    votesOn: p("SELECT agent, rel, max(seq) FROM votes WHERE target = ? GROUP BY agent"),
    answerers: p("SELECT DISTINCT agent FROM answerers WHERE target = ?"),
    hasAnswerer: p("SELECT 1 FROM answerers WHERE target = ? AND agent = ? LIMIT 1"),
    addAnswerer: p("INSERT INTO answerers (target, agent, seq) VALUES (?, ?, ?)"),
    dropAnswerer: p("DELETE FROM answerers WHERE target = ? AND agent = ? AND seq = ?"),
    barredUntil: p("SELECT until FROM barred WHERE target = ? AND agent = ?"),
    bar: p("INSERT OR REPLACE INTO barred (target, agent, until) VALUES (?, ?, ?)"),
    hasSignal: p("SELECT 1 FROM signals WHERE target = ? AND agent = ? AND signal = ?"),
    addSignal: p("INSERT INTO signals (target, agent, signal, seq) VALUES (?, ?, ?, ?)"),
    dropSignal: p("DELETE FROM signals WHERE target = ? AND agent = ? AND signal = ? AND seq = ?"),
  };
}
