// The signed operations on aliases.
import { z } from "zod";
import { requireAlias } from "./alias-name.ts";
import { envelopeBody } from "./read-json-body.ts";
import { ALIAS_ENVELOPE_HINT } from "./field-hints.ts";
import { type OperationDraft, operationDraft, type OperationEnvelope, operationEnvelopeSchema } from "./signed-operation.ts";
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

export type AliasDraft = OperationDraft<AliasPayload>;

const DEPTH = 2;

/** An operation as it is sent. */
export const aliasReader = envelopeBody(operationEnvelopeSchema, DEPTH, ALIAS_ENVELOPE_HINT, Object.keys(aliasPayloadSchema.shape));

/** With `emptyNonce` a dry run may leave out the proof of work. */
export function aliasDraftOf(envelope: OperationEnvelope, emptyNonce = false): AliasDraft {
  const rules = { what: "an alias operation", hint: ALIAS_ENVELOPE_HINT, depth: DEPTH, mostValues: FEW_VALUES, integers: ["v", "ts"] };
  const draft = operationDraft(envelope, aliasPayloadSchema, rules, "/llms/aliases.txt", emptyNonce);
  requireAlias(draft.payload.alias);
  return draft;
}
