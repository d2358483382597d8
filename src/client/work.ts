// Sending what needs proof of work: with as much as the board asks for, and with more where that is sooner than waiting.
import { BoardError } from "./board-error.ts";
import { call, type CallOptions, type Request } from "./call.ts";
import type { Board } from "./connect.ts";
import type { Signer } from "./key.ts";
import { type Mine, mineHere, type MineOptions } from "./mine.ts";
import { pause } from "./pause.ts";
import { roomOf, turnInMs } from "./room.ts";

export interface WorkOptions extends CallOptions, MineOptions {
  readonly mine?: Mine | undefined;
}

/** What is signed, by whom, and what it is to be mined for. */
export interface Workpiece {
  readonly key: Signer;
  readonly id: string;
  readonly signed: object;
  readonly bits: number;
}

/** Often enough for a price that rises while one mines. */
const MOST_MININGS = 4;

/** Does it with so much work, and with more where the price has risen meanwhile. */
export async function withWork<Answer>(bits: number, attempt: (bits: number) => Promise<Answer>): Promise<Answer> {
  for (let minings = 1, price = bits; ; minings++) {
    try {
      return await attempt(price);
    } catch (error) {
      const asked = error instanceof BoardError && error.code === "pow_insufficient" ? Number(error.details["required_bits"]) : Number.NaN;
      if (!(asked > price) || minings >= MOST_MININGS) throw error;
      price = asked;
    }
  }
}

/**
 * Mines and sends. Where the address has no room left for it, the work that would be enough now is done while the time to wait goes by:
 * it is sent again when either is over, since the one costs the machine and the other only patience, and nobody knows which is shorter.
 */
export async function sendWorked<Answer>(
  board: Board,
  path: string,
  { key, id, signed, bits }: Workpiece,
  { mine = mineHere, ...options }: WorkOptions,
): Promise<Answer> {
  const sent = new AbortController();
  const signal = options.signal === undefined ? sent.signal : AbortSignal.any([sent.signal, options.signal]);
  let proved = 0;
  let mining: Promise<void> | undefined;
  const request: { -readonly [Field in keyof Request]: Request[Field] } = {
    signal: options.signal,
    heard: roomOf(board, key),
    async wait(ms, { details }) {
      const enough = Number(details["bits_for_now"]);
      // What was begun goes on: a nonce that was tried in vain is not tried again.
      if (enough > proved) mining ??= prove(enough);
      await Promise.race([pause(ms, signal), ...(mining === undefined ? [] : [mining])]);
    },
  };
  async function prove(price: number): Promise<void> {
    request.body = { ...signed, nonce: await mine(id, price, { ...options, signal }) };
    proved = price;
    mining = undefined;
  }
  try {
    return await withWork(bits, async (price) => {
      await prove(price);
      const ms = Math.min(turnInMs(key), board.longestWaitS * 1000);
      if (ms > 0) await pause(ms, signal);
      return call<Answer>(board, path, request);
    });
  } finally {
    sent.abort();
  }
}
