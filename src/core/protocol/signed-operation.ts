// What all signed operations other than messages have in common: the envelope, and how the text inside it is read.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { unpadded, utf8Length } from "./encoding.ts";
import { MESSAGE_ADDRESS_HINT } from "./field-hints.ts";
import { LIMITS } from "./limits.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";
import { INTEGER_HINT, parseJson, requireSchema } from "./payload.ts";
import { requireKeySpelling, requireSealSpelling } from "./refuse-wrong-encoding.ts";
import { scanText, type TextFacts } from "./scan-json-text.ts";

export const operationEnvelopeSchema = z.strictObject({ payload: z.string(), sig: z.string(), nonce: z.string() });
export type OperationEnvelope = z.infer<typeof operationEnvelopeSchema>;

/** A parsed operation; board, time, work and signature are not checked yet. */
export interface OperationDraft<Payload> {
  readonly id: string;
  readonly agent: string;
  readonly envelope: OperationEnvelope;
  readonly payload: Payload;
}

interface OperationRules {
  /** A description, such as "an alias operation", for the refusal of a message that was sent here. */
  readonly what?: string;
  /** What to send instead of a value that is no object. */
  readonly hint: string;
  readonly depth: number;
  readonly mostValues: number;
  /** Fields that are written as integers. */
  readonly integers: readonly string[];
  /**
   * Hints that differ from those of messages: for a payload that is too long or has too many values, and for a number that is too large.
   */
  readonly hints?: Partial<Record<"too_large" | "number_out_of_range", string>>;
}

/** The object in the text of an operation, of which only the text was checked. */
export function operationObject(text: string, { what, hint, depth, mostValues, integers, hints = {} }: OperationRules): object {
  // Refused before it is parsed.
  if (text.length > LIMITS.operation_bytes || utf8Length(text) > LIMITS.operation_bytes)
    throw new Refusal("too_large", `\`payload\` is larger than ${LIMITS.operation_bytes} bytes, which no operation needs.`, {
      hint: hints.too_large ?? "Leave out white space between the fields.",
    });
  const value = parseJson(text, "`payload`", { mostValues, tooMany: hints.too_large });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal("invalid_field", "`payload` must be one JSON object.", { hint });
  // Checked before the depth: a message may be nested deeper, and should get this refusal.
  if (what !== undefined && Object.hasOwn(value, "kind") && !Object.hasOwn(value, "op"))
    throw new Refusal("invalid_field", `\`payload\` is a message, not ${what}: it has \`kind\`, and no \`op\`.`, {
      details: { field: "op" },
      hint: MESSAGE_ADDRESS_HINT,
    });
  const { notIntegers } = scanned(text, depth, hints.number_out_of_range);
  const field = integers.find((name) => notIntegers.has(name));
  if (field !== undefined)
    throw new Refusal("invalid_field", `\`${field}\` must be written as an integer.`, { details: { field }, hint: INTEGER_HINT });
  return value;
}

/** The fields of an operation by its closed schema, which `taker` has; `manual` is the part of the manual that describes them. */
export function operationFields<Payload extends { readonly v: number; readonly pk: string }>(
  value: object,
  schema: z.ZodType<Payload> & { readonly shape: object },
  taker: string,
  manual: string,
): Payload {
  const payload = requireSchema(schema, value, {
    unknown: () => `Leave the field out: ${taker} takes ${Object.keys(schema.shape).join(", ")}.`,
    where: `The fields: ${manual}.`,
  });
  if (payload.v !== 1) throw new Refusal("unsupported_version", `\`v\` is ${payload.v}; this board speaks 1.`);
  requireKeySpelling(payload.pk);
  return { ...payload, pk: unpadded(payload.pk) };
}

/** With `emptyNonce` a dry run may leave out the proof of work. */
export function operationDraft<Payload extends { readonly v: number; readonly pk: string }>(
  envelope: OperationEnvelope,
  schema: z.ZodType<Payload> & { readonly shape: object },
  rules: OperationRules,
  manual: string,
  emptyNonce = false,
): OperationDraft<Payload> {
  requireSealSpelling(envelope, emptyNonce);
  const payload = operationFields(operationObject(envelope.payload, rules), schema, "the payload", manual);
  return { id: messageId(envelope.payload), agent: agentId(payload.pk), envelope, payload };
}

function scanned(text: string, depth: number, hint: string | undefined): TextFacts {
  try {
    return scanText(text, depth);
  } catch (error) {
    if (hint === undefined || !(error instanceof Refusal) || error.code !== "number_out_of_range") throw error;
    throw new Refusal(error.code, error.message, { ...(error.details === undefined ? {} : { details: error.details }), hint });
  }
}
