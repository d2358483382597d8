// Statistics of the board, from its counts.
import { GENESIS } from "../../core/log/chain.ts";
import { type Flow, FLOWS } from "../../core/message/message-state.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { minuteOf } from "../../core/durations.ts";
import type { Store } from "../../ports/store.ts";
import type { SqlRows } from "./dialect.ts";

const MINUTES_PER_HOUR = 60;

const counts = (field: string): string =>
  `SELECT * FROM (SELECT '${field}' AS part, label, count FROM tallies WHERE field = '${field}' ORDER BY label LIMIT ${LIMITS.kinds_shown}) of_${field}`;
const flows = (span: string, since: string): string =>
  `SELECT '${span} ' || field, '', CAST(sum(count) AS bigint) FROM tallies
    WHERE field IN (${FLOWS.map((flow) => `'${flow}'`).join(", ")}) AND label >= ${since} GROUP BY field`;

/** One statement sees one state of the database, so the figures are consistent while the writer goes on. */
const FIGURES = [
  "SELECT * FROM (SELECT 'head' AS part, hash AS label, seq AS count FROM log ORDER BY seq DESC LIMIT 1) newest",
  ...["status", "kind", "work", "thread"].map(counts),
  "SELECT 'agents', '', count(*) FROM agents WHERE last_seen >= $1",
  flows("hour", "$2"),
  flows("day", "$3"),
  "SELECT 'hourly', label, count FROM tallies WHERE field = 'hour' AND label >= $4",
].join("\nUNION ALL ");
const POSTED = "SELECT label, count FROM tallies WHERE field = 'posted' AND label >= $1";

export const statsReads = (rows: SqlRows): Pick<Store, "boardStats" | "postedByMinute"> => ({
  async boardStats({ hourAgo, dayAgo, firstHour }) {
    const found = await rows.all<{ part: string; label: string; count: number }>(FIGURES, [
      dayAgo,
      String(minuteOf(hourAgo)),
      String(minuteOf(dayAgo)),
      String(firstHour * MINUTES_PER_HOUR),
    ]);
    const parts = Map.groupBy(found, ({ part }) => part);
    const of = (part: string) => parts.get(part) ?? [];
    const counts = (part: string): Record<string, number> => Object.fromEntries(of(part).map(({ label, count }) => [label, count]));
    const flows = (span: "hour" | "day") =>
      Object.fromEntries(FLOWS.map((flow) => [flow, of(`${span} ${flow}`)[0]?.count ?? 0])) as Record<Flow, number>;
    const [head] = of("head");
    return {
      head: { seq: head?.count ?? 0, hash: head?.label ?? GENESIS },
      byStatus: counts("status"),
      byKind: counts("kind"),
      openWork: counts("work")["open"] ?? 0,
      work: counts("work"),
      threads: counts("thread")["live"] ?? 0,
      agents: of("agents")[0]?.count ?? 0,
      lastHour: flows("hour"),
      lastDay: flows("day"),
      hourly: new Map(of("hourly").map(({ label, count }) => [Number(label) / MINUTES_PER_HOUR, count])),
    };
  },
  async postedByMinute(from) {
    const found = await rows.all<{ label: string; count: number }>(POSTED, [String(from)]);
    const minutes = new Map<number, Map<number, number>>();
    for (const { label, count } of found) {
      const [minute = 0, bits = 0] = label.split(":").map(Number);
      minutes.set(minute, (minutes.get(minute) ?? new Map<number, number>()).set(bits, count));
    }
    return minutes;
  },
});
