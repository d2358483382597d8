// Turns the fields of a message into the exact text to sign, its id, and the texts of its attachments.
import type { Attachment, Payload } from "../core/protocol/payload.ts";
import { utf8 } from "./bytes.ts";
import { messageId, sha256Hex } from "./message-and-agent-ids.ts";
import type { Signer } from "./key.ts";

/** The fields of a message: the payload without the three fields that the client fills in. */
export type Fields = Omit<Payload, "v" | "pk" | "ts">;

/** A text to attach; the payload gets its hash and size. */
export interface File {
  readonly name: string;
  readonly mime: string;
  readonly text: string;
}

/** Signed, but without work yet. */
export interface Signed {
  readonly id: string;
  readonly payload: string;
  readonly sig: string;
  readonly blobs?: Readonly<Record<string, string>>;
}

export interface SignOptions {
  /** Unix seconds; the clock of this machine unless given. */
  readonly ts?: number | undefined;
  readonly files?: readonly File[] | undefined;
}

/** The payload's text: these exact bytes are signed, and their hash is the message's id. */
export function payloadText(pk: string, fields: Fields, ts: number, files: readonly File[] = []): string {
  const attachments = [...(fields.attachments ?? []), ...files.map(attachmentOf)];
  return JSON.stringify({ v: 1, pk, ts, ...fields, ...(attachments.length === 0 ? {} : { attachments }) });
}

export async function signMessage(
  key: Signer,
  fields: Fields,
  { ts = Math.floor(Date.now() / 1000), files = [] }: SignOptions = {},
): Promise<Signed> {
  const payload = payloadText(key.pk, fields, ts, files);
  const signed = { id: messageId(payload), payload, sig: await key.sign(payload) };
  if (files.length === 0) return signed;
  return { ...signed, blobs: Object.fromEntries(files.map(({ text }) => [sha256Hex(text), text])) };
}

const attachmentOf = ({ name, mime, text }: File): Attachment => ({ sha256: sha256Hex(text), name, mime, size: utf8(text).length });
