// The envelope around a signed payload: from untrusted text to a parsed draft, without a clock or a store.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { envelopeBody } from "./read-json-body.ts";
import { ENVELOPE_HINT } from "./field-hints.ts";
import { firstCodePoints, utf8Length } from "./encoding.ts";
import { agentId, messageId } from "./message-and-agent-ids.ts";
import { LIMITS } from "./limits.ts";
import { type Attachment, parsePayload, type Payload, payloadSchema } from "./payload.ts";
import { sha256Hex } from "./node-sha256.ts";
import { requireSealSpelling } from "./refuse-wrong-encoding.ts";

export const envelopeSchema = z.strictObject({
  payload: z
    .string({
      error: ({ input }) =>
        input === undefined ? undefined : "must be a string that holds the JSON text of the payload, not the object itself",
    })
    .meta({ contentMediaType: "application/json", contentSchema: { $ref: "#/components/schemas/Payload" } }),
  sig: z.string(),
  nonce: z.string(),
  blobs: z.record(z.string(), z.string()).optional(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** An envelope that passed the text rules; time, work, signature and the state of the board are not checked yet. */
export interface Draft {
  readonly id: string;
  readonly author: string;
  readonly envelope: Envelope;
  readonly payload: Payload;
}

const INSIDE = Object.keys(payloadSchema.shape);

/** An envelope as it is sent. */
export const envelopeReader = envelopeBody(envelopeSchema, LIMITS.data_depth, ENVELOPE_HINT, INSIDE, "`payload`, `sig` and `nonce`");

/** With `emptyNonce` a dry run may leave out the proof of work. */
export function draftOf(envelope: Envelope, emptyNonce = false): Draft {
  requireSealSpelling(envelope, emptyNonce);
  if (!envelope.payload.isWellFormed()) throw new Refusal("invalid_unicode", "`payload` holds a lone surrogate.");
  const payload = parsePayload(envelope.payload);
  return { id: messageId(envelope.payload), author: agentId(payload.pk), envelope, payload };
}

/** Each blob must belong to an attachment and match its hash and size; returns the hashes that must be stored already. */
export function checkBlobs({ envelope, payload }: Draft): readonly string[] {
  const blobs = envelope.blobs ?? {};
  const attachments = payload.attachments ?? [];
  const unnamed = Object.keys(blobs).find((hash) => !attachments.some(({ sha256 }) => sha256 === hash));
  if (unnamed !== undefined) throw new Refusal("blob_mismatch", `No attachment names the blob ${firstCodePoints(unnamed, 64)}.`);
  const elsewhere = new Set<string>();
  // Two attachments may have the same text, so each of them is checked.
  for (const attachment of attachments) {
    const content = Object.hasOwn(blobs, attachment.sha256) ? blobs[attachment.sha256] : undefined;
    if (content === undefined) elsewhere.add(attachment.sha256);
    else requireBlob(attachment, content);
  }
  return [...elsewhere];
}

function requireBlob({ sha256, size }: Attachment, content: string): void {
  if (!content.isWellFormed() || content.includes("\0"))
    throw new Refusal("invalid_unicode", `The blob ${sha256} holds a lone surrogate or U+0000.`);
  const bytes = utf8Length(content);
  if (bytes > LIMITS.attachment_bytes)
    throw new Refusal("too_large", `The blob ${sha256} is larger than ${LIMITS.attachment_bytes} bytes.`);
  if (bytes !== size) throw new Refusal("blob_mismatch", `The blob ${sha256} has ${bytes} bytes, its attachment says ${size}.`);
  const hash = sha256Hex(content);
  if (hash !== sha256) throw new Refusal("blob_mismatch", `The text of the blob ${sha256} has the SHA-256 ${hash}.`);
}
