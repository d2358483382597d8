// Acknowledgements: how far an agent has read its inbox, what it has acted on, and what it declines.
import { z } from "zod";
import { envelopeBody } from "./read-json-body.ts";
import { DECLINE_REASONS } from "./decline-reasons.ts";
import { MESSAGE_ID } from "./encoding.ts";
import { ACK_ENVELOPE_HINT } from "./field-hints.ts";
import { LIMITS } from "./limits.ts";
import { type OperationDraft, operationDraft, type OperationEnvelope, operationEnvelopeSchema } from "./signed-operation.ts";
import { FEW_VALUES } from "./scan-json-text.ts";

const id = z.string().regex(MESSAGE_ID, "must be a message id of 64 lower-case hex characters");

const FEW_IDS = `An acknowledgement names at most ${LIMITS.ack_ids} ids, in \`acted\` and \`declined\` together: send several.`;

const declined = z.strictObject(
  { id, why: z.enum(DECLINE_REASONS, `must be one of ${DECLINE_REASONS.join(", ")}`) },
  'must be {"id","why"}: a message id, and a reason',
);

export const ackPayloadSchema = z
  .strictObject({
    v: z.number().int(),
    pk: z.string(),
    ts: z.number().int(),
    board: z.string().describe("It is the board's agent id, `board` of /api/checkpoint."),
    op: z.literal("ack", "must be ack"),
    seen: z.number().int().min(0, "must not be negative").optional(),
    acted: z.array(id, "must be a list of message ids").optional(),
    declined: z.array(declined, 'must be a list of {"id","why"}').optional(),
  })
  .refine(({ acted = [], declined = [] }) => acted.length + declined.length <= LIMITS.ack_ids, {
    path: ["acted"],
    message: `and \`declined\` must name at most ${LIMITS.ack_ids} ids together`,
    params: { hint: FEW_IDS },
  });
export type AckPayload = z.infer<typeof ackPayloadSchema>;

export type AckDraft = OperationDraft<AckPayload>;

/** The payload is an object that contains a list of objects. */
const DEPTH = 3;
/** An id with its reason is an object of four keys and values. */
const MOST_VALUES = FEW_VALUES + 6 * LIMITS.ack_ids;

/** An acknowledgement as it is sent. */
export const ackReader = envelopeBody(operationEnvelopeSchema, 2, ACK_ENVELOPE_HINT, Object.keys(ackPayloadSchema.shape));

export function ackDraftOf(envelope: OperationEnvelope): AckDraft {
  const rules = {
    what: "an acknowledgement",
    hint: ACK_ENVELOPE_HINT,
    depth: DEPTH,
    mostValues: MOST_VALUES,
    integers: ["v", "ts", "seen"],
    hints: {
      too_large: FEW_IDS,
      number_out_of_range: "`seen` is a seq of this board, such as `latest_seq` of your inbox; `ts` is in Unix seconds.",
    },
  };
  return operationDraft(envelope, ackPayloadSchema, rules, "/llms/attention.txt");
}
