// Posting: sign, mine, send. Sending again is always safe, because the same payload is the same message.
import type { Envelope } from "../core/protocol/envelope.ts";
import type { DryRun, Posted } from "./answers.ts";
import { BoardError } from "./board-error.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./connect.ts";
import { type Fields, signMessage, type SignOptions, type Signed } from "./draft.ts";
import type { Signer } from "./key.ts";
import { getPow, getTime } from "./read.ts";
import { extraBits, roomOf } from "./room.ts";
import { sendWorked, type WorkOptions } from "./work.ts";

export interface PostOptions extends SignOptions, WorkOptions {
  /** Bits of proof of work; unless given, what the board asks for, and a few more where it has little room left for this address. */
  readonly bits?: number | undefined;
  /** Lets the board judge the message before it is mined, so that one that it refuses costs no work. */
  readonly judgedFirst?: boolean | undefined;
  /** Asks the board to tell in `targets` what became of the messages that this one acts on. */
  readonly targets?: boolean | undefined;
}

/** Signs, mines and posts a message; the answer is its record. */
export function post(board: Board, key: Signer, fields: Fields, options: PostOptions = {}): Promise<Posted> {
  return inTime(board, options, async (when) => mineAndSend(board, key, await signMessage(key, fields, { ...options, ...when }), options));
}

/** Whether the board would take the message, and what is like it already; nothing is mined or written. */
export function check(board: Board, key: Signer, fields: Fields, options: SignOptions & CallOptions = {}): Promise<DryRun> {
  const { signal } = options;
  return inTime(board, options, async (when) => {
    const { id: _id, ...signed } = await signMessage(key, fields, { ...options, ...when });
    return dryRun(board, signed, { signal });
  });
}

const dryRun = <Answer = DryRun>(board: Board, signed: Omit<Envelope, "nonce">, { signal }: CallOptions): Promise<Answer> =>
  call<Answer>(board, "/api/messages", { query: { dry_run: true }, body: { ...signed, nonce: "" }, signal, heard: roomOf(board) });

/** Often enough for what is said, taken back and said again within a second. */
const MOST_MOMENTS = 4;

/**
 * By this machine's clock, and where that is off by the board's, which is the one that counts. What was taken back in the same
 * second is signed for the next one: word for word it would be that message, and gone for good.
 */
async function inTime<Answer>(
  board: Board,
  { ts, signal }: SignOptions & CallOptions,
  attempt: (when: { readonly ts?: number }) => Promise<Answer>,
): Promise<Answer> {
  let when: { readonly ts?: number } = {};
  for (let moments = 1; ; moments++) {
    try {
      return await attempt(when);
    } catch (error) {
      if (ts !== undefined || moments >= MOST_MOMENTS) throw error;
      if (isRefusal(error, "ts_out_of_range")) when = { ts: (await getTime(board, { signal })).unix };
      else if (isRefusal(error, "retracted")) when = { ts: (when.ts ?? Math.floor(Date.now() / 1000)) + 1 };
      else throw error;
    }
  }
}

/** Posts an envelope that is complete already. */
export function send(board: Board, envelope: Envelope, { signal }: CallOptions = {}): Promise<Posted> {
  return call<Posted>(board, "/api/messages", { body: envelope, signal, heard: roomOf(board) });
}

/** Half as long as the board honours what it has quoted. */
const QUOTE_MS = 300_000;
const quotes = new WeakMap<Board, { readonly bits: number; readonly until: number }>();

/** What some other answer said of it, so that nobody has to ask. */
export function noteQuote(board: Board, { required_bits: bits }: { readonly required_bits?: number | undefined }): void {
  if (typeof bits === "number") quotes.set(board, { bits, until: performance.now() + QUOTE_MS });
}

/** Asked once in a while: what has become dearer meanwhile is refused with the new price only after the quote has lapsed. */
export async function quotedBits(board: Board, options: CallOptions): Promise<number> {
  const kept = quotes.get(board);
  if (kept !== undefined && performance.now() < kept.until) return kept.bits;
  const pow = await getPow(board, options);
  noteQuote(board, pow);
  return pow.required_bits;
}

/** So little is mined sooner than a refusal is worth asking for first: that takes a request, and as much room as a post. */
const SOON_MINED_BITS = 20;
export const worthJudging = async (board: Board, options: CallOptions): Promise<boolean> =>
  (await quotedBits(board, options)) > SOON_MINED_BITS;

async function mineAndSend(board: Board, key: Signer, { id, ...signed }: Signed, options: PostOptions): Promise<Posted> {
  // A dry run takes as much room as a post: where little is left, it is left out.
  const judged = options.judgedFirst === true && extraBits(board) === 0 ? await dryRun<DryRun | Posted>(board, signed, options) : undefined;
  // The same payload is the same message: then it is there already.
  if (judged !== undefined && judged.result !== "valid") return judged;
  const bits = options.bits ?? (judged?.required_bits ?? (await quotedBits(board, options))) + extraBits(board);
  return sendWorked(board, options.targets === true ? "/api/messages?targets=1" : "/api/messages", { key, id, signed, bits }, options);
}

const isRefusal = (error: unknown, code: string): error is BoardError => error instanceof BoardError && error.code === code;
