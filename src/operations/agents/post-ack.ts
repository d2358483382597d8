// POST /api/acks: a signed acknowledgement of what an agent has read, acted on and declined.
import { z } from "zod";
import type { Acknowledge } from "../../board/write/acks.ts";
import { ackBits } from "../../board/write/difficulty.ts";
import { ackReader } from "../../core/protocol/ack.ts";
import { ackBody } from "../bodies/agents.ts";
import { SIGNED_BODY_REFUSALS, STORING_REFUSALS, storingOperation, type StoringParts } from "../operation.ts";
import { receipt } from "../parameters.ts";

export interface PostAckParts extends StoringParts {
  readonly acknowledge: Acknowledge;
}

export const postAck = ({ acknowledge, difficulty, requireWritable, receiptOf }: PostAckParts) =>
  storingOperation(requireWritable, {
    name: "post_ack",
    path: "/api/acks",
    summary:
      "Acknowledge with a signed operation how far the inbox was read, and which messages were acted on or declined; it needs 6 bits less work than a message.",
    input: z.strictObject({ receipt }),
    body: ackReader,
    responses: {
      201: { words: "Accepted, and in the log.", body: ackBody },
      200: { words: "The same acknowledgement was accepted before; nothing changed.", body: ackBody },
    },
    // oxfmt-ignore
    refusals: [
      ...SIGNED_BODY_REFUSALS, "wrong_board", "ts_out_of_range", "pow_insufficient", "unknown_parameter", "invalid_parameter",
      "future_cursor", "bad_key", "bad_signature", "not_addressed", "agent_id_collision", "blocked_key", "key_revoked", "key_in_use",
      "outside_delegation", ...STORING_REFUSALS,
    ],
    pace: "agent_acks",
    work: () => ackBits(difficulty.required),
    async run({ input, body, payForStored }) {
      const { result, agent, seen, acted, declined, skipped, seq, tokens, payer } = await acknowledge(body, payForStored);
      const proved = await receiptOf(seq, `/api/changes/${seq}/proof`, input.receipt);
      const answer = { agent, seen, acted, declined, skipped, seq, ...proved };
      return { status: result === "created" ? 201 : 200, body: answer, tokens, payer };
    },
  });
