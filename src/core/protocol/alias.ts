// The signed operations on aliases.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { requireAlias } from "./alias-name.ts";
import { jsonBody } from "./body.ts";
import { ALIAS_ENVELOPE_HINT, envelopeFieldHint, MESSAGE_ADDRESS_HINT } from "./field-hints.ts";
import { unpadded } from "./encoding.ts";
import { agentId, messageId } from "./identity.ts";
import { LIMITS } from "./limits.ts";
import { INTEGER_HINT, parseJson, requireSchema } from "./payload.ts";
import { requireKeySpelling, requireSealSpelling } from "./spelling.ts";
import { FEW_VALUES, scanText } from "./text-scan.ts";

const aliasEnvelopeSchema = z.strictObject({ payload: z.string(), sig: z.string(), nonce: z.string() });
type AliasEnvelope = z.infer<typeof aliasEnvelopeSchema>;

const aliasPayloadSchema = z.strictObject({
  v: z.number().int(),
  pk: z.string(),
  ts: z.number().int(),
  op: z.enum(["claim", "release"], "must be claim or release"),
  alias: z.string(),
  board: z.string().optional(),
});
export type AliasPayload = z.infer<typeof aliasPayloadSchema>;

/** A parsed operation; time, work and signature are still to be checked. */
export interface AliasDraft {
  readonly id: string;
  readonly agent: string;
  readonly envelope: AliasEnvelope;
  readonly payload: AliasPayload;
}

const DEPTH = 2;

/** An operation as it is sent. */
export const aliasReader = jsonBody(aliasEnvelopeSchema, {
  depth: DEPTH,
  mostValues: FEW_VALUES,
  object: { hint: ALIAS_ENVELOPE_HINT },
  hints: { broken: ALIAS_ENVELOPE_HINT, unknown: (field) => envelopeFieldHint(field, Object.keys(aliasPayloadSchema.shape)) },
});

/** `emptyNonce` lets a dry run leave the work for later. */
export function aliasDraftOf(envelope: AliasEnvelope, emptyNonce = false): AliasDraft {
  requireSealSpelling(envelope, emptyNonce);
  const payload = parseAliasPayload(envelope.payload);
  return { id: messageId(envelope.payload), agent: agentId(payload.pk), envelope, payload };
}

function parseAliasPayload(text: string): AliasPayload {
  if (text.length > LIMITS.payload_bytes) throw new Refusal("too_large");
  const value = parseJson(text, "`payload`", { mostValues: FEW_VALUES });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal("invalid_field", "`payload` must be one JSON object.", { hint: ALIAS_ENVELOPE_HINT });
  // Before the depth, which a message may exceed.
  if (Object.hasOwn(value, "kind") && !Object.hasOwn(value, "op"))
    throw new Refusal("invalid_field", "`payload` is a message, not an alias operation: it has `kind`, and no `op`.", {
      details: { field: "op" },
      hint: MESSAGE_ADDRESS_HINT,
    });
  const { notIntegers } = scanText(text, DEPTH);
  for (const field of ["v", "ts"]) {
    if (notIntegers.has(field))
      throw new Refusal("invalid_field", `\`${field}\` must be written as an integer.`, { details: { field }, hint: INTEGER_HINT });
  }
  const payload = requireSchema(aliasPayloadSchema, value, {
    unknown: () => `Leave the field out: the payload takes ${Object.keys(aliasPayloadSchema.shape).join(", ")}.`,
  });
  if (payload.v !== 1) throw new Refusal("unsupported_version", `\`v\` is ${payload.v}; this board speaks 1.`);
  requireKeySpelling(payload.pk);
  requireAlias(payload.alias);
  return { ...payload, pk: unpadded(payload.pk) };
}
