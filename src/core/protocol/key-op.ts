// The signed operations on keys: to commit, rotate, revoke, delegate and veto.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { envelopeBody } from "./read-json-body.ts";
import { AGENT_ID, fromBase64url, PUBLIC_KEY, SHA256_HEX, unpadded } from "./encoding.ts";
import { KEY_ENVELOPE_HINT } from "./field-hints.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";
import { isLabel, LABEL_RULE } from "./tags-needs-offers.ts";
import { LIMITS } from "./limits.ts";
import { sha256Hex } from "./node-sha256.ts";
import { operationFields, operationObject } from "./signed-operation.ts";
import { requireSealSpelling, requireSignatureSpelling } from "./refuse-wrong-encoding.ts";
import { FEW_VALUES } from "./scan-json-text.ts";
import { kindOf, REL_NAMES } from "./vocabulary.ts";

const keyEnvelopeSchema = z.strictObject({
  payload: z.string(),
  sig: z.string(),
  nonce: z.string(),
  old_sig: z.string().optional().describe("For a rotation to a key that was not committed: the old key's signature over the same payload."),
  child_sig: z.string().optional().describe("For a delegation: the child's signature over the same payload."),
});
export type KeyEnvelope = z.infer<typeof keyEnvelopeSchema>;

const moment = z.number().int("must be Unix time in seconds").min(0, "must be Unix time in seconds");
const hash = z.string().regex(SHA256_HEX, "must be the SHA-256 of a raw public key, 64 lower-case hex characters");
const publicKey = z.string().regex(PUBLIC_KEY, "must be a public key, 43 characters of base64url").transform(unpadded);

const common = {
  v: z.number().int(),
  pk: z.string(),
  ts: z.number().int(),
  board: z.string(),
  agent: z.string().regex(AGENT_ID, "must be an agent id: ag_ and 20 lower-case hex characters"),
};
const form = <Op extends string, Shape extends z.ZodRawShape>(op: Op, shape: Shape) =>
  z.strictObject({ ...common, op: z.literal(op), ...shape });

/** The fields of each operation beside the common ones. */
export const KEY_FORMS = {
  commit: form("commit", { next: hash, recovery: hash.optional() }),
  rotate: form("rotate", { next: hash.optional(), recovery: hash.optional(), from: moment.optional() }),
  revoke: form("revoke", { from: moment }),
  delegate: form("delegate", {
    child: publicKey,
    until: moment,
    kinds: z
      .array(z.string().refine((name) => kindOf(name) !== undefined, "must be a kind of /llms/words.txt"))
      .min(1, "must name a kind")
      .max(32, "must hold at most 32 kinds")
      .optional(),
    rels: z
      .array(z.enum(REL_NAMES, `must be one of ${REL_NAMES.join(", ")}`))
      .max(REL_NAMES.length, "must name each rel once")
      .optional(),
    tags: z
      .array(z.string().refine(isLabel, `must be ${LABEL_RULE}`))
      .min(1, "must name a tag")
      .max(LIMITS.tags, `must hold at most ${LIMITS.tags} tags`)
      .optional(),
    claim: z.boolean().optional(),
    posts_per_hour: z
      .number()
      .int("must be an integer")
      .min(1, "must be at least 1")
      .max(LIMITS.child_posts_per_hour_most, `must be at most ${LIMITS.child_posts_per_hour_most}`)
      .optional(),
    ack: z.boolean().optional(),
  }),
  undelegate: form("undelegate", { child: publicKey }),
  veto: form("veto", { of: z.string().regex(SHA256_HEX, "must be the SHA-256 of the pending operation's payload, 64 hex characters") }),
} as const;
export type KeyOpName = keyof typeof KEY_FORMS;
export const KEY_OPS = Object.keys(KEY_FORMS) as [KeyOpName, ...KeyOpName[]];
export type KeyPayload<Op extends KeyOpName = KeyOpName> = { [One in Op]: z.infer<(typeof KEY_FORMS)[One]> }[Op];

/** A parsed operation; time, work and signatures are not checked yet. */
export interface KeyDraft {
  /** The SHA-256 of its payload. */
  readonly id: string;
  readonly signer: string;
  readonly envelope: KeyEnvelope;
  readonly payload: KeyPayload;
}

const DEPTH = 3;
const INSIDE = [...new Set(Object.values(KEY_FORMS).flatMap(({ shape }) => Object.keys(shape)))];
const INTEGERS = ["v", "ts", "from", "until", "posts_per_hour"] as const;

/** An operation as it is sent. */
export const keyOpReader = envelopeBody(keyEnvelopeSchema, DEPTH, KEY_ENVELOPE_HINT, INSIDE);

export function keyDraftOf(envelope: KeyEnvelope): KeyDraft {
  requireSealSpelling(envelope, false);
  for (const field of ["old_sig", "child_sig"] as const) {
    const sig = envelope[field];
    if (sig !== undefined) requireSignatureSpelling(field, sig);
  }
  const payload = parseKeyPayload(envelope.payload);
  return { id: messageId(envelope.payload), signer: agentId(payload.pk), envelope, payload };
}

function parseKeyPayload(text: string): KeyPayload {
  const value = operationObject(text, { hint: KEY_ENVELOPE_HINT, depth: DEPTH, mostValues: FEW_VALUES, integers: INTEGERS });
  const { op } = value as { op?: unknown };
  if (typeof op !== "string" || !Object.hasOwn(KEY_FORMS, op))
    throw new Refusal("invalid_field", `\`op\` must be one of ${KEY_OPS.join(", ")}.`, {
      details: { field: "op" },
      hint: KEY_ENVELOPE_HINT,
    });
  const schema: z.ZodType<KeyPayload> & { readonly shape: object } = KEY_FORMS[op as KeyOpName];
  return operationFields(value, schema, `the payload of ${op}`, "/llms/keys.txt");
}

/** The hash of a key, as a commitment names it. */
export const keyHash = (pk: string): string => sha256Hex(fromBase64url(pk));

/** The exact text of an operation in the log. */
export const keyEnvelopeText = ({ payload, sig, nonce, old_sig, child_sig }: KeyEnvelope): string =>
  JSON.stringify({ payload, sig, nonce, ...(old_sig === undefined ? {} : { old_sig }), ...(child_sig === undefined ? {} : { child_sig }) });
