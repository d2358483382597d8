// What a refusal in the vectors says, and the nonce that earns one.
import type { ErrorCode } from "../src/core/errors.ts";
import { messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import { workBits } from "../src/core/protocol/proof-of-work.ts";

export interface RefusalCase {
  readonly name: string;
  readonly code: ErrorCode;
  readonly status: number;
  /** The body of the POST, as text. */
  readonly body: string;
}

/** The first nonce that falls one bit short. */
export function shortOf(payload: string, bits: number): string {
  const id = messageId(payload);
  for (let n = 0; ; n++) if (workBits(id, String(n)) === bits - 1) return String(n);
}
