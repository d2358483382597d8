// The one reader of JSON bodies: from a request's text to a value of a schema, or a refusal that says what would be right.
import { z } from "zod";
import { ERRORS, Refusal } from "../errors.ts";
import { envelopeFieldHint } from "./field-hints.ts";
import { parseJson, requireSchema, type SchemaHints } from "./payload.ts";
import { FEW_VALUES, scanText } from "./scan-json-text.ts";

/** How a body is read, and its documentation. */
export interface BodyReader<Value> {
  /** Undefined if the body may be left out; then it is not documented. */
  readonly schema?: z.ZodType;
  read(text: string): Value;
}

export interface BodyRules {
  /** Maximum nesting. If it is given, the text is also scanned for faults that parsing hides. */
  readonly depth?: number;
  /** Maximum number of keys and values. */
  readonly mostValues?: number;
  /** For a caller that sends no object: the available fields, and what to do. */
  readonly object?: { readonly fields?: string | undefined; readonly hint: string };
  readonly hints?: SchemaHints;
}

export function jsonBody<Value>(schema: z.ZodType<Value>, rules: BodyRules): BodyReader<Value> {
  return { schema, read: (text) => readJson(schema, text, rules) };
}

/** The reader of an envelope; `inside` are the fields that belong into its payload. */
export const envelopeBody = <Value>(schema: z.ZodType<Value>, depth: number, hint: string, inside: readonly string[], fields?: string) =>
  jsonBody(schema, {
    depth,
    mostValues: FEW_VALUES,
    object: { fields, hint },
    hints: { broken: hint, unknown: (field) => envelopeFieldHint(field, inside) },
  });

/**
 * Like `jsonBody`, for a body that may contain a secret key. Refusals quote only names of known fields, because any other part may be a key
 * in the wrong place.
 */
export function secretBody<Value>(schema: z.ZodType<Value> & { readonly shape: object }, depth: number, hint: string): BodyReader<Value> {
  return {
    schema,
    read(text) {
      try {
        return readJson(schema, text, { depth, object: { hint } }, false);
      } catch (error) {
        // Other errors may quote the body too.
        throw error instanceof Refusal
          ? unquoted(error, Object.keys(schema.shape), hint)
          : new Refusal("invalid_json", "The body is not JSON.");
      }
    },
  };
}

function readJson<Value>(schema: z.ZodType<Value>, text: string, rules: BodyRules, quoted = true): Value {
  const { depth, mostValues, object, hints } = rules;
  const value = parseJson(text, "The body", { mostValues, quoted });
  if (object !== undefined && (typeof value !== "object" || value === null || Array.isArray(value)))
    throw new Refusal("invalid_field", `The body must be one JSON object${object.fields === undefined ? "" : ` with ${object.fields}`}.`, {
      hint: object.hint,
    });
  if (depth !== undefined) scanText(text, depth);
  return requireSchema(schema, value, hints);
}

function unquoted(refusal: Refusal, known: readonly string[], hint: string): Refusal {
  const { code, message, details } = refusal;
  const path = details?.["field"];
  if (typeof path !== "string") return refusal;
  const own = code === "invalid_field" || code === "unknown_field" ? hint : `${hint} ${ERRORS[code].hint}`;
  if (known.includes(path)) return new Refusal(code, message, { hint: own, details: { field: path } });
  const field = known.find((name) => path.startsWith(`${name}.`));
  if (field === undefined) return new Refusal(code, undefined, { hint: own });
  return new Refusal(code, `Inside \`${field}\`: ${ERRORS[code].meaning}`, { hint: own, details: { field } });
}
