// Notices that a board was reset or restored from an older copy, and finds the position up to which the old and the new log agree.
import { type InboxPlace, type LogMark, nameOf, type Parcel } from "./adapter.ts";
import type { DeliveredBook } from "./delivered.ts";
import type { Source } from "./source.ts";
import type { DeliveryState } from "./state.ts";

export interface HistoryParts {
  readonly source: Pick<Source, "entryAt">;
  readonly book: DeliveredBook;
  readonly report: (words: string) => void;
}

/** If the board's log is not the one that was delivered from, the state to continue with; otherwise undefined. */
export async function stateAfterFork(
  { source, book, report }: HistoryParts,
  state: DeliveryState,
  signal: AbortSignal,
): Promise<DeliveryState | undefined> {
  const { cursor, mark } = state;
  /** An erased entry is older than every message of the board, so nothing before it was missed. */
  const isSame = async (seq: number, hash: string | undefined): Promise<boolean> => {
    const found = await source.entryAt(seq, signal);
    return found.state === "erased" || (found.state === "there" && (hash === undefined || found.hash === hash));
  };
  if (cursor === 0 || (await isSame(mark?.seq ?? cursor, mark?.hash))) return undefined;
  const lines = book.marked();
  let [same, other] = [0, lines.length];
  while (same < other) {
    const middle = Math.floor((same + other) / 2);
    const one = lines[middle]?.mark;
    if (one === undefined || (await isSame(one.seq, one.hash))) same = middle + 1;
    else other = middle;
  }
  const line = lines[same - 1];
  const place: InboxPlace = line === undefined ? { cursor: 0 } : { cursor: line.cursor, within: line.within };
  book.forkedAfter(line?.n ?? 0);
  report(
    `the board's log differs from the one that was delivered up to seq ${cursor}: the board was reset, or restored from an older copy; reading again after seq ${place.cursor}, without what was delivered already`,
  );
  return {
    ...state,
    ...place,
    within: place.within,
    mark: line?.mark,
    failed: undefined,
    // The later entries are different ones now, and nobody has read them.
    unacked: state.unacked.map((one) => ({ ...one, seq: Math.min(one.seq, place.cursor) })),
  };
}

/**
 * The mark of an entry, fetched unless it was just compared; undefined if the board no longer has the entry. If the board was away since
 * the inbox was read, it may have been restored, and the entry may not be the one that was read: then it is absent.
 */
export async function markAt(
  source: Pick<Source, "entryAt" | "wasAway">,
  seq: number,
  { mark }: DeliveryState,
  signal: AbortSignal,
): Promise<LogMark | undefined | "absent"> {
  if (seq === 0) return undefined;
  if (seq === mark?.seq) return mark;
  const found = await source.entryAt(seq, signal);
  if (found.state === "absent" || source.wasAway()) return "absent";
  return found.state === "erased" ? undefined : { seq, hash: found.hash };
}

/** A message has the same id in every log. A change has not: another log may have another change at the same seq, so its time is added. */
export const deliveredName = (parcel: Parcel): string =>
  parcel.message.change === undefined ? nameOf(parcel) : `${nameOf(parcel)}@${parcel.at}`;

/** Whether it is still to be delivered: neither delivered before, nor from before this delivery began. */
export const isStillToDeliver = (parcel: Parcel, { began }: DeliveryState, book: DeliveredBook): boolean =>
  !book.has(deliveredName(parcel)) && (began === undefined || parcel.place.cursor > began.seq || parcel.at > began.at);
