// What all signed operations other than messages have in common: the envelope, and how the text inside it is read.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { utf8Length } from "./encoding.ts";
import { MESSAGE_ADDRESS_HINT } from "./field-hints.ts";
import { LIMITS } from "./limits.ts";
import { INTEGER_HINT, parseJson, requireSchema } from "./payload.ts";
import { requireKeySpelling } from "./spelling.ts";
import { scanText } from "./text-scan.ts";

export const operationEnvelopeSchema = z.strictObject({ payload: z.string(), sig: z.string(), nonce: z.string() });
export type OperationEnvelope = z.infer<typeof operationEnvelopeSchema>;

export interface OperationRules {
  /** A description, such as "an alias operation". */
  readonly what: string;
  /** What to send instead of a value that is no object. */
  readonly hint: string;
  readonly depth: number;
  readonly mostValues: number;
  /** Fields that are written as integers. */
  readonly integers: readonly string[];
}

/** Before it is parsed. */
export function requireShort(text: string): void {
  if (text.length > LIMITS.operation_bytes || utf8Length(text) > LIMITS.operation_bytes)
    throw new Refusal("too_large", `\`payload\` is larger than ${LIMITS.operation_bytes} bytes, which no operation needs.`, {
      hint: "Leave out white space between the fields.",
    });
}

/** Parses the payload of an operation by its closed schema. */
export function operationPayload<Payload extends { readonly v: number; readonly pk: string }>(
  text: string,
  schema: z.ZodType<Payload> & { readonly shape: object },
  { what, hint, depth, mostValues, integers }: OperationRules,
): Payload {
  requireShort(text);
  const value = parseJson(text, "`payload`", { mostValues });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal("invalid_field", "`payload` must be one JSON object.", { hint });
  // Checked before the depth, which a message may exceed.
  if (Object.hasOwn(value, "kind") && !Object.hasOwn(value, "op"))
    throw new Refusal("invalid_field", `\`payload\` is a message, not ${what}: it has \`kind\`, and no \`op\`.`, {
      details: { field: "op" },
      hint: MESSAGE_ADDRESS_HINT,
    });
  const { notIntegers } = scanText(text, depth);
  for (const field of integers) {
    if (notIntegers.has(field))
      throw new Refusal("invalid_field", `\`${field}\` must be written as an integer.`, { details: { field }, hint: INTEGER_HINT });
  }
  const payload = requireSchema(schema, value, {
    unknown: () => `Leave the field out: the payload takes ${Object.keys(schema.shape).join(", ")}.`,
  });
  if (payload.v !== 1) throw new Refusal("unsupported_version", `\`v\` is ${payload.v}; this board speaks 1.`);
  requireKeySpelling(payload.pk);
  return payload;
}
