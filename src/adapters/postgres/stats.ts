// The board's figures in PostgreSQL, from its counts, all of one moment.
import { GENESIS } from "../../core/log/chain.ts";
import { type Flow, FLOWS } from "../../core/message/standing.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { minuteOf } from "../../core/spans.ts";
import type { Figures, FiguresQuery } from "../../ports/stats.ts";
import type { Client } from "./client.ts";

const MINUTES_PER_HOUR = 60;

/** One statement sees one state of the database. */
const FIGURES = `
  SELECT 'head' AS part, hash AS label, seq AS count FROM board
  UNION ALL SELECT f.field, t.label, t.count FROM (VALUES ('status'), ('kind'), ('work'), ('thread')) AS f (field)
    CROSS JOIN LATERAL (SELECT label, count FROM tallies WHERE field = f.field ORDER BY label LIMIT $5) t
  UNION ALL SELECT 'agents', '', count(*) FROM agents WHERE last_seen >= $1
  UNION ALL SELECT 'hour ' || field, '', sum(count)::bigint FROM tallies WHERE field = ANY ($6::text[]) AND label >= $2 GROUP BY field
  UNION ALL SELECT 'day ' || field, '', sum(count)::bigint FROM tallies WHERE field = ANY ($6::text[]) AND label >= $3 GROUP BY field
  UNION ALL SELECT 'hourly', label, count FROM tallies WHERE field = 'hour' AND label >= $4`;

export async function figuresOf(client: Client, { hourAgo, dayAgo, firstHour }: FiguresQuery): Promise<Figures> {
  const rows = await client.query<{ part: string; label: string; count: number }>(FIGURES, [
    dayAgo,
    String(minuteOf(hourAgo)),
    String(minuteOf(dayAgo)),
    String(firstHour * MINUTES_PER_HOUR),
    LIMITS.kinds_shown,
    `{${FLOWS.join(",")}}`,
  ]);
  const of = (part: string) => rows.filter((row) => row.part === part);
  const counts = (part: string): Record<string, number> => Object.fromEntries(of(part).map(({ label, count }) => [label, count]));
  const flows = (span: "hour" | "day") =>
    Object.fromEntries(FLOWS.map((flow) => [flow, of(`${span} ${flow}`)[0]?.count ?? 0])) as Record<Flow, number>;
  const [head] = of("head");
  return {
    head: { seq: head?.count ?? 0, hash: head?.label ?? GENESIS },
    byStatus: counts("status"),
    byKind: counts("kind"),
    openWork: counts("work")["open"] ?? 0,
    threads: counts("thread")["live"] ?? 0,
    agents: of("agents")[0]?.count ?? 0,
    lastHour: flows("hour"),
    lastDay: flows("day"),
    hourly: new Map(of("hourly").map(({ label, count }) => [Number(label) / MINUTES_PER_HOUR, count])),
  };
}

export async function postedByMinute(client: Client, from: number): Promise<ReadonlyMap<number, number>> {
  const sql = "SELECT label, count FROM tallies WHERE field = 'posted' AND label >= $1";
  const rows = await client.query<{ label: string; count: number }>(sql, [String(from)]);
  return new Map(rows.map(({ label, count }) => [Number(label), count]));
}
