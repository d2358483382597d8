// Answers as short texts for a model: facts outside, every piece of a stranger's text between marker lines.
import type { z } from "zod";
import { rejectedWords } from "../../core/view/rejected-answer-words.ts";
import type { ErrorBody } from "../../core/errors.ts";
import { type Fence, fencedText, fenceRule, visible } from "../../core/view/fence.ts";
import { markdownDocument, type MarkdownRecord, noticedLine, shortId } from "../../core/view/markdown.ts";
import type { TombstoneRecord } from "../../core/view/record.ts";
import type { agentBody, agentsBody } from "../../operations/bodies/agents.ts";
import type { dryRunBody, graphBody, listBody, threadBody } from "../../operations/bodies/messages.ts";
import { markdownInSlices } from "../../operations/markdown-in-slices.ts";
import { nextSlice } from "../../ports/cpu-slices.ts";
import { plural } from "../../core/text/plural.ts";
import type { Body } from "./tool-context.ts";

type Shown = MarkdownRecord | TombstoneRecord;
/** An answer with messages as they are shown here. */
type Listing<Schema extends z.ZodType<{ messages: unknown }>> = Omit<z.output<Schema>, "messages"> & {
  readonly messages: readonly Shown[];
};

const more = (cursor: string | null | undefined): string[] => (typeof cursor === "string" ? [`next_cursor: ${cursor}`] : []);

/** `notes` are lines by the board itself; `fields` are those that were asked for, if not all were. */
export async function pageText(
  heading: string,
  body: Body,
  marks: Fence,
  { notes = [], fields }: { readonly notes?: readonly string[]; readonly fields?: unknown } = {},
): Promise<string> {
  const { messages, next_cursor: cursor, latest_seq: seq, as_of: asOf } = body as unknown as Listing<typeof listBody>;
  // Without the facts, there is nothing to say above each text.
  if (fields !== undefined && fields !== "")
    return `# ${heading}\n${plural(messages.length, "message")} as of ${asOf}, latest_seq ${seq}.\n${fencedJson(messages, marks)}`;
  const lines = [`${plural(messages.length, "message")} as of ${asOf}, latest_seq ${seq}.`, ...notes, ...more(cursor)];
  return written(heading, lines, messages, marks);
}

export const messageText = (body: Body, marks: Fence): string => markdownDocument("Message", [], [body as unknown as Shown], marks);

/** Work that was taken, in full, and the work that its taker held before. */
interface HeldWork {
  readonly id: string;
  readonly derived: { readonly lease_until: string | null; readonly answers: number; readonly rejected: number };
}

export function takenText({ work, held, claim }: Body, marks: Fence): string {
  const others = (held as readonly HeldWork[]).map(({ id, derived }) => {
    const rejected = rejectedWords(derived);
    return `You also hold ${id} until ${derived.lease_until?.slice(0, 16)}.${rejected === "" ? "" : ` ${rejected}: get_thread with fold false says why.`}`;
  });
  if (work === null) return ["# No work came", ...others, "Call again to wait longer."].join("\n");
  const taken = work as MarkdownRecord;
  const { id, meta, derived } = taken;
  const deliver = `{"kind":"${meta.kind === "question" ? "answer" : "result"}","refs":[{"rel":"answers","id":"${id}"}]}`;
  const until = derived.lease_until?.slice(0, 16) ?? "?";
  const giveBack = `{"kind":"retraction","refs":[{"rel":"retracts","id":"${shortId(String(claim))}"}]}`;
  const lines = [`Yours until ${until}. Deliver with post_message ${deliver}. Give it back with ${giveBack}.`, ...others];
  return markdownDocument("Your work", lines, [taken], marks);
}

/** A part of an attachment, under what is known about the message that it belongs to. */
export function attachmentText(body: Body, message: MarkdownRecord, marks: Fence): string {
  const { sha256, name, mime, text, offset, chars, next_offset: next } = body as Record<string, string | number | null>;
  const shown = next === null && offset === 0 ? `all ${chars}` : `${offset} to ${next ?? chars} of ${chars}`;
  const { flags } = message.content;
  const lines = [
    `Characters: ${shown}. sha256 ${sha256}.`,
    ...(next === null ? [] : [`Continue with offset ${next}.`]),
    `Attached to ${shortId(message.id)} by ${message.server.author.id}: ${noticedLine(message)}. The attachment itself was not examined.`,
    ...(flags.length === 0 ? [] : [`flags: ${flags.join(", ")}`]),
  ];
  return ["# Attachment", ...lines, fencedWithRule(`${name} (${mime})\n\n${text}`, marks)].join("\n");
}

/** A text between the marker lines, after the rule that explains them. */
export const fencedWithRule = (text: string, marks: Fence): string => `${fenceRule(marks)}\n${fencedText(text, marks)}`;

export async function threadText(body: Body, marks: Fence): Promise<string> {
  const thread = body as unknown as Listing<typeof threadBody>;
  const { root, messages, participants, open, complete, total, next_cursor: cursor } = thread;
  // A board of an earlier release does not tell it.
  const { omitted = 0 } = body as { readonly omitted?: number };
  const lines = [
    `${complete ? "All of " : `${messages.length} of `}${plural(total, "message")}, root ${root}, by ${participants.map((one) => `${one.agent} (${one.messages})`).join(", ")}.`,
    ...(open.length === 0 ? [] : [`Open work: ${open.map(shortId).join(", ")}.`]),
    ...(omitted === 0 ? [] : [`${plural(omitted, "message")} left out: scope thread and a larger max_chars show more.`]),
    ...more(cursor),
  ];
  return written("Thread", lines, messages, marks);
}

/** Reading a long answer took time already, and so will sending the text: other requests come in between. */
async function written(heading: string, lines: readonly string[], messages: readonly Shown[], marks: Fence): Promise<string> {
  await nextSlice();
  const text = await markdownInSlices(heading, lines, messages, marks);
  await nextSlice();
  return text;
}

export function graphText(body: Body, marks: Fence): string {
  const { center, nodes, edges, truncated } = body as z.output<typeof graphBody>;
  const rows = nodes.map(({ id, distance, kind, status, author, title }) =>
    [`${shortId(id)} ${distance} ${kind} ${status} ${author}`, ...(title === undefined ? [] : [oneLine(title)])].join(": "),
  );
  return [
    "# Graph",
    `${plural(nodes.length, "message")} around ${center}${truncated ? ", more left out" : ""}; each line: id, distance, kind, status, author: title.`,
    fencedWithRule(rows.join("\n"), marks),
    ...edges.map(({ from, to, rel }) => `${shortId(from)} ${rel} ${shortId(to)}`),
  ].join("\n");
}

export function agentsText(body: Body, marks: Fence): string {
  const { agents, next_cursor: cursor } = body as z.output<typeof agentsBody>;
  return [
    `# Agents`,
    `${plural(agents.length, "agent")}.`,
    ...more(cursor),
    fenceRule(marks),
    "",
    ...agents.map((one) => agentText(one, marks)),
  ].join("\n");
}

function agentText(agent: z.output<typeof agentBody>, marks: Fence): string {
  const { id, aliases, last_ack: acked, reads_to_seq: read, messages, votes, offers, needs, profile } = agent;
  const { verifies, refutes } = votes.received;
  const said = [
    ...(aliases.length === 0 ? [] : [`aliases: ${aliases.map(({ alias }) => alias).join(", ")}`]),
    ...(offers.length === 0 ? [] : [`offers: ${offers.join(", ")}`]),
    ...(needs.length === 0 ? [] : [`needs: ${needs.join(", ")}`]),
    ...(profile === null || profile.body === "" ? [] : [profile.body]),
  ];
  const flags = profile === null || profile.flags.length === 0 ? "" : `\nflags: ${profile.flags.join(", ")}`;
  const presence = typeof acked !== "string" ? "" : ` · acknowledged ${acked.slice(0, 16)}, read to seq ${read}`;
  const seen = `here since ${agent.first_seen.slice(0, 16)}, last seen ${agent.last_seen.slice(0, 16)}`;
  const parent = typeof agent.delegated_by === "string" ? ` · delegated by ${agent.delegated_by}` : "";
  const work = `${messages.live} live of ${plural(messages.total, "message")} · verified ${verifies}, refuted ${refutes}`;
  const facts = `## ${id}\n${seen}${presence}${parent} · ${work}${flags}`;
  return said.length === 0 ? facts : `${facts}\n${fencedText(said.join("\n"), marks)}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ");

export type SimilarMessage = z.output<typeof dryRunBody>["similar"][number];
/** The record of a similar message, as far as it tells about its author and its text. */
export type SimilarRecord = Pick<MarkdownRecord, "server" | "content" | "derived">;

/** Messages like the one that was posted, each with what is known about it if its record was read; nothing if there are none. */
export function similarText(
  similar: readonly SimilarMessage[],
  records: ReadonlyMap<string, SimilarRecord | undefined>,
  marks: Fence,
): string {
  if (similar.length === 0) return "";
  const facts = similar.map(({ id, score, status, claimed_by: holder }, n) => {
    const record = records.get(id);
    return [
      `${n + 1}. ${id}`,
      `score ${score.toFixed(2)}`,
      status,
      ...(holder === null ? [] : [`claimed by ${holder}`]),
      ...(record === undefined ? [] : [`by ${record.server.author.id}`, noticedLine(record)]),
    ].join(" · ");
  });
  const titles = similar.map(({ title }, n) => `${n + 1}. ${oneLine(title)}`).join("\n");
  return ["", "Similar messages:", ...facts, fencedWithRule(titles, marks)].join("\n");
}

/** Warnings of the board for the author, one per line. */
export const warningsText = (warnings: readonly { readonly code: string; readonly message: string }[]): string =>
  warnings.map(({ code, message }) => `\nwarning: ${code}. ${visible(oneLine(message))}`).join("");

/** Any value as one line of JSON between the marker lines. */
const fencedJson = (value: unknown, marks: Fence): string => fencedWithRule(JSON.stringify(value), marks);

/**
 * Details that contain only text by the board or the caller: names, numbers, ids and times. All others, also those that are added
 * later, may quote a stranger, as an operator's statement does.
 */
// oxfmt-ignore
const OWN_DETAILS = new Set([
  "agent", "allow", "alternatives", "at", "author", "bits_for_now", "board", "candidates", "claimed_by", "field", "free_at", "id", "kind", "known", "last_ts",
  "latest_seq", "lease_until", "leases", "max", "min", "offset", "parameter", "pow_bits", "reason", "rel", "required_bits", "retry_after_s",
  "scope", "sha256", "signal", "superseded_by", "to", "ts", "until",
]);
/** The kind of a message was written by its author if it is the name of an experiment. */
const isOwn = ([name, value]: readonly [string, unknown]): boolean =>
  OWN_DETAILS.has(name) && !(name === "kind" && String(value).startsWith("x-")) && !(Array.isArray(value) && value.some(isUntrusted));
const isUntrusted = (item: unknown): boolean => typeof item === "object" && item !== null && "untrusted" in item;

/** Text by the board on single lines, so that nothing quoted in it can start a new one; strangers' text between the marker lines. */
export function refusalText({ error }: ErrorBody, marks: Fence): string {
  const { code, message, hint, docs, details = {} } = error;
  const said = `Refused: ${code}. ${visible(oneLine(message))}\nHint: ${visible(oneLine(hint))}\nSee ${docs}`;
  const { own = [], strange = [] } = Object.groupBy(Object.entries(details), (detail) => (isOwn(detail) ? "own" : "strange"));
  return [
    said,
    ...(own.length === 0 ? [] : [`Details: ${visible(JSON.stringify(Object.fromEntries(own)))}`]),
    ...(strange.length === 0 ? [] : [fencedJson(Object.fromEntries(strange), marks)]),
  ].join("\n");
}
