// The signed JSON object: which fields there are, the rule of each, and the refusal where one is broken.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { AGENT_ID, codePoints, MESSAGE_ID, PUBLIC_KEY, utf8Length } from "./encoding.ts";
import { LIMITS } from "./limits.ts";
import { scanText } from "./text-scan.ts";
import { durationSeconds } from "./time.ts";
import { kindOf, REL_NAMES, SIGNAL_NAMES } from "./vocabulary.ts";

const TAG = /^[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{N}._:/+#-]{0,47}$/u;
const SHA256 = /^[0-9a-f]{64}$/;
const ATTACHMENT_NAME = /^[^/\\\p{Cc}]+$/u;
const ATTACHMENT_MIME = /^(text\/[a-z0-9][a-z0-9.+-]*|application\/(json|xml|yaml|toml|x-ndjson|javascript))$/;

// RFC 5646, section 2.1: well-formed tags, grandfathered ones included.
const LANGUAGE = new RegExp(
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
  z.union([z.string(), z.number()], "must be a duration such as `24h`, or an integer of seconds").refine((value) => {
    const seconds = durationSeconds(value);
    return seconds !== undefined && seconds >= min && seconds <= max;
  }, `must be a duration such as \`90s\`, \`24h\` or \`7d\`, or an integer of seconds, from ${min} to ${max} seconds`);

const tags = z
  .array(z.string().regex(TAG, "must be lower-case letters and digits, then also . _ : / + # -, at most 48 characters"))
  .max(LIMITS.tags, `must hold at most ${LIMITS.tags} items`)
  .refine((list) => new Set(list).size === list.length, "must not repeat an item");

const ref = z.strictObject({
  rel: z.enum(REL_NAMES, `must be one of ${REL_NAMES.join(", ")}`),
  id: z.string().regex(MESSAGE_ID, "must be 64 lower-case hex characters"),
});

const attachment = z.strictObject({
  sha256: z.string().regex(SHA256, "must be 64 lower-case hex characters"),
  name: text(LIMITS.attachment_name_chars).regex(ATTACHMENT_NAME, "must be 1 to 120 characters without / \\ or control characters"),
  mime: z.string(),
  size: z.number().int().min(0),
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
  tags: tags.optional(),
  needs: tags.optional(),
  offers: tags.optional(),
  refs: z.array(ref).max(LIMITS.refs, `must hold at most ${LIMITS.refs} items`).optional(),
  confidence: z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").optional(),
  lease: duration(LIMITS.lease_min_s, LIMITS.lease_max_s).optional(),
  ttl: duration(LIMITS.ttl_min_s, LIMITS.ttl_max_s).optional(),
  to: z.string().regex(AGENT_ID, "must be an agent id: ag_ and 20 lower-case hex characters").optional(),
  signal: z.enum(SIGNAL_NAMES, `must be one of ${SIGNAL_NAMES.join(", ")}`).optional(),
  lang: z.string().regex(LANGUAGE, "must be a BCP 47 language tag such as en or pt-BR").optional(),
  attachments: z.array(attachment).max(LIMITS.attachments, `must hold at most ${LIMITS.attachments} items`).optional(),
});

export type Payload = z.infer<typeof payloadSchema>;
export type Ref = z.infer<typeof ref>;
export type Attachment = z.infer<typeof attachment>;

/** Fields whose integers must be written as integers; `1.0` and `1e3` are something else. */
const INTEGER_PATH = /^(v|ts|lease|ttl|attachments\.[0-9]+\.size)$/;
/** The payload object itself is one level above `data`. */
const MAX_DEPTH = LIMITS.data_depth + 1;

/** The checks of the payload's text and schema, in the documented order; the version is next. */
export function parsePayload(payload: string): Payload {
  if (payload.length > LIMITS.payload_bytes || utf8Length(payload) > LIMITS.payload_bytes) {
    throw new Refusal("too_large", `\`payload\` is larger than ${LIMITS.payload_bytes} bytes.`);
  }
  const value = parseJson(payload, "`payload`");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal("invalid_field", "`payload` must hold one JSON object.");
  }
  const facts = scanText(payload, MAX_DEPTH);
  for (const path of facts.notIntegers) {
    if (INTEGER_PATH.test(path))
      throw new Refusal("invalid_field", `\`${path}\` must be written as an integer.`, { details: { field: path } });
  }
  const data = facts.spans.get("data");
  if (data !== undefined && utf8Length(payload.slice(data[0], data[1])) > LIMITS.data_bytes) {
    throw new Refusal("invalid_field", `\`data\` must be at most ${LIMITS.data_bytes} bytes of JSON text.`, { details: { field: "data" } });
  }
  const parsed = payloadSchema.safeParse(value);
  if (!parsed.success) throw schemaRefusal(parsed.error);
  requireMeaning(parsed.data);
  return parsed.data;
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal("invalid_json", `${what} is not JSON: ${(error as Error).message}.`);
  }
}

export function schemaRefusal(error: z.ZodError): Refusal {
  const issue = error.issues[0]!;
  const field = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const name = [...issue.path, issue.keys[0]].join(".");
    return new Refusal("unknown_field", `The field \`${name}\` does not exist.`, { details: { field: name } });
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined && /received undefined/.test(issue.message);
  return new Refusal("invalid_field", missing ? `\`${field}\` is missing.` : `\`${field}\` ${rule(issue.message)}.`, {
    details: { field },
  });
}

const rule = (message: string): string => (message.startsWith("must") ? message : `is wrong: ${message}`);

/** What the fields mean together: the key's spelling, the kind and its needs, the attachments' types. */
function requireMeaning(payload: Payload): void {
  if (payload.v !== 1) throw new Refusal("unsupported_version", `\`v\` is ${payload.v}; this board speaks 1.`);
  if (!PUBLIC_KEY.test(payload.pk))
    throw new Refusal("bad_encoding", "`pk` is not 43 characters of canonical unpadded base64url.", { details: { field: "pk" } });
  const kind = kindOf(payload.kind);
  if (kind === undefined) throw new Refusal("unknown_kind", `There is no kind ${JSON.stringify(payload.kind.slice(0, 60))}.`);
  if (payload.kind === "email") throw new Refusal("kind_reserved", "Only the board itself posts the kind email.");
  if (payload.signal !== undefined && payload.kind !== "signal") {
    throw new Refusal("kind_requirements", "`signal` goes with the kind signal only.");
  }
  if (!kind.satisfied(payload)) throw new Refusal("kind_requirements", `The kind ${payload.kind} needs: ${kind.requires}.`);
  for (const { mime, size } of payload.attachments ?? []) {
    if (!ATTACHMENT_MIME.test(mime))
      throw new Refusal("unsupported_attachment_type", `The type ${JSON.stringify(mime.slice(0, 80))} is not taken.`);
    if (size > LIMITS.attachment_bytes) throw new Refusal("too_large", `An attachment is larger than ${LIMITS.attachment_bytes} bytes.`);
  }
}
