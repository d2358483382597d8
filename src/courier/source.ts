// The inbox as a courier reads it: what comes after a place, oldest first, waiting where there is nothing, however often the board is away.
import type { Message } from "../client/answers.ts";
import { BoardError } from "../client/board-error.ts";
import type { Board } from "../client/connect.ts";
import { backoffMs, pause } from "../client/pause.ts";
import { getAgent, listMessages, readInbox } from "../client/read.ts";
import { type InboxReason, MESSAGE_REASONS } from "../core/message/inbox-change.ts";
import type { Parcel, InboxPlace } from "./adapter.ts";
import type { Delivery } from "./config.ts";
import type { CourierReport } from "./report.ts";

export interface Arrived {
  /** Oldest first; none where nothing came that is to be delivered. */
  readonly parcels: readonly Parcel[];
  /** Everything up to here is among them, or not to be delivered. */
  readonly upTo: number;
}

export interface Source {
  /** What comes after this place; waits for it, but not for ever. */
  after(place: InboxPlace, signal: AbortSignal): Promise<Arrived>;
  /** Where one begins who has delivered nothing yet. */
  beginning(from: "unread" | "now" | "all" | undefined, signal: AbortSignal): Promise<number>;
}

const WAIT_S = 25;

type Wanted = Pick<Delivery, "kinds" | "reasons" | "batch" | "retry_most_s">;
/** How long a board that is away is left alone, at most. */
const LONGEST_WAIT_MS = 30_000;

export function inboxSource(
  board: Board,
  agent: string,
  { kinds, reasons: given, batch, retry_most_s: most }: Wanted,
  report: CourierReport,
): Source {
  const mostMs = Math.min(LONGEST_WAIT_MS, most * 1000);
  const reasons: readonly InboxReason[] = given ?? MESSAGE_REASONS;
  /** Until the board answers; throws only what waiting cannot mend. */
  async function patiently<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let failures = 0; ;) {
      try {
        const answer = await ask();
        if (failures > 0) report.tell("the board is back");
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof BoardError) || !passes(error)) throw error;
        if (++failures === 1) report.tell(`the board does not answer, waiting for it: ${error.message}`);
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
      // A board that was set up anew, or from an older copy, counts from less: all that it has is new.
      if (page.latest_seq < from) {
        report.tell(`the board is at ${page.latest_seq}, and ${from} was delivered before: it was set up anew, beginning at 0`);
        return { parcels: [], upTo: 0 };
      }
      const all = page.messages.map(parcelOf);
      // One entry of the log may tell of many messages: they are handed on together, or what is left of them would be passed over.
      while (page.next_cursor !== null && all[0]?.place.cursor === all.at(-1)?.place.cursor) {
        page = await ask(page.next_cursor);
        all.push(...page.messages.map(parcelOf));
      }
      const last = all.at(-1)?.place.cursor ?? from;
      const whole = page.next_cursor === null ? all : all.filter((one) => one.place.cursor < last);
      // Only the last page has seen all up to the newest entry.
      const upTo = page.next_cursor === null ? page.latest_seq : (whole.at(-1)?.place.cursor ?? from);
      return { parcels: whole.filter((one) => isAfter(one.place, place)), upTo };
    },
    async beginning(from, signal) {
      if (from === "all") return 0;
      const newest = async () => (await listMessages(board, { limit: 1, include: [] }, { signal })).latest_seq;
      if (from === "now") return patiently(newest, signal);
      const seen = await patiently(() => seenBy(board, agent, signal), signal);
      return seen ?? (from === "unread" ? 0 : patiently(newest, signal));
    },
  };
}

/** Up to where the agent says that it has read; undefined where it never said so. */
export async function seenBy(board: Board, agent: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { last_ack: last, reads_to_seq: seen } = await getAgent(board, agent, { signal });
    return last === null ? undefined : seen;
  } catch (error) {
    if (error instanceof BoardError && error.code === "agent_unknown") return undefined;
    throw error;
  }
}

/** What reached any key of the agent, in the order of the log: a change by its own entry, a message by its own. */
function parcelOf(message: Message): Parcel {
  const { seq, change, reason = "addressed" } = message;
  const isOwnEntry = change === undefined || change.seq === seq;
  return { message, reason, place: isOwnEntry ? { cursor: seq } : { cursor: change.seq, within: seq } };
}

const isAfter = (one: InboxPlace, { cursor, within = Infinity }: InboxPlace): boolean =>
  one.cursor > cursor || (one.cursor === cursor && (one.within ?? 0) > within);

/** A loss, or a busy or restarting board: all but what is wrong with the question itself. */
const passes = ({ status, code }: BoardError): boolean => status === 0 || status === 429 || status >= 500 || code === "unexpected_answer";
