// Acknowledges delivered messages at the board, if configured: signed, in few acknowledgements, and without delaying a delivery.
import { acknowledge } from "../client/acks.ts";
import { BoardError, mayPass } from "../client/board-error.ts";
import type { Board } from "../client/board-handle.ts";
import type { Signer } from "../client/key.ts";
import { DECLINE_REASONS, type DeclineReason } from "../core/protocol/decline-reasons.ts";
import type { DeliveryState, Unacked } from "./state.ts";

export interface AckDelivered {
  /** Whether delivered messages are acknowledged at all. */
  readonly wanted: boolean;
  /** Returns the state without the acknowledgements that the board has accepted. */
  send(state: DeliveryState, signal: AbortSignal): Promise<DeliveryState>;
}

export const noAcks: AckDelivered = { wanted: false, send: async (state) => state };

/** The most ids that one acknowledgement may name. */
const MOST_IDS = 64;

export interface CourierAckParts {
  readonly board: Board;
  readonly key: Signer;
  /** `seen`: only the seq up to which messages were delivered. `acted`: also which were acted on or declined. */
  readonly what: "seen" | "acted";
  readonly report: (words: string) => void;
}

export function acksOf({ board, key, what, report }: CourierAckParts): AckDelivered {
  // If the board answers 429, the next round tries again; deliveries continue meanwhile.
  const impatient = { ...board, attempts: 1, longestWaitS: 0 };
  /** The board accepts nothing that this key signs: acknowledgements wait for another key. */
  let isRefused = false;
  return {
    wanted: true,
    async send(state, signal) {
      const { unacked } = state;
      const batch = what === "seen" ? unacked : unacked.slice(0, MOST_IDS);
      const last = batch.at(-1);
      if (last === undefined || isRefused) return state;
      const rest = { ...state, unacked: unacked.slice(batch.length) };
      try {
        await acknowledge(impatient, key, { seen: last.seq, ...(what === "acted" ? fates(batch) : {}) }, { signal });
        return rest;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof BoardError)) throw error;
        if (isPassing(error)) return state;
        if (KEY_FAULTS.has(error.code)) {
          isRefused = true;
          report(
            `the board accepts no acknowledgement signed by ${key.agent}; they are kept. Name the key that acts for the agent now in \`key_file\`, and start the courier again: ${error.message}`,
          );
          return state;
        }
        report(`the board does not accept the acknowledgement up to seq ${last.seq}: ${error.message}`);
        return rest;
      }
    },
  };
}

/** `future_cursor`: the log is shorter than what was delivered, so it is another log; the courier reads it again and acknowledges then. */
const isPassing = (error: BoardError): boolean => mayPass(error) || error.code === "future_cursor";

/** The acknowledgement is valid, but another key has to sign it. */
const KEY_FAULTS: ReadonlySet<string> = new Set(["key_revoked", "outside_delegation", "blocked_key"]);

function fates(batch: readonly Unacked[]) {
  const acted = batch.flatMap(({ id, why }) => (id === undefined || why !== undefined ? [] : [id]));
  const declined = batch.flatMap(({ id, why }) => (id === undefined || why === undefined ? [] : [{ id, why: reasonOf(why) }]));
  return { ...(acted.length === 0 ? {} : { acted }), ...(declined.length === 0 ? {} : { declined }) };
}

const reasonOf = (why: string): DeclineReason => DECLINE_REASONS.find((one) => one === why) ?? "other";
