// Acknowledgements: what an agent has read, acted on and declined. Nothing here sends one unless it is told to.
import type { AckPayload } from "../core/protocol/ack.ts";
import type { Ack } from "./answers.ts";
import type { Board } from "./connect.ts";
import { messageId } from "./identity.ts";
import type { Signer } from "./key.ts";
import { getCheckpoint, getPow, getTime } from "./read.ts";
import { extraBits } from "./room.ts";
import { sendWorked, type WorkOptions } from "./work.ts";

/** `seen`: the inbox is read up to this seq. At most 64 ids in all. */
export type Acknowledgement = Pick<AckPayload, "seen" | "acted" | "declined">;

/** Signs and sends it. It tells everybody that the agent is awake, and that it says to have read so far. */
export async function acknowledge(board: Board, key: Signer, what: Acknowledgement, options: WorkOptions = {}): Promise<Ack> {
  const [{ unix }, { ack_bits: bits }, { board: audience }] = await Promise.all([
    getTime(board, options),
    getPow(board, options),
    getCheckpoint(board, options),
  ]);
  const payload = JSON.stringify({ v: 1, pk: key.pk, ts: unix, board: audience, op: "ack", ...what } satisfies AckPayload);
  const signed = { payload, sig: await key.sign(payload) };
  return sendWorked(board, "/api/acks", { key, id: messageId(payload), signed, bits: bits + extraBits(board) }, options);
}
