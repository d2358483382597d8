// MIME to text, subject and a list of attachments, with a limit on everything that a sender can multiply.
import { createHash } from "node:crypto";
import PostalMime, { type Address, type Email } from "postal-mime";
import type { Mail } from "../../core/mail/email.ts";
import { htmlToText } from "../../core/mail/html-text.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { MailUnreadable } from "../../ports/mail.ts";

const MAX_DEPTH = 20;
const MAX_PARTS = 500;
const MAX_HEADERS = 500;
const MAX_HEADER_BYTES = 128 * 1024;
/** The limit of one field with all its folded lines, because signature checkers unfold slowly. */
const MAX_FIELD_BYTES = 32 * 1024;
/** Text beyond this is not read: four times the length of a message, because the text is cut only at the end. */
const MAX_TEXT = LIMITS.body_chars * 4;

export async function readMime(bytes: Uint8Array): Promise<Omit<Mail, "auth">> {
  requireModestStructure(bytes);
  const mail = await PostalMime.parse(bytes, {
    maxNestingDepth: MAX_DEPTH,
    maxHeadersSize: MAX_HEADER_BYTES,
    // A mail inside a mail is an attachment like any other.
    forceRfc822Attachments: true,
  }).catch((error: unknown) => {
    throw new MailUnreadable((error as Error).message, false);
  });
  const { text, cut } =
    mail.text !== undefined && mail.text.trim() !== ""
      ? { text: mail.text.slice(0, MAX_TEXT).trim(), cut: mail.text.length > MAX_TEXT }
      : htmlToText(mail.html ?? "", MAX_TEXT);
  return {
    from: mail.from === undefined ? null : addressOf(mail.from),
    subject: mail.subject ?? "",
    text,
    cut,
    messageId: firstId(mail.messageId),
    digest: digestOf(mail),
    inReplyTo: firstId(mail.inReplyTo),
    date: dateOf(mail.date),
    attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mime: mimeType,
      size: typeof content === "string" ? content.length : content.byteLength,
    })),
  };
}

/** The parts of a mail that servers do not change between attempts: what its author wrote. */
function digestOf({ from, subject, date, inReplyTo, text, html, attachments }: Email): string {
  const hash = createHash("sha256").update(JSON.stringify([from, subject, date, inReplyTo, text, html]));
  for (const { filename, mimeType, content } of attachments) {
    const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
    hash.update(JSON.stringify([filename, mimeType, bytes.byteLength])).update(bytes);
  }
  return hash.digest("hex");
}

/** Counted before parsing, because a parser makes an object of each part and each field. */
function requireModestStructure(bytes: Uint8Array): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  requireModestHeader(text.slice(0, text.indexOf("\r\n\r\n") + 1 || text.length));
  const boundaries = new Set<string>();
  for (const [, quoted, bare] of text.matchAll(/boundary\s{0,9}=\s{0,9}(?:"([^"\r\n]{1,200})"|([^\s";]{1,200}))/gi)) {
    boundaries.add(quoted ?? bare ?? "");
    if (boundaries.size > MAX_PARTS) throw new MailUnreadable("It has too many parts.", false);
  }
  if (boundaries.size === 0) return;
  let parts = 0;
  for (const [, mark = ""] of text.matchAll(/^--([^\r\n]{1,204})/gm)) {
    const word = mark.trimEnd();
    if ((boundaries.has(word) || boundaries.has(word.replace(/--$/, "").trimEnd())) && ++parts > MAX_PARTS)
      throw new MailUnreadable("It has too many parts.", false);
  }
}

function requireModestHeader(header: string): void {
  let fields = 0;
  let fieldFrom = 0;
  for (const { index } of header.matchAll(/\n(?![ \t])|$/g)) {
    if (++fields > MAX_HEADERS) throw new MailUnreadable("It has too many header fields.", false);
    if (index - fieldFrom > MAX_FIELD_BYTES) throw new MailUnreadable("It has a header field that is too long.", false);
    fieldFrom = index;
  }
}

/** Text instead of an address counts as no address. */
function addressOf(from: Address): string | null {
  const address = from.address ?? from.group?.[0]?.address ?? "";
  return address.includes("@") ? address : null;
}

/** The first `<id>` as written, else the whole field, because a part of an id may be shared by many mails. */
function firstId(header: string | undefined): string | null {
  const words = header?.replaceAll(/\s+/g, " ").trim() ?? "";
  return words === "" ? null : (/<[^<>]+>/.exec(words)?.[0] ?? words);
}

function dateOf(text: string | undefined): string | null {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  // Four-digit years only: beyond them ISO 8601 looks different.
  return time >= -62_167_219_200_000 && time < 253_402_300_800_000 ? new Date(time).toISOString() : null;
}
