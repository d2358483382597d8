// Tells the board what was delivered, where the courier was told to: signed, in few acknowledgements, and never in the way of a delivery.
import { acknowledge } from "../client/acks.ts";
import { BoardError } from "../client/board-error.ts";
import type { Board } from "../client/connect.ts";
import type { Signer } from "../client/key.ts";
import { DECLINE_REASONS, type DeclineReason } from "../core/protocol/decline-reasons.ts";
import type { CourierReport } from "./report.ts";
import type { DeliveryState, Unacked } from "./state.ts";

export interface AckDelivered {
  /** Whether what is delivered is to be acknowledged at all. */
  readonly wanted: boolean;
  /** The state without what the board has taken. */
  send(state: DeliveryState, signal: AbortSignal): Promise<DeliveryState>;
}

export const noAcks: AckDelivered = { wanted: false, send: async (state) => state };

/** So many ids one acknowledgement may name. */
const MOST_IDS = 64;

export interface CourierAckParts {
  readonly board: Board;
  readonly key: Signer;
  /** `seen`: only up to where it was delivered. `acted`: also that it was acted on, or declined. */
  readonly what: "seen" | "acted";
  readonly report: CourierReport;
}

export function acksOf({ board, key, what, report }: CourierAckParts): AckDelivered {
  // If the board says that this is too often, the next round tries again; deliveries continue meanwhile.
  const impatient = { ...board, attempts: 1, longestWaitS: 0 };
  return {
    wanted: true,
    async send(state, signal) {
      const { unacked } = state;
      const told = what === "seen" ? unacked : unacked.slice(0, MOST_IDS);
      const last = told.at(-1);
      if (last === undefined) return state;
      const rest = { ...state, unacked: unacked.slice(told.length) };
      try {
        await acknowledge(impatient, key, { seen: last.seq, ...(what === "acted" ? fates(told) : {}) }, { signal });
        return rest;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof BoardError)) throw error;
        if (isPassing(error)) return state;
        report.tell(`the board does not take the acknowledgement up to seq ${last.seq}: ${error.message}`);
        return rest;
      }
    },
  };
}

const isPassing = ({ status, code }: BoardError): boolean =>
  status === 0 || status === 429 || status >= 500 || code === "unexpected_answer";

function fates(told: readonly Unacked[]) {
  const acted = told.flatMap(({ id, why }) => (id === undefined || why !== undefined ? [] : [id]));
  const declined = told.flatMap(({ id, why }) => (id === undefined || why === undefined ? [] : [{ id, why: reasonOf(why) }]));
  return { ...(acted.length === 0 ? {} : { acted }), ...(declined.length === 0 ? {} : { declined }) };
}

const reasonOf = (why: string): DeclineReason => DECLINE_REASONS.find((one) => one === why) ?? "other";
