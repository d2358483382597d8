// How a message got its status: the log's own entries, each with the act that caused it.
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import type { LogEntry, LogReads } from "../../ports/store.ts";

/** A message that may have changed the status of another. */
export interface PossibleCause {
  readonly id: string;
  readonly seq: number;
  readonly kind: string;
  readonly author: string;
  /** When its lease ends. */
  readonly leaseEnds?: number | undefined;
}

export interface StatusChange {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** Undefined if time alone did it. */
  readonly by: { readonly id: string; readonly kind: string; readonly author: string } | null;
}

export type ReadHistory = (id: string, causes: readonly PossibleCause[]) => Promise<readonly StatusChange[]>;

/** The number of entries that are read for the effects of a message, which directly follow its own entry: few, and all if those are not enough. */
const EFFECTS = [4, LIMITS.refs * 2];
const CAUSES_READ = 40;

export function historyReader(log: LogReads): ReadHistory {
  async function changeAfter(id: string, after: number): Promise<LogEntry | undefined> {
    for (const most of EFFECTS) {
      for (const entry of await log.entries(after, most)) {
        // Entries after the next message are effects of that message.
        if (entry.type === "create") return undefined;
        if (entry.type === "status" && entry.id === id) return entry;
      }
    }
    return undefined;
  }

  return async (id, causes) => {
    const changes = new Map<number, StatusChange>();
    for (const { leaseEnds, seq, ...by } of causes.toSorted((a, b) => a.seq - b.seq).slice(0, CAUSES_READ)) {
      const done = await changeAfter(id, seq);
      if (done !== undefined) changes.set(done.seq, changeOf(done, by));
      if (leaseEnds === undefined) continue;
      const ended = await changeAfter(id, (await log.seqAt(leaseEnds)) - 1);
      if (ended !== undefined && !changes.has(ended.seq)) changes.set(ended.seq, changeOf(ended, null));
    }
    return [...changes].sort(([a], [b]) => a - b).map(([, change]) => change);
  };
}

function changeOf({ at, detail }: { readonly at: number; readonly detail: string | null }, by: StatusChange["by"]): StatusChange {
  const { from, to } = JSON.parse(detail ?? "{}") as { from: string; to: string };
  return { at: iso(at), from, to, by };
}
