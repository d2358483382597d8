// Reads the inbox for a courier: what comes after a position, oldest first; waits if there is nothing, and while the board is unreachable.
import type { Message } from "../client/response-types.ts";
import { BoardError, mayPass, unlessRefused } from "../client/board-error.ts";
import type { Board } from "../client/board-handle.ts";
import { backoffMs, pause } from "../client/pause.ts";
import { getAgent, getChanges, listMessages, readInbox } from "../client/read.ts";
import { type InboxReason, MESSAGE_REASONS } from "../core/message/inbox-types.ts";
import type { Parcel, InboxPlace } from "./adapter.ts";
import type { Delivery } from "./config.ts";

export interface Arrived {
  /** Oldest first; may be empty. */
  readonly parcels: readonly Parcel[];
  /** Everything up to this position is among them, or need not be delivered. */
  readonly upTo: InboxPlace;
}

/** What the log has at a seq. */
export type EntryFound =
  | { readonly state: "there"; readonly hash: string; readonly at: string }
  /** So old that the board no longer has it: all messages before it have expired too. */
  | { readonly state: "erased" }
  /** The log does not reach that far. */
  | { readonly state: "absent" };

export interface Source {
  /** What comes after this position; waits for it for a limited time. */
  after(place: InboxPlace, signal: AbortSignal): Promise<Arrived>;
  /** The entry of the board's log at this seq. */
  entryAt(seq: number, signal: AbortSignal): Promise<EntryFound>;
  /** Whether the board was away since `after` returned: it may have come back with another log. */
  wasAway(): boolean;
  /** The seq to begin after if nothing was delivered yet. */
  beginning(from: "unread" | "now" | "all" | undefined, signal: AbortSignal): Promise<number>;
  /** Whether `earlier` is an earlier key of the same agent. */
  isOf(earlier: string, signal: AbortSignal): Promise<boolean>;
}

const WAIT_S = 25;

type Wanted = Pick<Delivery, "kinds" | "reasons" | "batch" | "retry_most_s">;
/** The longest wait between two attempts to reach the board. */
const LONGEST_WAIT_MS = 30_000;

export function inboxSource(
  board: Board,
  agent: string,
  { kinds, reasons: given, batch, retry_most_s: most }: Wanted,
  report: (words: string) => void,
): Source {
  const mostMs = Math.min(LONGEST_WAIT_MS, most * 1000);
  const reasons: readonly InboxReason[] = given ?? MESSAGE_REASONS;
  let isAway = false;
  /** Tries until the board answers; throws only errors that waiting cannot fix. */
  async function patiently<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let failures = 0; ;) {
      try {
        const answer = await ask();
        if (failures > 0) report("the board answers again");
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof BoardError) || !mayPass(error)) throw error;
        isAway ||= !isBusy(error);
        if (++failures === 1) report(`the board does not answer, waiting for it: ${error.message}`);
        await pause(Math.max(backoffMs(failures, 500, mostMs), (error.retryAfterS ?? 0) * 1000), signal);
      }
    }
  }

  return {
    async after(place, signal) {
      const from = place.within === undefined ? place.cursor : place.cursor - 1;
      const asked = { ...(kinds === undefined ? {} : { kind: kinds }), reason: reasons, sort: "old", include: ["body", "data"] } as const;
      const ask = (cursor?: string) =>
        patiently(() => readInbox(board, agent, { ...asked, after_seq: from, limit: batch, cursor, wait: WAIT_S }, { signal }), signal);
      let page = await ask();
      const fresh = (): readonly Parcel[] => page.messages.map(parcelOf).filter((one) => isAfter(one.place, place));
      // One log entry may have changes to more messages than fit on a page, and those of the first pages may be delivered already.
      while (page.next_cursor !== null && fresh().length === 0) page = await ask(page.next_cursor);
      const parcels = fresh();
      isAway = false;
      // Only after the last page is everything up to the newest entry read. A board that was reset may have fewer entries than were delivered.
      const newest = { cursor: Math.max(page.latest_seq, place.cursor) };
      return { parcels, upTo: page.next_cursor === null ? newest : (parcels.at(-1)?.place ?? place) };
    },
    async entryAt(seq, signal) {
      const page = await patiently(() => getChanges(board, { after: seq - 1, limit: 1 }, { signal }), signal);
      if (seq > page.latest_seq) return { state: "absent" };
      const [entry] = page.changes;
      return seq < page.oldest_seq || entry?.seq !== seq ? { state: "erased" } : { state: "there", hash: entry.hash, at: entry.at };
    },
    wasAway: () => isAway,
    async beginning(from, signal) {
      if (from === "all") return 0;
      const newest = async () => (await listMessages(board, { limit: 1, include: [] }, { signal })).latest_seq;
      if (from === "now") return patiently(newest, signal);
      const seen = await patiently(() => seenBy(board, agent, signal), signal);
      return seen ?? (from === "unread" ? 0 : patiently(newest, signal));
    },
    async isOf(earlier, signal) {
      return earlier === agent || (await patiently(() => currentOf(board, earlier, signal), signal)) === agent;
    },
  };
}

/** The seq up to which the agent has acknowledged its inbox; undefined if it never did. */
export async function seenBy(board: Board, agent: string, signal: AbortSignal): Promise<number | undefined> {
  const known = await unlessRefused(getAgent(board, agent, { signal }), "agent_unknown");
  return known?.last_ack === null ? undefined : known?.reads_to_seq;
}

/** The key that acts for the agent now. */
export async function currentOf(board: Board, agent: string, signal?: AbortSignal): Promise<string | null | undefined> {
  return (await unlessRefused(getAgent(board, agent, { signal }), "agent_unknown"))?.current;
}

/** An inbox entry with its position in the log: that of the change, or that of the message itself. */
function parcelOf(message: Message): Parcel {
  const { seq, change, reason = "addressed" } = message;
  const at = change?.at ?? message.server.received_at;
  // In the entry that created it, a message comes last.
  const isOwnEntry = change === undefined || change.seq === seq;
  return { message, reason, at, place: isOwnEntry ? { cursor: seq } : { cursor: change.seq, within: seq } };
}

/** The board's order: by log entry, then by the message that was changed. */
const isAfter = (one: InboxPlace, { cursor, within = Infinity }: InboxPlace): boolean =>
  one.cursor > cursor || (one.cursor === cursor && (one.within ?? Infinity) > within);

/** The board is there but busy: what it has answered need not be read again. */
const isBusy = ({ status, code }: BoardError): boolean => status === 429 || code === "overloaded";
