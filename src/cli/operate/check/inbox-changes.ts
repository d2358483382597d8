// Compares the inbox items about agents' own messages (the table `inbox_changes`) with what the rules say for the same log.
import type { Holdings } from "../../../adapters/sqlite/non-message-rows.ts";
import type { Entry } from "../../../core/log/chain.ts";
import type { HeardChange } from "../../../core/message/inbox-types.ts";
import type { Findings } from "./findings.ts";
import type { History } from "./verify-and-replay-log.ts";
import type { Courses, ReplayedChange, ReplayedStatus } from "./replayed-board.ts";

export function compareHeard(
  holdings: Pick<Holdings, "heard">,
  { statuses, heard }: Courses,
  history: Pick<History, "messages" | "statuses">,
  findings: Findings,
): void {
  const found = Map.groupBy(holdings.heard(), ({ target }) => target);
  for (const [id, seq] of history.messages) {
    const entries = history.statuses.get(id) ?? [];
    const [expected, stored] = [heard.get(seq) ?? [], found.get(seq) ?? []];
    found.delete(seq);
    // Otherwise a message that no longer exists was involved, and its effects are unknown.
    const isKnown = isSameCourse(entries, statuses.get(id) ?? []);
    const wanted = expected.filter((change) => isKnown || !isStatus(change)).map((change) => atEntry(change, entries));
    const compared = isKnown ? stored : stored.filter((change) => !isStatus(change));
    findings.compare(`message ${id}`, ["heard"], { heard: lines(wanted) }, { heard: lines(compared) });
    if (isKnown) continue;
    for (const change of stored.filter(isStatus))
      if (!entries.some((entry) => tells(entry, change)))
        findings.add(`message ${id}`, `heard is ${textOf(change)}; the log has no such entry`);
  }
  for (const [seq, [change]] of found)
    if (change !== undefined) findings.add(`agent ${change.agent}`, `has an inbox item about message ${seq}, which is not there`);
}

const isStatus = ({ reason }: HeardChange): boolean => reason === "status" || reason === "lease";

const isSameCourse = (entries: readonly Entry[], replayed: readonly ReplayedStatus[]): boolean =>
  entries.length === replayed.length &&
  replayed.every(({ seq, at, detail }, i) => {
    const entry = entries[i];
    return entry !== undefined && entry.detail === detail && entry.at === at && entry.seq >= seq;
  });

const tells = ({ seq, at, detail }: Entry, change: HeardChange): boolean =>
  seq === change.seq && at === change.at && detail === JSON.stringify({ from: change.was, to: change.became });

/** The rules give the seq of the act; the board stores the seq of the entry that reports it. */
const atEntry = ({ nth, ...change }: ReplayedChange, entries: readonly Entry[]): HeardChange =>
  isStatus(change) ? { ...change, seq: entries[nth]?.seq ?? 0 } : change;

/** In any order; of two changes at one entry the last counts. */
const lines = (changes: readonly HeardChange[]): readonly string[] =>
  [...new Map(changes.map((change) => [`${change.agent} ${change.seq}`, textOf(change)])).values()].toSorted();

const textOf = ({ agent, seq, at, reason, was, became }: HeardChange): string => `${agent} ${seq} ${at} ${reason} ${was ?? "-"} ${became}`;
