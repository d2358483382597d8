// Posts a message: sign, mine, send. Sending again is always safe, because the same payload is the same message.
import type { Envelope } from "../core/protocol/envelope.ts";
import type { DryRun, Posted } from "./response-types.ts";
import { isRefusal } from "./board-error.ts";
import { call, type CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { type Fields, signMessage, type SignOptions, type Signed } from "./sign-message.ts";
import type { Signer } from "./key.ts";
import { queryString } from "./query.ts";
import { getPow, getTime } from "./read.ts";
import { extraBits, noteAllowance } from "./write-allowance.ts";
import { sendWorked, type WorkOptions } from "./mine-and-send.ts";

export interface PostOptions extends SignOptions, WorkOptions {
  /** Bits of proof of work; unless given, as many as the board asks for, and a few more if this address is near its limit. */
  readonly bits?: number | undefined;
  /** Lets the board check the message before it is mined, so that a refused message costs no work. */
  readonly judgedFirst?: boolean | undefined;
  /** Asks for the new state of the messages that this one acts on, in `targets`. */
  readonly targets?: boolean | undefined;
  /** Asks for a receipt, which proves the message offline; the answer then also has `raw`, the message that the receipt is about. */
  readonly receipt?: boolean | undefined;
}

/** Signs, mines and posts a message; the answer is its record. */
export function post(board: Board, key: Signer, fields: Fields, options: PostOptions = {}): Promise<Posted> {
  return inTime(board, options, async (when) => mineAndSend(board, key, await signMessage(key, fields, { ...options, ...when }), options));
}

/** Whether the board would accept the message, and similar messages; nothing is mined or written. */
export function check(board: Board, key: Signer, fields: Fields, options: SignOptions & CallOptions = {}): Promise<DryRun> {
  const { signal } = options;
  return inTime(board, options, async (when) => {
    const { id: _id, ...signed } = await signMessage(key, fields, { ...options, ...when });
    return dryRun(board, signed, { signal });
  });
}

const dryRun = <Answer = DryRun>(
  board: Board,
  signed: Omit<Envelope, "nonce">,
  { signal, receipt }: Pick<PostOptions, "signal" | "receipt">,
): Promise<Answer> => {
  const query = { dry_run: true, receipt: asked(receipt) };
  return call<Answer>(board, "/api/messages", { query, body: { ...signed, nonce: "" }, signal, onResponse: noteAllowance(board) });
};

const asked = (flag: boolean | undefined): true | undefined => flag || undefined;

/** Enough attempts for a message that is posted, retracted and posted again within a second. */
const MOST_MOMENTS = 4;

/**
 * Signs by this machine's clock, or by the board's if that differs too much. If the same message was retracted in the same second,
 * it is signed with the next second, because with the same bytes it would be the retracted message.
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

/** Posts a complete envelope. */
export function send(board: Board, envelope: Envelope, { signal }: CallOptions = {}): Promise<Posted> {
  return call<Posted>(board, "/api/messages", { body: envelope, signal, onResponse: noteAllowance(board) });
}

/** Half of the time for which a quoted difficulty is valid. */
const QUOTE_MS = 300_000;
const quotes = new WeakMap<Board, { readonly bits: number; readonly until: number }>();

/** Stores the difficulty from another answer, which saves a request. */
export function noteQuote(board: Board, { required_bits: bits }: { readonly required_bits?: number | undefined }): void {
  if (typeof bits === "number") quotes.set(board, { bits, until: performance.now() + QUOTE_MS });
}

/** Requested now and then: a higher difficulty is enforced only after the old quote has expired. */
export async function quotedBits(board: Board, options: CallOptions): Promise<number> {
  const quote = quotes.get(board);
  if (quote !== undefined && performance.now() < quote.until) return quote.bits;
  const pow = await getPow(board, options);
  noteQuote(board, pow);
  return pow.required_bits;
}

/** With fewer bits than this, mining is faster than a check beforehand, which takes a request and counts as a write. */
const SOON_MINED_BITS = 20;
export const worthJudging = async (board: Board, options: CallOptions): Promise<boolean> =>
  (await quotedBits(board, options)) > SOON_MINED_BITS;

async function mineAndSend(board: Board, key: Signer, draft: Signed, options: PostOptions): Promise<Posted> {
  const posted = await sendDraft(board, key, draft, options);
  const { sig, nonce } = posted;
  return options.receipt === true ? { ...posted, raw: { payload: draft.payload, sig, nonce } } : posted;
}

async function sendDraft(board: Board, key: Signer, { id, ...signed }: Signed, options: PostOptions): Promise<Posted> {
  // A dry run counts as a write, so it is left out near the limit.
  const judged = options.judgedFirst === true && extraBits(board) === 0 ? await dryRun<DryRun | Posted>(board, signed, options) : undefined;
  // The same payload is the same message, so it was stored.
  if (judged !== undefined && judged.result !== "valid") return judged;
  const least = options.bits ?? judged?.required_bits ?? (await quotedBits(board, options));
  const bits = options.bits ?? least + extraBits(board);
  const path = `/api/messages${queryString({ targets: asked(options.targets), receipt: asked(options.receipt) })}`;
  return sendWorked(board, path, { key, id, signed, bits, least }, options);
}
