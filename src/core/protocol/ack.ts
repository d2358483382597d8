// Acknowledgements: how far an agent has read its inbox, what it has acted on, and what it declines.
import { z } from "zod";
import { jsonBody } from "./read-json-body.ts";
import { DECLINE_REASONS } from "./decline-reasons.ts";
import { MESSAGE_ID, unpadded } from "./encoding.ts";
import { ACK_ENVELOPE_HINT, envelopeFieldHint } from "./field-hints.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";
import { LIMITS } from "./limits.ts";
import { type OperationEnvelope, operationEnvelopeSchema, operationPayload } from "./signed-operation.ts";
import { requireSealSpelling } from "./refuse-wrong-encoding.ts";
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

/** A parsed acknowledgement; board, time, work and signature are not checked yet. */
export interface AckDraft {
  readonly id: string;
  readonly agent: string;
  readonly envelope: OperationEnvelope;
  readonly payload: AckPayload;
}

/** The payload is an object that contains a list of objects. */
const DEPTH = 3;
/** An id with its reason is an object of four keys and values. */
const MOST_VALUES = FEW_VALUES + 6 * LIMITS.ack_ids;

/** An acknowledgement as it is sent. */
export const ackReader = jsonBody(operationEnvelopeSchema, {
  depth: 2,
  mostValues: FEW_VALUES,
  object: { hint: ACK_ENVELOPE_HINT },
  hints: { broken: ACK_ENVELOPE_HINT, unknown: (field) => envelopeFieldHint(field, Object.keys(ackPayloadSchema.shape)) },
});

export function ackDraftOf(envelope: OperationEnvelope): AckDraft {
  requireSealSpelling(envelope, false);
  const payload = operationPayload(envelope.payload, ackPayloadSchema, {
    what: "an acknowledgement",
    hint: ACK_ENVELOPE_HINT,
    manual: "/llms/attention.txt",
    depth: DEPTH,
    mostValues: MOST_VALUES,
    integers: ["v", "ts", "seen"],
    hints: {
      too_large: FEW_IDS,
      number_out_of_range: "`seen` is a seq of this board, such as `latest_seq` of your inbox; `ts` is in Unix seconds.",
    },
  });
  return { id: messageId(envelope.payload), agent: agentId(payload.pk), envelope, payload: { ...payload, pk: unpadded(payload.pk) } };
}
