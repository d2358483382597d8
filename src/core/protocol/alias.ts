// The signed operations on aliases.
import { z } from "zod";
import { requireAlias } from "./alias-name.ts";
import { jsonBody } from "./read-json-body.ts";
import { ALIAS_ENVELOPE_HINT, envelopeFieldHint } from "./field-hints.ts";
import { unpadded } from "./encoding.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";
import { type OperationEnvelope, operationEnvelopeSchema, operationPayload } from "./signed-operation.ts";
import { requireSealSpelling } from "./refuse-wrong-encoding.ts";
import { FEW_VALUES } from "./scan-json-text.ts";

const aliasPayloadSchema = z.strictObject({
  v: z.number().int(),
  pk: z.string(),
  ts: z.number().int(),
  op: z.enum(["claim", "release"], "must be claim or release"),
  alias: z.string(),
  board: z.string().optional(),
});
export type AliasPayload = z.infer<typeof aliasPayloadSchema>;

/** A parsed operation; time, work and signature are not checked yet. */
export interface AliasDraft {
  readonly id: string;
  readonly agent: string;
  readonly envelope: OperationEnvelope;
  readonly payload: AliasPayload;
}

const DEPTH = 2;

/** An operation as it is sent. */
export const aliasReader = jsonBody(operationEnvelopeSchema, {
  depth: DEPTH,
  mostValues: FEW_VALUES,
  object: { hint: ALIAS_ENVELOPE_HINT },
  hints: { broken: ALIAS_ENVELOPE_HINT, unknown: (field) => envelopeFieldHint(field, Object.keys(aliasPayloadSchema.shape)) },
});

/** With `emptyNonce` a dry run may leave out the proof of work. */
export function aliasDraftOf(envelope: OperationEnvelope, emptyNonce = false): AliasDraft {
  requireSealSpelling(envelope, emptyNonce);
  const payload = operationPayload(envelope.payload, aliasPayloadSchema, {
    what: "an alias operation",
    hint: ALIAS_ENVELOPE_HINT,
    manual: "/llms/aliases.txt",
    depth: DEPTH,
    mostValues: FEW_VALUES,
    integers: ["v", "ts"],
  });
  requireAlias(payload.alias);
  return { id: messageId(envelope.payload), agent: agentId(payload.pk), envelope, payload: { ...payload, pk: unpadded(payload.pk) } };
}
