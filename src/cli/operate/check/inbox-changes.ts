// Compares the inbox items about agents' own messages (the table `inbox_changes`) with what the rules say for the same log.
import type { Holdings } from "../../../adapters/sqlite/non-message-rows.ts";
import type { Entry } from "../../../core/log/chain.ts";
import type { StoredInboxChange } from "../../../core/message/inbox-types.ts";
import type { Findings } from "./findings.ts";
import type { History } from "./verify-and-replay-log.ts";
import type { Courses, ReplayedChange, ReplayedStatus } from "./replayed-board.ts";

export function compareInboxChanges(
  holdings: Pick<Holdings, "inboxChanges">,
  { statuses, inboxChanges }: Courses,
  history: Pick<History, "messages" | "statuses">,
  findings: Findings,
): void {
  const found = Map.groupBy(holdings.inboxChanges(), ({ target }) => target);
  for (const [id, seq] of history.messages) {
    const entries = history.statuses.get(id) ?? [];
    const [expected, stored] = [inboxChanges.get(seq) ?? [], found.get(seq) ?? []];
    found.delete(seq);
    // Otherwise a message that no longer exists was involved, and its effects are unknown.
    const isKnown = isSameCourse(entries, statuses.get(id) ?? []);
    const wanted = expected.filter((change) => isKnown || !isStatus(change)).map((change) => atEntry(change, entries));
    const compared = isKnown ? stored : stored.filter((change) => !isStatus(change));
    findings.compare(`message ${id}`, ["inbox_changes"], { inbox_changes: lines(wanted) }, { inbox_changes: lines(compared) });
    if (isKnown) continue;
    for (const change of stored.filter(isStatus))
      if (!entries.some((entry) => records(entry, change)))
        findings.add(`message ${id}`, `inbox_changes is ${textOf(change)}; the log has no such entry`);
  }
  for (const [seq, [change]] of found)
    if (change !== undefined) findings.add(`agent ${change.agent}`, `has an inbox item about message ${seq}, which is not there`);
}

const isStatus = ({ reason }: StoredInboxChange): boolean => reason === "status" || reason === "lease";

const isSameCourse = (entries: readonly Entry[], replayed: readonly ReplayedStatus[]): boolean =>
  entries.length === replayed.length &&
  replayed.every(({ seq, at, detail }, i) => {
    const entry = entries[i];
    return entry !== undefined && entry.detail === detail && entry.at === at && entry.seq >= seq;
  });

const records = ({ seq, at, detail }: Entry, change: StoredInboxChange): boolean =>
  seq === change.seq && at === change.at && detail === JSON.stringify({ from: change.was, to: change.became });

/** The rules give the seq of the act; the board stores the seq of the entry that reports it. */
const atEntry = ({ nth, ...change }: ReplayedChange, entries: readonly Entry[]): StoredInboxChange =>
  isStatus(change) ? { ...change, seq: entries[nth]?.seq ?? 0 } : change;

/** In any order; of two changes at one entry the last counts. */
const lines = (changes: readonly StoredInboxChange[]): readonly string[] =>
  [...new Map(changes.map((change) => [`${change.agent} ${change.seq}`, textOf(change)])).values()].toSorted();

const textOf = ({ agent, seq, at, reason, was, became, actor }: StoredInboxChange): string =>
  [agent, seq, at, reason, was ?? "-", became, ...(actor == null ? [] : [actor])].join(" ");
