// Turns a parsed e-mail into the payload of a message, within every limit of the protocol.
import { codePoints, firstCodePoints } from "../protocol/encoding.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Payload } from "../protocol/payload.ts";

export interface MailAttachment {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

/** Results in the words of RFC 8601: pass, fail, softfail, neutral, none, temperror, permerror, policy. */
export interface MailAuth {
  readonly spf: string;
  readonly dkim: string;
  readonly dmarc: string;
  /** Whether SPF or DKIM passed for the domain in From: anybody can pass for some other domain. */
  readonly aligned: boolean;
  /** The domains that passed; for DKIM the aligned ones first. */
  readonly domains: { readonly spf: string | null; readonly dkim: readonly string[] };
}

/** A parsed e-mail; lengths are not yet limited to those of a message. */
export interface Mail {
  readonly from: string | null;
  readonly subject: string;
  readonly text: string;
  /** Whether the text was cut. */
  readonly cut: boolean;
  readonly messageId: string | null;
  /** A hash of everything that the author wrote, attachments included, without what mail servers add. */
  readonly digest: string;
  readonly inReplyTo: string | null;
  /** ISO 8601. */
  readonly date: string | null;
  readonly attachments: readonly MailAttachment[];
  readonly auth: MailAuth;
}

export interface EmailFor {
  /** The board's own key, which is the author. */
  readonly pk: string;
  readonly ts: number;
  /** The owner of the alias, and the alias as an address. */
  readonly to: string;
  readonly address: string;
  /** Bytes of the mail. */
  readonly size: number;
  /** Off only if the operator publishes whole addresses. */
  readonly maskSender: boolean;
}

const MAX_ADDRESS = 255;
const MAX_WORD = 100;
/** The most signatures that are listed. */
const MAX_DOMAINS = 8;

export function emailPayload(mail: Mail, { pk, ts, to, address, size, maskSender }: EmailFor): Payload {
  const title = line(mail.subject, LIMITS.title_chars);
  const text = sound(mail.text).replaceAll(/\r\n?/g, "\n");
  const body = firstCodePoints(text, LIMITS.body_chars);
  const id = (value: string | null) => (value === null ? null : line(value, MAX_ADDRESS));
  return {
    v: 1,
    pk,
    ts,
    kind: "email",
    ...(title === "" ? {} : { title }),
    ...(body === "" ? {} : { body }),
    body_format: "plain",
    data: {
      from: mail.from === null ? null : maskSender ? maskAddress(mail.from) : line(mail.from, MAX_ADDRESS),
      to: line(address, MAX_ADDRESS),
      message_id: id(mail.messageId),
      in_reply_to: id(mail.inReplyTo),
      date: mail.date,
      auth: authData(mail.auth),
      size,
      truncated: mail.cut || body.length < text.length,
      attachments: mail.attachments.slice(0, LIMITS.mail_attachments).map((one) => ({
        name: line(one.name, LIMITS.attachment_name_chars),
        mime: line(one.mime, MAX_WORD),
        size: one.size,
      })),
    },
    data_schema: "email@1",
    to,
  };
}

function authData({ spf, dkim, dmarc, aligned, domains }: MailAuth): MailAuth {
  const domain = (name: string): string => line(name, MAX_ADDRESS);
  return {
    spf,
    dkim,
    dmarc,
    aligned,
    domains: { spf: domains.spf === null ? null : domain(domains.spf), dkim: domains.dkim.slice(0, MAX_DOMAINS).map(domain) },
  };
}

/** A mail to the operator of the board, within the limits of a report: its subject and text, and the address for an answer. */
export function emailReport(mail: Mail): { readonly explanation: string; readonly contact: string | undefined } {
  const subject = line(mail.subject, LIMITS.title_chars);
  const text = sound(mail.text).replaceAll(/\r\n?/g, "\n").trim();
  const words = [subject === "" ? "" : `Subject: ${subject}`, text].filter((part) => part !== "").join("\n\n");
  return {
    explanation: words === "" ? "(a mail without subject and text)" : firstCodePoints(words, LIMITS.report_explanation_chars),
    contact: mail.from === null ? undefined : contactOf(mail.from, mail.auth.aligned),
  };
}

/** In the form of an RFC 5322 comment: mail programs still accept an address that is followed by it. */
const UNVERIFIED_COMMENT = " (unverified)";

const contactOf = (from: string, aligned: boolean): string =>
  aligned
    ? line(from, LIMITS.report_contact_chars)
    : `${line(from, LIMITS.report_contact_chars - UNVERIFIED_COMMENT.length)}${UNVERIFIED_COMMENT}`;

export interface Sender {
  /** The sender that the e-mail names; null if it names nobody. */
  readonly from: string | null;
  readonly from_aligned: boolean;
}

/** The sender of the e-mail in this payload; unverified unless the data says otherwise. */
export function senderOf({ data = {} }: Payload): Sender {
  const { from, auth } = data as { from?: unknown; auth?: { aligned?: unknown } };
  return { from: typeof from === "string" ? from : null, from_aligned: auth?.aligned === true };
}

/** Masks an address, because the inbox is public and the sender did not ask for that: keeps the domain and one character. */
export function maskAddress(address: string): string {
  const clean = line(address, MAX_ADDRESS * 2);
  const at = clean.lastIndexOf("@");
  if (at < 0) return "***";
  return `${at === 0 ? "" : firstCodePoints(clean, 1)}***@${firstCodePoints(clean.slice(at + 1), MAX_ADDRESS)}`;
}

/** The text without characters that the board's JSON may not contain: U+0000, and halves of surrogate pairs. */
function sound(text: string): string {
  // With the u flag whole pairs are one character, so only lone halves match.
  return text.isWellFormed() && !text.includes("\0") ? text : text.replaceAll(/[\0\p{Surrogate}]/gu, "");
}

/** One line of at most this many code points. */
function line(text: string, max: number): string {
  const one = sound(text)
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, " ")
    .trim();
  return codePoints(one) <= max ? one : firstCodePoints(one, max).trimEnd();
}
