// The board's figures in SQLite, from its counts.
import type { DatabaseSync } from "node:sqlite";
import { GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/checkpoint.ts";
import { type Flow, FLOWS, type TallyField } from "../../core/message/standing.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { minuteOf } from "../../core/spans.ts";
import type { Figures, FiguresQuery } from "../../ports/stats.ts";

const MINUTES_PER_HOUR = 60;

export class SqliteStats {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = statements(db);
  }

  figures({ hourAgo, dayAgo, firstHour }: FiguresQuery): Figures {
    // One snapshot for all, so that the figures fit each other while the writer goes on.
    this.#db.exec("BEGIN");
    try {
      return {
        head: (this.#sql.head.get() as Head | undefined) ?? { seq: 0, hash: GENESIS },
        byStatus: this.#counts("status"),
        byKind: this.#counts("kind"),
        openWork: this.#counts("work")["open"] ?? 0,
        threads: this.#counts("thread")["live"] ?? 0,
        agents: this.#sql.agents.get(dayAgo)?.["count"] as number,
        lastHour: this.#flows(hourAgo),
        lastDay: this.#flows(dayAgo),
        hourly: new Map(
          this.#sql.hourly
            .all(String(firstHour * MINUTES_PER_HOUR))
            .map((row): [number, number] => [(row["minute"] as number) / MINUTES_PER_HOUR, row["count"] as number]),
        ),
      };
    } finally {
      this.#db.exec("COMMIT");
    }
  }

  postedByMinute(from: number): ReadonlyMap<number, number> {
    return new Map(this.#sql.posted.all(String(from)).map((row): [number, number] => [row["minute"] as number, row["count"] as number]));
  }

  #counts(field: TallyField): Record<string, number> {
    const rows = this.#sql.counts.all(field, LIMITS.kinds_shown);
    return Object.fromEntries(rows.map((row) => [row["label"] as string, row["count"] as number]));
  }

  #flows(since: number): Record<Flow, number> {
    const minute = String(minuteOf(since));
    const sum = (flow: Flow) => this.#sql.flow.get(flow, minute)?.["count"] as number;
    return Object.fromEntries(FLOWS.map((flow) => [flow, sum(flow)])) as Record<Flow, number>;
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    head: p("SELECT seq, hash FROM log ORDER BY seq DESC LIMIT 1"),
    counts: p("SELECT label, count FROM tallies WHERE field = ? ORDER BY label LIMIT +?"),
    agents: p("SELECT count(*) AS count FROM agents WHERE last_seen >= ?"),
    flow: p("SELECT coalesce(sum(count), 0) AS count FROM tallies WHERE field = ? AND label >= ?"),
    posted: p("SELECT CAST(label AS INTEGER) AS minute, count FROM tallies WHERE field = 'posted' AND label >= ?"),
    hourly: p("SELECT CAST(label AS INTEGER) AS minute, count FROM tallies WHERE field = 'hour' AND label >= ?"),
  };
}
