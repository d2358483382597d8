// Mines and sends: with as many bits as the board asks for, and with more if that is faster than waiting.
import { isRefusal } from "./board-error.ts";
import { call, type CallOptions, type Request } from "./call.ts";
import type { Board } from "./board-handle.ts";
import type { Signer } from "./key.ts";
import { type Mine, mineHere, type MineOptions } from "./mine.ts";
import { pause } from "./pause.ts";
import { noteAllowance, turnInMs } from "./write-allowance.ts";

export interface WorkOptions extends CallOptions, MineOptions {
  readonly mine?: Mine | undefined;
}

/** The signed text, its signer, and the id to mine for. */
export interface UnminedRequest {
  readonly key: Signer;
  readonly id: string;
  readonly signed: object;
  readonly bits: number;
  /** The number of bits that would be enough, if `bits` is more than that. */
  readonly least?: number;
}

/** Enough attempts for a difficulty that rises during mining. */
const MOST_MININGS = 4;

/** Tries with this many bits, and again with more if the difficulty has risen meanwhile. */
export async function withWork<Answer>(bits: number, attempt: (bits: number) => Promise<Answer>): Promise<Answer> {
  for (let minings = 1, price = bits; ; minings++) {
    try {
      return await attempt(price);
    } catch (error) {
      const asked = isRefusal(error, "pow_insufficient") ? Number(error.details["required_bits"]) : Number.NaN;
      if (!(asked > price) || minings >= MOST_MININGS) throw error;
      price = asked;
    }
  }
}

/**
 * Mines and sends. If the address has reached its limit, it mines the bits that would be enough now while it waits, and sends again as soon
 * as either is done, because nobody knows which is faster.
 */
export async function sendWorked<Answer>(
  board: Board,
  path: string,
  { key, id, signed, bits, least = bits }: UnminedRequest,
  { mine = mineHere, ...options }: WorkOptions,
): Promise<Answer> {
  const sent = new AbortController();
  const signal = options.signal === undefined ? sent.signal : AbortSignal.any([sent.signal, options.signal]);
  let proved = 0;
  let mining: Promise<void> | undefined;
  const request: { -readonly [Field in keyof Request]: Request[Field] } = {
    signal: options.signal,
    onResponse: noteAllowance(board, key),
    async wait(ms, { details }) {
      const enough = Number(details["bits_for_now"]);
      // Mining continues where it stopped: no nonce is tried twice.
      if (enough > proved) mining ??= prove(enough);
      await Promise.race([pause(ms, signal), ...(mining === undefined ? [] : [mining])]);
    },
  };
  async function prove(price: number, within = signal): Promise<void> {
    request.body = { ...signed, nonce: await mine(id, price, { ...options, signal: within }) };
    proved = price;
    mining = undefined;
  }
  /** Additional bits are mined only for as long as waiting would take. */
  async function proveSoon(price: number): Promise<void> {
    const soon = AbortSignal.timeout(board.longestWaitS * 1000);
    try {
      await prove(price, AbortSignal.any([signal, soon]));
    } catch (error) {
      if (!soon.aborted) throw error;
      await prove(least);
    }
  }
  try {
    return await withWork(bits, async (price) => {
      await (price === bits && least < bits ? proveSoon(price) : prove(price));
      const ms = Math.min(turnInMs(key), board.longestWaitS * 1000);
      if (ms > 0) await pause(ms, signal);
      return call<Answer>(board, path, request);
    });
  } finally {
    sent.abort();
  }
}
