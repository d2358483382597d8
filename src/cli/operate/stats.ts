// `blackboard operate stats`: an overview of the board, from its store.
import type { Command } from "commander";
import { DAY_MS, HOUR_MS } from "../../core/durations.ts";
import type { Switches } from "../../core/message/moderation-state.ts";
import { roomOf } from "../../board/write/storage-quota.ts";
import { StoreFailure } from "../../ports/store.ts";
import { withOperator, type OperatorSession, type OperatorOptions, withOpenBoard } from "./operator-session.ts";
import { minimumOf, switchesView } from "./switches.ts";

const YEAR_MS = 365 * DAY_MS;

export function statsCommand(operate: Command): void {
  withOperator(
    operate.command("stats").description("messages, threads, reports, decisions, switches, and whether posts are accepted"),
  ).action(stats);
}

async function stats(options: OperatorOptions): Promise<void> {
  await withOpenBoard(options, async (session) => {
    const { store, config, now, print } = session;
    const at = now();
    const { head, byStatus, byKind, openWork, threads, agents, lastDay } = await store.boardStats({
      hourAgo: at - HOUR_MS,
      dayAgo: at - DAY_MS,
      firstHour: Math.floor(at / HOUR_MS),
    });
    const { notices, removed, restored, keysBlocked } = await store.moderationCounts(at - YEAR_MS);
    const switches = await store.switches();
    const { words, ...minimum } = minimumOf(config, switches);
    const writing = await writingOf(session, switches);
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
      ["writing", writing.ok ? "yes" : `no: ${writing.reason}${writing.words}`],
      ["minimum proof of work", words],
      ["settings", `those of a ${config.profile} board, as this command sees them`],
    ];
    const width = Math.max(...rows.map(([name]) => name.length));
    print(rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n"), {
      log: head,
      live: { messages: live, threads, open_work: openWork, by_status: byStatus, by_kind: byKind },
      flow: { posted_24h: lastDay.posted, expired_24h: lastDay.expired, removed_24h: lastDay.removed, agents_24h: agents },
      notices,
      decisions: { removed, restored, keys_blocked: keysBlocked },
      switches: switchesView(switches),
      writing: { ok: writing.ok, reason: writing.reason },
      minimum_pow: minimum,
      profile: config.profile,
    });
  });
}

/** Whether posts are accepted, and if not, why; the same reasons as at /readyz. */
async function writingOf({ config, signedAhead, store }: OperatorSession, { readOnly }: Switches) {
  const signed = await signedAhead();
  if (signed !== undefined) {
    const { seq } = await store.head();
    const words = `: the board signed its log up to entry ${signed.seq}, and this database, which ends at entry ${seq}, does not contain that entry. Restore the newest copy of the database; see docs/operate.md`;
    return { ok: false, reason: "log_rollback", words };
  }
  if (config.readOnly) return { ok: false, reason: "read_only", words: " (from configuration)" };
  if (readOnly) return { ok: false, reason: "read_only", words: " (set by the operator)" };
  try {
    await store.trial();
    const { maxBytes } = config;
    if (maxBytes !== undefined) {
      const used = await store.used();
      if (roomOf(used, maxBytes) === "none")
        return { ok: false, reason: "storage_full", words: `: ${used} of the ${maxBytes} bytes of the quota are in use` };
    }
    return { ok: true, reason: null, words: "" };
  } catch (error) {
    if (error instanceof StoreFailure) return { ok: false, reason: error.code, words: `: ${error.message}` };
    throw error;
  }
}
