// What the operator sees of a running board: its log, its metrics, and whether its storage accepts writes.
import type { Logger } from "pino";
import { boardLog, type LogLines } from "../adapters/system/stderr-logger.ts";
import { type Metrics, metrics } from "../adapters/system/metrics.ts";
import type { Room } from "../board/write/storage-quota.ts";
import { maskedAddress } from "../board/limits/callers.ts";
import type { NodeSettings, SameSettingsParts } from "../board/operator/same-settings.ts";
import { freeBytes } from "../adapters/system/disk-space.ts";
import { StorageHealth } from "../board/operator/storage-health.ts";
import type { OperatorWatch } from "../board/operator/operator-watch.ts";
import type { Config } from "../config.ts";
import type { Clock } from "../ports/clock.ts";
import type { ReplicaStatus, ReplicaWatch } from "../ports/replica-status.ts";
import { StoreFailure } from "../ports/store.ts";
import type { Storage } from "../storage/open.ts";
import type { Access } from "../transports/http/access-log.ts";

export interface Watching {
  readonly log: Logger;
  readonly figures: Metrics;
  readonly health: StorageHealth;
}

/** For the log: what has happened, and what to do. */
const LOST: Readonly<Record<StoreFailure["code"], string>> = {
  storage_full: "writing has stopped: the disk is full; free some space, and the board continues by itself",
  storage_unavailable: "writing has stopped: the database does not work; the board continues by itself as soon as it does",
};

export function watching(config: Config, clock: Clock, lines?: LogLines): Watching {
  const log = boardLog(config, lines);
  const counts = metrics(log);
  const health = new StorageHealth({
    clock,
    onLost: (place, { code, message }) => log.error({ code, place, reason: message }, LOST[code]),
    onBack: ({ code, since, failures }) =>
      log.info({ code, seconds: Math.round((clock.now() - since) / 1000), failures }, "writing works again"),
  });
  const figures: Metrics = {
    ...counts,
    appended(acts) {
      counts.appended(acts);
      health.worked();
    },
    // While the storage fails, every post and every probe fails: that is logged once, not thousands of times.
    failed(place, error) {
      if (!(error instanceof StoreFailure) || error.fatal) return counts.failed(place, error);
      counts.counted(place);
      health.failed(place, error);
    },
  };
  return { log, figures, health };
}

/** Gauges that are read when somebody asks for the metrics. */
export function boardMetrics(
  figures: Metrics,
  config: Config,
  { store, engine }: Pick<Storage, "store" | "engine">,
  version: string,
): void {
  figures.info("blackboard_info", "The program's version and settings.", { version, store: engine, profile: config.profile });
  figures.gauge("blackboard_log_seq", "Newest entry of the log.", async () => (await store.head()).seq);
  figures.gauge("blackboard_reports_open", "Open reports.", () => store.openReports());
  figures.gauge("blackboard_database_bytes", "Bytes that the database takes.", () => store.size());
  figures.gauge("blackboard_disk_free_bytes", "Bytes free on the disk of the data directory.", () => freeBytes(config.data));
}

export function replicaMetrics(figures: Metrics, replica: () => ReplicaStatus): void {
  figures.gauge("blackboard_replica_up", "1 while the replica answers and holds this board, else 0.", () => Number(replica().up));
  figures.gauge("blackboard_replica_behind_entries", "Entries of the log that the replica does not have yet.", () => replica().behind);
}

export const logReplica =
  (log: Logger): ReplicaWatch =>
  (lost) => {
    if (lost === undefined) log.info("the replica (--database-read-url) is back and answers listings again");
    else log.warn(`the replica (--database-read-url) is lost: ${lost}; the primary answers listings`);
  };

/** Settings that must be the same on every node of a board. */
export const nodeSettings = ({ baseUrl, mailDomain, powBits, powMaxBits, meaning }: Config): NodeSettings => ({
  "--base-url": baseUrl,
  "--mail-domain": mailDomain,
  "--pow-bits": powBits,
  "--pow-max-bits": powMaxBits,
  "--meaning": meaning ? "on" : "off",
});

export const logDifference =
  (log: Logger): SameSettingsParts["differs"] =>
  (flag, own, other) =>
    log.warn(`another node of this board has ${flag} ${other}, and this one ${own}: give every node the same settings`);

/** Logs each decision and each switch of the operator, from whichever process it came. */
export function logOperatorActs(log: Logger, switches: OperatorWatch): void {
  let before = switches.now;
  switches.onTurn((now) => {
    const changed = Object.entries(now).filter(([name, value]) => value !== before[name as keyof typeof before]);
    before = now;
    if (changed.length > 0)
      log.info(Object.fromEntries(changed.map(([name, value]) => [snakeCase(name), value])), "the operator set a switch");
  });
  switches.onDecided((actions) => {
    for (const { id, seq, target, visibility, category, state } of actions.toReversed())
      log.info(
        { statement: id, seq, target, visibility, category },
        state === "reversed" ? "the operator reversed a decision" : "the operator made a decision",
      );
  });
}

/** Logs when the quota of the board begins to refuse posts, and when it no longer does. */
export function logRoom(log: Logger): (room: Room, bytes: { readonly used: number; readonly max: number }) => void {
  return (room, { used, max }) => {
    const figures = { used_bytes: used, max_bytes: max };
    if (room === "all") log.info(figures, "there is room below --max-bytes again");
    else if (room === "small") log.warn(figures, "--max-bytes is nearly used up: posts over 8 KiB are refused");
    else log.error(figures, "--max-bytes is used up: posts are refused until messages have ended or the quota is raised");
  };
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function accessTeller(log: Logger, { accessLog }: Config): ((access: Access) => void) | undefined {
  if (accessLog === "off") return undefined;
  return ({ query, caller, ...access }) =>
    log.info(accessLog === "full" ? { ...access, query, caller } : { ...access, caller: maskedAddress(caller) }, "request");
}
