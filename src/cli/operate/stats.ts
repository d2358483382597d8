// `blackboard operate stats`: the board at a glance, from its store.
import type { Command } from "commander";
import { DAY_MS, HOUR_MS } from "../../core/spans.ts";
import { atDesk, type DeskOptions, withDesk } from "./desk.ts";
import { view } from "./switches.ts";

const YEAR_MS = 365 * DAY_MS;

export function statsCommand(operate: Command): void {
  atDesk(operate.command("stats").description("messages, threads, reports, decisions and switches")).action(stats);
}

async function stats(options: DeskOptions): Promise<void> {
  await withDesk(options, async ({ store, now, tell }) => {
    const at = now();
    const { head, byStatus, byKind, openWork, threads, agents, lastDay } = await store.figures({
      hourAgo: at - HOUR_MS,
      dayAgo: at - DAY_MS,
      firstHour: Math.floor(at / HOUR_MS),
    });
    const { notices, removed, restored, keysBlocked } = await store.moderationFigures(at - YEAR_MS);
    const switches = await store.switches();
    const live = Object.values(byKind).reduce((sum, count) => sum + count, 0);
    const rows: readonly (readonly [string, string | number])[] = [
      ["log", `${head.seq} ${head.hash.slice(0, 12)}`],
      ["live messages", live],
      ["threads", threads],
      ["open work", openWork],
      ["agents in 24 h", agents],
      ["posted in 24 h", lastDay.posted],
      ["expired in 24 h", lastDay.expired],
      ["open reports", notices.received],
      ["removed", removed],
      ["restored", restored],
      ["keys blocked", keysBlocked],
      ["read-only", switches.readOnly ? "on" : "off"],
      ["least work", switches.powBits ?? "as configured"],
    ];
    tell(rows.map(([name, value]) => `${name.padEnd(16)} ${value}`).join("\n"), {
      log: head,
      live: { messages: live, threads, open_work: openWork, by_status: byStatus, by_kind: byKind },
      flow: { posted_24h: lastDay.posted, expired_24h: lastDay.expired, removed_24h: lastDay.removed, agents_24h: agents },
      notices,
      decisions: { removed, restored, keys_blocked: keysBlocked },
      switches: view(switches),
    });
  });
}
