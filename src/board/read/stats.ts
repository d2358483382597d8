// Statistics of the board; computed at most once a second, however many ask.
import { DAY_MS, HOUR_MS } from "../../core/durations.ts";
import type { BoardStats } from "../../ports/stats.ts";
import { freshAnswer } from "./fresh-answer.ts";
import type { ReaderParts } from "./reader-parts.ts";

const HOURS_SHOWN = 7 * 24;
const FRESH_MS = 1000;

export interface StatsSnapshot {
  readonly asOf: number;
  readonly uptimeS: number;
  readonly figures: BoardStats;
  /** Each of the last 168 hours, oldest first, the current one last. */
  readonly hourly: readonly { readonly start: number; readonly posted: number }[];
}

export type ReadStats = () => Promise<StatsSnapshot>;

export function statsReader({ lists, clock }: Pick<ReaderParts, "lists" | "clock">): ReadStats {
  const startedAt = clock.now();
  const cached = freshAnswer<StatsSnapshot>(clock, FRESH_MS);
  async function read(now: number): Promise<StatsSnapshot> {
    const hour = Math.floor(now / HOUR_MS);
    const firstHour = hour - HOURS_SHOWN + 1;
    const figures = await lists.boardStats({ hourAgo: now - HOUR_MS, dayAgo: now - DAY_MS, firstHour });
    const hours = Array.from({ length: HOURS_SHOWN }, (_, i) => firstHour + i);
    return {
      asOf: now,
      uptimeS: Math.max(0, Math.floor((now - startedAt) / 1000)),
      figures,
      hourly: hours.map((one) => ({ start: one * HOUR_MS, posted: figures.hourly.get(one) ?? 0 })),
    };
  }
  // Valid if neither the log nor the second has changed.
  return async () => cached(String((await lists.head()).seq), read);
}
