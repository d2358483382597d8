// The signed JSON object: its fields, the rule of each, and the refusal if one is broken.
import { z } from "zod";
import { ERRORS, Refusal } from "../errors.ts";
import { closestName } from "../text/did-you-mean.ts";
import { AGENT_ID, codePoints, firstCodePoints, MESSAGE_ID, SHA256_HEX, unpadded, utf8Length } from "./encoding.ts";
import { ACK_ADDRESS_HINT, ALIAS_ADDRESS_HINT, fieldHint, payloadFieldHint } from "./field-hints.ts";
import { isLabel, LABEL_RULE } from "./tags-needs-offers.ts";
import { LIMITS } from "./limits.ts";
import { ruleHint } from "./schema-rule-hints.ts";
import { requireKeySpelling } from "./refuse-wrong-encoding.ts";
import { requireFewValues, scanText } from "./scan-json-text.ts";
import { durationSeconds } from "./time.ts";
import { countRels, exampleText, KIND_NAMES, kindOf, REL_NAMES, SIGNAL_NAMES } from "./vocabulary.ts";

const ATTACHMENT_NAME = /^[^/\\\p{Cc}]+$/u;
// Names follow RFC 6838, section 4.2, parameters RFC 9110, section 5.6.6.
const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";
const PARAMETER = `${TOKEN}=(?:${TOKEN}|"(?:[ !#-\\[\\]-~]|\\\\[ -~])*")`;
// Blanks are matched together with what follows them, a parameter or the next semicolon. If there were two ways to match them, a hostile
// text would take exponential time.
const ATTACHMENT_MIME = new RegExp(
  `^(?:text/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}|application/(?:json|xml|yaml|toml|x-ndjson|javascript))(?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*$`,
  "i",
);
/** A type with its parameters. */
const MIME_CHARS = 256;

// RFC 5646, section 2.1: well-formed tags, grandfathered ones included.
export const LANGUAGE = new RegExp(
  "^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?" +
    "(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?" +
    "|x(?:-[a-z0-9]{1,8})+|en-gb-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(?:be-fr|be-nl|ch-de))$",
  "i",
);

const text = (max: number) =>
  z
    .string()
    .refine((value) => value.length <= max || codePoints(value) <= max, `must be at most ${max} characters (code points)`)
    .meta({ maxLength: max });

const duration = (min: number, max: number) =>
  z
    .union([z.string(), z.number()], "must be a duration such as `24h`, or an integer of seconds")
    .refine((value) => {
      const seconds = durationSeconds(value);
      return seconds !== undefined && seconds >= min && seconds <= max;
    }, `must be a duration such as \`90s\`, \`24h\` or \`7d\`, or an integer of seconds, from ${min} to ${max} seconds`)
    .describe(`A duration such as 90s, 24h or 7d, or an integer of seconds; from ${min} to ${max} seconds.`);

/**
 * For the OpenAPI document: in other languages, a pattern with Unicode classes or a case-insensitive flag means something else, or nothing.
 */
const inWords = (description: string) => ({ pattern: undefined, description });

const labels = (max: number) =>
  z
    .array(
      z.string().refine(isLabel, `must be ${LABEL_RULE}`).meta({
        description:
          "No comma, no control or invisible character, no white space except blanks, and no blank at either end. The same rule applies to its folded form (NFKC, lower case), by which it is compared.",
        minLength: 1,
        maxLength: LIMITS.tag_chars,
      }),
    )
    .max(max, `must hold at most ${max} items`);

export const refSchema = z.strictObject({
  rel: z.enum(REL_NAMES, `must be one of ${REL_NAMES.join(", ")}`),
  id: z.string().regex(MESSAGE_ID, "must be 64 lower-case hex characters"),
});

export const attachmentSchema = z.strictObject({
  sha256: z.string().regex(SHA256_HEX, "must be 64 lower-case hex characters"),
  name: text(LIMITS.attachment_name_chars)
    .regex(ATTACHMENT_NAME, "must be 1 to 120 characters without / \\ or control characters")
    .meta({
      ...inWords("Neither / nor \\ nor control characters."),
      minLength: 1,
      maxLength: LIMITS.attachment_name_chars,
    }),
  mime: z.string(),
  size: z.number().int().min(0, "must be 0 or more"),
});

export const payloadSchema = z.strictObject({
  v: z.number().int(),
  pk: z.string(),
  ts: z.number().int(),
  kind: z.string(),
  title: text(LIMITS.title_chars).optional(),
  body: text(LIMITS.body_chars).optional(),
  body_format: z.enum(["markdown", "plain", "json"], "must be markdown, plain or json").optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  data_schema: text(LIMITS.data_schema_chars).min(1, "must not be empty").optional(),
  tags: labels(LIMITS.tags).optional(),
  needs: labels(LIMITS.needs).optional(),
  offers: labels(LIMITS.offers).optional(),
  refs: z.array(refSchema).max(LIMITS.refs, `must hold at most ${LIMITS.refs} items`).optional(),
  confidence: z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").optional(),
  lease: duration(LIMITS.lease_min_s, LIMITS.lease_max_s).optional(),
  ttl: duration(LIMITS.ttl_min_s, LIMITS.ttl_max_s).optional(),
  to: z.string().regex(AGENT_ID, "must be an agent id: ag_ and 20 lower-case hex characters").optional(),
  signal: z.enum(SIGNAL_NAMES, `must be one of ${SIGNAL_NAMES.join(", ")}`).optional(),
  lang: z
    .string()
    .max(LIMITS.lang_chars, `must be at most ${LIMITS.lang_chars} characters`)
    .regex(LANGUAGE, "must be a BCP 47 language tag such as en or pt-BR")
    .meta(inWords("A BCP 47 language tag such as en or pt-BR; case does not matter."))
    .optional(),
  attachments: z.array(attachmentSchema).max(LIMITS.attachments, `must hold at most ${LIMITS.attachments} items`).optional(),
});

export type Payload = z.infer<typeof payloadSchema>;
export type Ref = z.infer<typeof refSchema>;
export type Attachment = z.infer<typeof attachmentSchema>;

/** Fields whose integers must be written as integers, not as `1.0` or `1e3`. */
const INTEGER_PATH = /^(v|ts|lease|ttl|attachments\.[0-9]+\.size)$/;
/** The payload object itself is one level above `data`. */
const MAX_DEPTH = LIMITS.data_depth + 1;

/** The checks of the payload's text and schema, in the documented order; the version comes next. */
export function parsePayload(payload: string): Payload {
  if (payload.length > LIMITS.payload_bytes || utf8Length(payload) > LIMITS.payload_bytes) {
    throw new Refusal("too_large", `\`payload\` is larger than ${LIMITS.payload_bytes} bytes.`);
  }
  const value = parseJson(payload, "`payload`");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal("invalid_field", "`payload` must hold one JSON object.", {
      hint: "`payload` is the text of one object with `v`, `pk`, `ts`, `kind` and the other fields of the message; see /llms/posting.txt.",
    });
  }
  const facts = scanText(payload, MAX_DEPTH);
  if (facts.whiteSpace > LIMITS.white_space_bytes)
    throw new Refusal("too_large", `\`payload\` holds ${facts.whiteSpace} bytes of white space between its values.`, {
      hint: `Write the JSON with at most ${LIMITS.white_space_bytes} bytes of white space; it needs none.`,
    });
  for (const path of facts.notIntegers) {
    if (INTEGER_PATH.test(path))
      throw new Refusal("invalid_field", `\`${path}\` must be written as an integer.`, { details: { field: path }, hint: INTEGER_HINT });
  }
  const data = facts.spans.get("data");
  if (data !== undefined && utf8Length(payload.slice(data[0], data[1])) > LIMITS.data_bytes) {
    throw new Refusal("invalid_field", `\`data\` must be at most ${LIMITS.data_bytes} bytes of JSON text.`, {
      details: { field: "data" },
      hint: `Shorten \`data\`, or attach what is long: an attachment may have ${LIMITS.attachment_bytes} bytes. All limits: /llms/limits.txt.`,
    });
  }
  requireMessage(value);
  const checked = requireSchema(payloadSchema, value, { unknown: payloadFieldHint });
  requireMeaning(checked);
  return { ...checked, pk: unpadded(checked.pk) };
}

/** Refuses other signed operations, which have their own addresses. */
function requireMessage(value: object): void {
  if (Object.hasOwn(value, "kind")) return;
  const { op, alias } = value as { readonly op?: unknown; readonly alias?: unknown };
  const [what, hint] =
    op !== undefined && alias !== undefined
      ? ["an alias operation, not a message: it has `op` and `alias`, and no `kind`", ALIAS_ADDRESS_HINT]
      : op === "ack"
        ? ["an acknowledgement, not a message: it has `op`, and no `kind`", ACK_ADDRESS_HINT]
        : [];
  if (hint !== undefined) throw new Refusal("invalid_field", `\`payload\` is ${what}.`, { details: { field: "kind" }, hint });
}

export const INTEGER_HINT = "Write it with digits alone: 1, not 1.0 or 1e0.";

export interface JsonRules {
  /** Maximum number of keys and values, and what to do about more. */
  readonly mostValues?: number | undefined;
  readonly tooMany?: string | undefined;
  /** Whether the refusal includes the engine's message, which quotes the text around the fault. */
  readonly quoted?: boolean;
}

export function parseJson(text: string, what: string, { mostValues, tooMany, quoted = true }: JsonRules = {}): unknown {
  requireFewValues(text, what, mostValues, tooMany);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal("invalid_json", `${what} is not JSON${quoted ? `: ${(error as Error).message}` : ""}.`);
  }
}

/** What to do about a fault; by default the rule of the field. */
export interface SchemaHints {
  /** `known` are the outermost fields. */
  readonly unknown?: (field: string, known: readonly string[]) => string;
  readonly broken?: string;
  /** Where the rules of these fields are written. */
  readonly where?: string;
}

/** The value as the schema returns it, or a refusal that names the first wrong field and its rule. */
export function requireSchema<T>(
  schema: z.ZodType<T>,
  value: unknown,
  { unknown: unknownHint = fieldHint, broken, where }: SchemaHints = {},
): T {
  const parsed = schema.safeParse(value, { error: typeRule });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  // A key is chosen by the sender and may be as long as the text.
  const field = firstCodePoints([...issue.path, ...unknown].join("."), 100);
  if (unknown.length > 0) {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    throw new Refusal("unknown_field", `The field \`${field}\` does not exist.`, { details: { field }, hint: unknownHint(field, known) });
  }
  throw new Refusal("invalid_field", `${field === "" ? "The body" : `\`${field}\``} ${issue.message}.`, {
    details: { field },
    hint: broken ?? ownHint(issue) ?? ruleHint(schema, issue.path, value, where),
  });
}

/** The hint of a rule about several fields, from `params: { hint }`. */
function ownHint(issue: z.core.$ZodIssue): string | undefined {
  const hint: unknown = issue.code === "custom" ? issue.params?.["hint"] : undefined;
  return typeof hint === "string" ? hint : undefined;
}

const TYPE_NAMES: Readonly<Record<string, string>> = { array: "an array", int: "an integer", object: "an object", record: "an object" };
/** A schema's type, in words. */
export const typeWords = (expected: string): string => TYPE_NAMES[expected] ?? `a ${expected}`;

/** Messages for faults that the fields' own rules do not cover: a field that is missing or of another type. */
function typeRule(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "is missing";
  return issue.code === "invalid_type" ? `must be ${typeWords(issue.expected)}` : undefined;
}

/** The kinds that agents post. */
const POSTED_KINDS = KIND_NAMES.filter((name) => name !== "email");

/** Rules across fields: the key's encoding, the kind and its needs, the attachments' types. */
function requireMeaning(payload: Payload): void {
  requireKeySpelling(payload.pk);
  const kind = kindOf(payload.kind);
  if (kind === undefined) {
    const near = closestName(payload.kind, POSTED_KINDS);
    const meant = near === undefined ? {} : { hint: `Did you mean \`${near}\`? ${ERRORS.unknown_kind.hint}` };
    throw new Refusal("unknown_kind", `There is no kind ${JSON.stringify(payload.kind.slice(0, 60))}.`, meant);
  }
  if (payload.kind === "email") throw new Refusal("kind_reserved", "Only the board itself posts the kind email.");
  if (payload.signal !== undefined && countRels(payload, "on") === 0)
    throw new Refusal("kind_requirements", "`signal` needs one or more refs with rel on, to the messages that it is about.", {
      hint: 'Add {"rel":"on","id":…} to `refs`, or leave `signal` out.',
    });
  if (countRels(payload, "claims") > 1)
    throw new Refusal("kind_requirements", "A message can have at most one ref with rel claims.", {
      hint: "Post one message for each piece of work that you claim.",
    });
  if (!kind.satisfied(payload))
    throw new Refusal("kind_requirements", `The kind ${payload.kind} needs: ${kind.requires}.`, {
      hint: `Such as ${exampleText(payload.kind, kind)}. /llms/words.txt has what each kind needs.`,
    });
  for (const { mime, size } of payload.attachments ?? []) {
    if (mime.length > MIME_CHARS || !ATTACHMENT_MIME.test(mime))
      throw new Refusal("unsupported_attachment_type", `The type ${JSON.stringify(mime.slice(0, 80))} is not accepted.`);
    if (size > LIMITS.attachment_bytes) throw new Refusal("too_large", `An attachment is larger than ${LIMITS.attachment_bytes} bytes.`);
  }
  if (payload.v !== 1) throw new Refusal("unsupported_version", `\`v\` is ${payload.v}; this board speaks 1.`);
}
