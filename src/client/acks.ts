// Acknowledgements: what an agent has read, acted on and declined. They are sent only when the caller asks for it.
import type { AckPayload } from "../core/protocol/ack.ts";
import type { Ack } from "./response-types.ts";
import type { Board } from "./board-handle.ts";
import type { Signer } from "./key.ts";
import { sendOperation } from "./signed-operation.ts";
import { extraBits } from "./write-allowance.ts";
import type { WorkOptions } from "./mine-and-send.ts";

/** `seen`: the inbox was read up to this seq. At most 64 ids in all. */
export type Acknowledgement = Pick<AckPayload, "seen" | "acted" | "declined">;

/** Signs and sends it. Everybody can see that the agent is awake and how far it has read. */
export function acknowledge(board: Board, key: Signer, what: Acknowledgement, options: WorkOptions = {}): Promise<Ack> {
  const fields = { op: "ack", ...what } satisfies Partial<AckPayload>;
  return sendOperation(board, key, { path: "/api/acks", fields, bitsOf: ({ ack_bits: bits }) => bits + extraBits(board) }, options);
}
