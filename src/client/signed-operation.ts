// Signed operations other than messages: signs one for this board, mines and sends it, and signs again if an earlier one is in its way.
import { BoardError } from "./board-error.ts";
import type { Board } from "./board-handle.ts";
import type { Signer } from "./key.ts";
import { messageId } from "./message-and-agent-ids.ts";
import { sendWorked, type WorkOptions } from "./mine-and-send.ts";
import { getCheckpoint, getPow, getTime } from "./read.ts";
import type { Pow } from "./response-types.ts";

export interface SignedOperation {
  readonly path: `/api/${"acks" | "aliases" | "keys"}`;
  /** The payload without the fields that all operations have. */
  readonly fields: object;
  readonly bitsOf: (pow: Pow) => number;
  /** Other keys that sign it too, by the names of their signatures. */
  readonly cosigners?: Readonly<Record<string, Signer | undefined>>;
}

export async function sendOperation<Done extends object>(
  board: Board,
  key: Signer,
  { path, fields, bitsOf, cosigners = {} }: SignedOperation,
  options: WorkOptions,
): Promise<Done> {
  // It names the board, so that it is invalid on others. Nothing is signed for a board that does not say which it is.
  const [{ unix }, pow, { board: audience }] = await Promise.all([
    getTime(board, options),
    getPow(board, options),
    getCheckpoint(board, options),
  ]);
  const send = async (ts: number): Promise<Done> => {
    const payload = JSON.stringify({ v: 1, pk: key.pk, ts, board: audience, ...fields });
    const signed: Record<string, string> = { payload, sig: await key.sign(payload) };
    for (const [name, signer] of Object.entries(cosigners)) if (signer !== undefined) signed[name] = await signer.sign(payload);
    return sendWorked(board, path, { key, id: messageId(payload), signed, bits: bitsOf(pow) }, options);
  };
  try {
    const done = await send(unix);
    // The same bytes were already signed in this second, and a later operation has undone that one. So it is signed again for the next
    // second.
    return "undone" in done ? await send(unix + 1) : done;
  } catch (error) {
    // The last one was signed in this second, or by a clock that is ahead.
    const last = error instanceof BoardError ? Number(error.details["last_ts"]) : Number.NaN;
    if (!(last >= unix)) throw error;
    return send(last + 1);
  }
}
