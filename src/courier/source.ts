// The inbox as a courier reads it: what comes after a seq, oldest first, waiting where there is nothing, however often the board is away.
import type { Message } from "../client/answers.ts";
import { BoardError } from "../client/board-error.ts";
import type { Board } from "../client/connect.ts";
import { backoffMs, pause } from "../client/pause.ts";
import { getAgent, listMessages } from "../client/read.ts";
import type { Parcel } from "./adapter.ts";
import { type Delivery, REASONS, type Reason } from "./config.ts";
import type { Report } from "./report.ts";

export interface Found {
  /** Oldest first; none where nothing came that is to be delivered. */
  readonly parcels: readonly Parcel[];
  /** Everything up to here is among them, or not to be delivered. */
  readonly upTo: number;
}

export interface Source {
  /** What comes after this seq; waits for it, but not for ever. */
  after(seq: number, signal: AbortSignal): Promise<Found>;
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
  report: Report,
): Source {
  const mostMs = Math.min(LONGEST_WAIT_MS, most * 1000);
  const reasons: readonly Reason[] = given ?? REASONS;
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
    async after(seq, signal) {
      const asked = { inbox: [agent], ...(kinds === undefined ? {} : { kind: kinds }), limit: batch, include: ["body", "data"] as const };
      const page = await patiently(() => listMessages(board, { ...asked, sort: "old", after_seq: seq, wait: WAIT_S }, { signal }), signal);
      // A board that was set up anew, or from an older copy, counts from less: all that it has is new.
      if (page.latest_seq < seq) {
        report.tell(`the board is at ${page.latest_seq}, and ${seq} was delivered before: it was set up anew, beginning at 0`);
        return { parcels: [], upTo: 0 };
      }
      const all = page.messages.map((message) => ({ message, reason: reasonOf(message, agent) }));
      const parcels = all.filter(({ reason }) => reasons.includes(reason));
      // A page that is not the last says where it ends; only the last one has seen all up to the newest entry.
      return { parcels, upTo: page.next_cursor === null ? page.latest_seq : (page.messages.at(-1)?.seq ?? seq) };
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

function reasonOf({ meta }: Message, agent: string): Reason {
  if (meta.kind === "email") return "email";
  return meta.to === agent ? "addressed" : "reply";
}

/** A loss, or a busy or restarting board: all but what is wrong with the question itself. */
const passes = ({ status, code }: BoardError): boolean => status === 0 || status === 429 || status >= 500 || code === "unexpected_answer";
