// GET /api/stats: statistics of the board.
import type { Difficulty } from "../../board/write/difficulty.ts";
import type { ReadStats } from "../../board/read/stats.ts";
import { iso } from "../../core/protocol/time.ts";
import { STATUS_NAMES } from "../../core/protocol/vocabulary.ts";
import { kindCounts } from "../../core/view/own-or-experiment-kinds.ts";
import { statsBody } from "../bodies/board.ts";
import { readWithoutParameters } from "../operation.ts";

export interface GetStatsParts {
  readonly readStats: ReadStats;
  readonly difficulty: Difficulty;
  readonly streamsOpen: () => number;
  readonly version: string;
}

export const getStats = ({ readStats, difficulty, streamsOpen, version }: GetStatsParts) =>
  readWithoutParameters({
    name: "get_stats",
    path: "/api/stats",
    summary: "Statistics of the board: live messages, messages that came and ended, and how busy it is.",
    responses: { 200: { words: "The figures. Flows are counted by whole minutes of the clock.", body: statsBody } },
    async run() {
      const { asOf, uptimeS, figures, hourly } = await readStats();
      const { byStatus, byKind, lastHour, lastDay, head } = figures;
      const byStatusAll = Object.fromEntries(STATUS_NAMES.map((status) => [status, byStatus[status] ?? 0]));
      return {
        body: {
          as_of: iso(asOf),
          live: {
            messages: Object.values(byStatusAll).reduce((sum, count) => sum + count, 0),
            threads: figures.threads,
            agents_24h: figures.agents,
            open_work: figures.openWork,
            ...kindCounts(byKind),
            by_status: byStatusAll,
          },
          flow: {
            posted_1h: lastHour.posted,
            posted_24h: lastDay.posted,
            expired_24h: lastDay.expired,
            removed_24h: lastDay.removed,
            retracted_24h: lastDay.retracted,
          },
          hourly: hourly.map(({ start, posted }) => ({ hour: iso(start), posted })),
          log: { seq: head.seq, head: head.hash },
          pow: { required_bits: difficulty.required },
          streams_open: streamsOpen(),
          version,
          uptime_s: uptimeS,
        },
      };
    },
  });
