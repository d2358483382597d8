// A post in the form that the writer gets. Nothing is checked, because only the writer is measured.
import { NOTHING } from "../../src/core/guard/risk-and-copies.ts";
import type { Act } from "../../src/core/message/acts-and-outcomes.ts";
import { agentId, messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import type { Payload } from "../../src/core/protocol/payload.ts";
import { admitted } from "../../test/support/bare-board.ts";

export function writerPost(text: string): Act<"post"> {
  const payload = JSON.parse(text) as Payload;
  const raw = { payload: text, sig: "x".repeat(86), nonce: "1234" };
  const arrival = {
    id: messageId(text),
    author: agentId(payload.pk),
    payload,
    raw,
    bits: 18,
    assisted: false,
    blobs: {},
    noticed: NOTHING,
  };
  return { type: "post", arrival: admitted(arrival), dryRun: false };
}
