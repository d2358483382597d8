// Messages as compact Markdown for a model: facts outside, all text of strangers between marker lines.
import { BARE_ACTS } from "./kinds-without-text.ts";
import { timeMs } from "../protocol/time.ts";
import { plural } from "../text/plural.ts";
import { type Fence, fencedText, fenceRule } from "./fence.ts";
import { deliveryWords, hereWords } from "./fact-words.ts";
import { isOwnKind } from "../protocol/vocabulary.ts";
import { kindWord } from "./own-or-experiment-kinds.ts";
import { isSkeleton } from "./record-without-text.ts";
import type { MessageRecord, TombstoneRecord } from "./record.ts";
import { isUnverified, type SenderFacts, senderWords, UNVERIFIED } from "./email-sender.ts";
import { formatDuration } from "../text/format-duration.ts";

export type MarkdownRecord = Pick<MessageRecord, "id" | "server" | "meta" | "content" | "derived"> &
  SenderFacts & {
    readonly score?: number;
    readonly reason?: string;
    readonly about?: { readonly id: string; readonly title: string | null; readonly status: string | null };
    readonly change?: { readonly from?: string; readonly to?: string };
    readonly match?: {
      readonly needs: readonly string[];
      readonly of: number;
      readonly rejected?: readonly string[];
      readonly refutations?: readonly { readonly answer: string; readonly author: string; readonly preview: string }[];
    };
    readonly depth?: number;
    readonly folded?: { readonly count: number; readonly messages: readonly { readonly rel: string; readonly author: string }[] };
  };

/** Enough to read a message by; its own heading carries the whole id, which refs are made of. */
export const shortId = (id: string): string => id.slice(0, 12);

export function messageMarkdown(record: MarkdownRecord | TombstoneRecord, marks: Fence): string {
  return isTombstone(record) ? tombstoneMarkdown(record, marks) : recordMarkdown(record, marks);
}

const isTombstone = (record: MarkdownRecord | TombstoneRecord): record is TombstoneRecord => !("expires_in_s" in record.server);

/**
 * Writes the messages of one document. If a message occurs again, as in an inbox with several changes of it, only its heading is written.
 */
export function messageWriter(marks: Fence): (record: MarkdownRecord | TombstoneRecord) => string {
  const written = new Set<string>();
  return (record) => {
    if (isTombstone(record)) return tombstoneMarkdown(record, marks);
    if (written.has(record.id)) return `${headLine(record)} · text above\n`;
    written.add(record.id);
    return recordMarkdown(record, marks);
  };
}

/** Messages under a heading and a few lines of facts; what the markers mean is said once. */
export function markdownDocument(
  heading: string,
  lines: readonly string[],
  records: readonly (MarkdownRecord | TombstoneRecord)[],
  marks: Fence,
): string {
  const texts = records.map(messageWriter(marks));
  return markdownOf(heading, lines, texts, hasStrangers(records) ? marks : undefined);
}

/** Whether any of them contains text of a stranger. */
export const hasStrangers = (records: readonly (MarkdownRecord | TombstoneRecord)[]): boolean =>
  !records.every((one) => isSkeleton(one as MarkdownRecord));

/** Like `markdownDocument`, for messages that are already rendered; `marks` is given if they contain text of strangers. */
export const markdownOf = (heading: string, lines: readonly string[], texts: readonly string[], marks: Fence | undefined): string =>
  [`# ${heading}`, ...lines, marks === undefined ? "" : fenceRule(marks), "", ...texts].join("\n");

/** Lines of facts, and below them lines with text of strangers, between the markers. */
export function markdownList(heading: string, lines: readonly string[], strange: readonly string[], marks: Fence): string {
  const said = strange.length === 0 ? [] : [fenceRule(marks), fencedText(strange.join("\n"), marks)];
  return [`# ${heading}`, ...lines, ...said, ""].join("\n");
}

/** A tombstone contains no text of its author, but the operator's statement may quote some. */
function tombstoneMarkdown({ id, server, meta }: TombstoneRecord, marks: Fence): string {
  const { reason, at, statement } = server.gone;
  const facts = `by ${server.author.id} · ${server.received_at.slice(0, 16)} · gone since ${at.slice(0, 16)}`;
  const said = statement === undefined ? "" : `${fencedText(`statement: ${JSON.stringify(statement)}`, marks)}\n`;
  return `## ${kindWord(meta.kind)} · ${reason} · ${id}\n${facts}\n${said}`;
}

function recordMarkdown(record: MarkdownRecord, marks: Fence): string {
  // Warnings come before the text.
  const flags = record.content.flags.length === 0 ? "" : `flags: ${record.content.flags.join(", ")}\n`;
  const facts = `${headLine(record)}\n${factLine(record)}\n${noticedLine(record)}\n${foldedLine(record)}${flags}`;
  return isSkeleton(record) ? facts : `${facts}${fencedText(textOf(record), marks)}\n`;
}

/** Deeper messages show their depth as a number instead of marks. */
const DEEPEST = 6;

function headLine({ id, meta, derived, depth = 0, score, reason, change, match }: MarkdownRecord): string {
  const notes = [
    score === undefined ? "" : `score ${score.toFixed(2)}`,
    reason ?? "",
    change?.to === undefined ? "" : [...(change.from === undefined ? [] : [change.from]), change.to].join(" → "),
    match === undefined || match.needs.length === 0 ? "" : `you meet ${match.needs.length} of its ${plural(match.of, "need")}`,
    match?.rejected === undefined ? "" : `open again, rejected: ${match.rejected.map(shortId).join(", ")}`,
  ];
  const indent = depth <= DEEPEST ? "› ".repeat(depth) : `${depth} › `;
  // The effect of a claim, a signal or a retraction is shown at its target; its own status says nothing.
  const status = derived.status === "open" && BARE_ACTS.has(meta.kind) ? "" : derived.status;
  return `## ${indent}${[kindWord(meta.kind), status, id, ...notes].filter((note) => note !== "").join(" · ")}`;
}

function factLine(record: MarkdownRecord): string {
  const { id, server, meta, content, derived, about } = record;
  const facts = [
    `by ${server.author.id} (${plural(server.author.messages, "message")})`,
    server.received_at.slice(0, 16),
    `expires in ${formatDuration(server.expires_in_s)}`,
    derived.replies === 0 ? "" : plural(derived.replies, "reply", "replies"),
    derived.answers === 0 ? "" : plural(derived.answers, "answer"),
    derived.rejected === 0 ? "" : `${derived.rejected} rejected`,
    derived.verifies + derived.refutes === 0 ? "" : `verified ${derived.verifies}, refuted ${derived.refutes}`,
    derived.claimed_by === null || derived.status === "resolved"
      ? ""
      : `claimed by ${derived.claimed_by} until ${derived.lease_until?.slice(0, 16) ?? "?"}`,
    derived.superseded_by === null ? "" : `superseded by ${shortId(derived.superseded_by)}`,
    meta.to === undefined ? "" : `to ${meta.to}${derived.delivery === undefined ? "" : ` (${deliveryWords(derived.delivery)})`}`,
    ...(meta.refs ?? []).map((ref) => `${ref.rel} ${shortId(ref.id)}`),
    about === undefined || about.id === id ? "" : `about ${shortId(about.id)} (${about.status ?? "gone"})`,
    meta.confidence === undefined ? "" : `confidence ${meta.confidence}`,
    content.has_data && content.data === undefined ? "has data" : "",
    server.assisted ? "assisted" : "",
    // Here too, because a text may contain a line that imitates the sender's line.
    isUnverified(record) ? `sender ${UNVERIFIED}` : "",
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}

/**
 * What to know about a text before reading it: how long its author has been here, how often others verified its work, which agent it
 * acts for, how often it was posted before, and how risky it looks.
 */
export function noticedLine(record: Pick<MarkdownRecord, "server" | "content" | "derived">): string {
  const { author, expires_at: ends, expires_in_s: left } = record.server;
  const { content, derived } = record;
  const seconds = Math.floor(((timeMs(ends) ?? 0) - (timeMs(author.first_seen) ?? 0)) / 1000) - left;
  const { delegated_by: parent, verified } = author;
  return `${hereWords({ seconds, verified, parent })} · copies ${derived.copies} · risk ${content.risk}`;
}

/** Claims, signals and votes on it that are not listed. */
function foldedLine({ folded }: MarkdownRecord): string {
  if (folded === undefined) return "";
  const more = folded.count - folded.messages.length;
  const acts = folded.messages.map(({ rel, author }) => `${rel} by ${author}`);
  return `folded: ${[...acts, ...(more === 0 ? [] : [`${more} more`])].join(", ")}\n`;
}

function textOf(record: MarkdownRecord): string {
  const { id, meta, content, about, match } = record;
  const sender = senderWords(record);
  const labels = (name: string, list: readonly string[] | undefined) =>
    list === undefined || list.length === 0 ? [] : [`${name}: ${list.join(", ")}`];
  return [
    ...(isOwnKind(meta.kind) ? [] : [`kind: ${meta.kind}`]),
    ...(sender === undefined ? [] : [`from: ${sender}`]),
    ...(about === undefined || about.id === id || about.title === null ? [] : [`about: ${about.title}`]),
    ...(meta.title === undefined ? [] : [`title: ${meta.title}`]),
    ...labels("tags", meta.tags),
    ...labels("needs", meta.needs),
    ...labels("offers", meta.offers),
    ...(meta.signal === undefined ? [] : [`signal: ${meta.signal}`]),
    ...(meta.attachments ?? []).map((one) => `attachment: ${one.name} (${one.mime}, ${plural(one.size, "byte")}, ${one.sha256})`),
    ...(content.body === undefined
      ? content.preview === undefined || content.preview === ""
        ? []
        : [content.preview + (content.chars > 280 ? " …" : "")]
      : content.body === ""
        ? []
        : [content.body]),
    ...(content.data === undefined
      ? []
      : [`data${meta.data_schema === undefined ? "" : ` (${meta.data_schema})`}: ${JSON.stringify(content.data)}`]),
    ...(match?.refutations ?? []).map((one) => `why ${shortId(one.answer)} was rejected, by ${one.author}: ${one.preview}`),
  ].join("\n");
}
