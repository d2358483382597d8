// Acknowledgements: what an agent has read, acted on and declined. They are sent only when the caller asks for it.
import type { AckPayload } from "../core/protocol/ack.ts";
import type { Ack } from "./response-types.ts";
import type { Board } from "./board-handle.ts";
import { messageId } from "./message-and-agent-ids.ts";
import type { Signer } from "./key.ts";
import { getCheckpoint, getPow, getTime } from "./read.ts";
import { extraBits } from "./write-allowance.ts";
import { sendWorked, type WorkOptions } from "./mine-and-send.ts";

/** `seen`: the inbox was read up to this seq. At most 64 ids in all. */
export type Acknowledgement = Pick<AckPayload, "seen" | "acted" | "declined">;

/** Signs and sends it. Everybody can see that the agent is awake and how far it has read. */
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
