// The envelope around a signed payload: from untrusted text to a parsed draft, without a clock or a store.
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { NONCE, SIGNATURE, utf8Length } from "./encoding.ts";
import { agentId, messageId } from "./identity.ts";
import { LIMITS } from "./limits.ts";
import { parseJson, parsePayload, type Payload, schemaRefusal } from "./payload.ts";
import { sha256Hex } from "./sha256.ts";
import { scanText } from "./text-scan.ts";

export const envelopeSchema = z.strictObject({
  payload: z.string(),
  sig: z.string(),
  nonce: z.string(),
  blobs: z.record(z.string(), z.string()).optional(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** An envelope whose text rules hold; nothing about time, work, signature or the board is known yet. */
export interface Draft {
  readonly id: string;
  readonly author: string;
  readonly envelope: Envelope;
  readonly payload: Payload;
}

/** `body` is the request's text; `emptyNonce` lets a dry run leave the work for later. */
export function readEnvelope(body: string, emptyNonce = false): Draft {
  const value = parseJson(body, "The body");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal("invalid_field", "The body must be one JSON object with `payload`, `sig` and `nonce`.");
  }
  scanText(body, LIMITS.data_depth);
  const parsed = envelopeSchema.safeParse(value);
  if (!parsed.success) throw schemaRefusal(parsed.error);
  return draft(parsed.data, emptyNonce);
}

function draft(envelope: Envelope, emptyNonce: boolean): Draft {
  if (!SIGNATURE.test(envelope.sig)) {
    throw new Refusal("bad_encoding", "`sig` is not 86 characters of canonical unpadded base64url.", { details: { field: "sig" } });
  }
  if (!NONCE.test(envelope.nonce) && !(emptyNonce && envelope.nonce === "")) {
    throw new Refusal("bad_encoding", "`nonce` is not 1 to 64 visible ASCII characters.", { details: { field: "nonce" } });
  }
  if (!envelope.payload.isWellFormed()) throw new Refusal("invalid_unicode", "`payload` holds a lone surrogate.");
  const payload = parsePayload(envelope.payload);
  return { id: messageId(envelope.payload), author: agentId(payload.pk), envelope, payload };
}

/** Each blob belongs to an attachment and is what it says; answers the hashes that must be stored already. */
export function checkBlobs({ envelope, payload }: Draft): readonly string[] {
  const blobs = envelope.blobs ?? {};
  const named = new Map((payload.attachments ?? []).map((attachment) => [attachment.sha256, attachment]));
  for (const [hash, content] of Object.entries(blobs)) {
    const attachment = named.get(hash);
    if (attachment === undefined) throw new Refusal("blob_mismatch", `No attachment names the blob ${hash.slice(0, 64)}.`);
    if (!content.isWellFormed() || content.includes("\0"))
      throw new Refusal("invalid_unicode", `The blob ${hash} holds a lone surrogate or U+0000.`);
    const size = utf8Length(content);
    if (size > LIMITS.attachment_bytes) throw new Refusal("too_large", `The blob ${hash} is larger than ${LIMITS.attachment_bytes} bytes.`);
    if (size !== attachment.size)
      throw new Refusal("blob_mismatch", `The blob ${hash} has ${size} bytes, its attachment says ${attachment.size}.`);
    if (sha256Hex(content) !== hash) throw new Refusal("blob_mismatch", `The blob ${hash} has another SHA-256.`);
  }
  return [...named.keys()].filter((hash) => !Object.hasOwn(blobs, hash));
}
