// How a message got its status: the log's own entries, each with the act that caused it.
import { iso } from "../../core/protocol/time.ts";
import type { LogReads } from "../../ports/store.ts";

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

const CAUSES_READ = 40;

export function historyReader(log: Pick<LogReads, "statusEffects" | "seqAt">): ReadHistory {
  return async (id, causes) => {
    const by = new Map<number, StatusChange["by"]>();
    const read = causes.toSorted((a, b) => a.seq - b.seq).slice(0, CAUSES_READ);
    for (const { leaseEnds } of read) if (leaseEnds !== undefined) by.set((await log.seqAt(leaseEnds)) - 1, null);
    for (const { seq, id: cause, kind, author } of read) by.set(seq, { id: cause, kind, author });
    const changes = new Map<number, StatusChange>();
    // The same change may follow the ends of two leases, or of a lease and a message: then the message made it.
    for (const effect of await log.statusEffects(id, [...by.keys()])) {
      const change = changeOf(effect, by.get(effect.of) ?? null);
      if (change.by !== null || !changes.has(effect.seq)) changes.set(effect.seq, change);
    }
    return [...changes].sort(([a], [b]) => a - b).map(([, change]) => change);
  };
}

function changeOf({ at, detail }: { readonly at: number; readonly detail: string | null }, by: StatusChange["by"]): StatusChange {
  const { from, to } = JSON.parse(detail ?? "{}") as { from: string; to: string };
  return { at: iso(at), from, to, by };
}
