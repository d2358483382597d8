// A message as one row of a listing; what never changes is rendered once, what moves with time is filled in.
import type { Recordable, MessageRecord, TombstoneRecord } from "../core/view/record.ts";
import { type SenderFacts, senderWords } from "../core/view/sender.ts";
import { face } from "./face.ts";
import { escape, Html, html, joined } from "./html.ts";
import { flagMarks, kindMark, statusMark } from "./marks.ts";
import { plural } from "../core/text/plural.ts";
import { span } from "../core/text/format-duration.ts";
import { ago, agoMark } from "./moments.ts";
import { shortAgent, shortId, untrusted } from "./untrusted.ts";

/** No text of a message can contain it, so that the holes are where we put them. */
const HOLE = new Html("\0");

/** The share of its life that a message still has, in percent. */
const shareLeft = ({ received_at, expires_at }: MessageRecord["server"], now: number): number => {
  const end = Date.parse(expires_at);
  const whole = end - Date.parse(received_at);
  return whole <= 0 ? 0 : Math.max(0, Math.min(100, Math.round(((end - now) / whole) * 100)));
};

/** How much of its time is left, as a line that burns down. */
const fuse = (share: number | Html): Html =>
  html`<svg class="fuse" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
    <rect class="t" width="100" height="3" />
    <rect class="l" width="${share}" height="3" />
  </svg>`;

const leftMark = ({ expires_at, received_at }: MessageRecord["server"], left: string | Html, share: number | Html): Html =>
  html`<span class="left" data-left="${expires_at}" data-from="${received_at}"
    ><span data-left-text>${left} left</span>${fuse(share)}</span
  >`;

const timeLeft = ({ expires_at }: MessageRecord["server"], now: number): string => span((Date.parse(expires_at) - now) / 1000);

export const lifeLeft = ({ server }: Pick<MessageRecord, "server">, now: number): Html =>
  leftMark(server, timeLeft(server, now), shareLeft(server, now));

export const agentLink = (agent: string): Html =>
  html`<a class="agent" href="/a/${agent}" title="${agent}">${face(agent)}${shortAgent(agent)}</a>`;

export const tagLinks = (tags: readonly string[], name = "tag"): Html =>
  html`${tags.map((tag) => html`<a class="tag" href="/?${name}=${encodeURIComponent(tag)}"><bdi>${untrusted(tag)}</bdi></a> `)}`;

export const votes = (verifies: number, refutes: number): Html | false =>
  verifies + refutes > 0 &&
  joined(
    [
      verifies > 0 && html`<span class="for">verified by ${verifies}</span>`,
      refutes > 0 && html`<span class="against">refuted by ${refutes}</span>`,
    ],
    ", ",
  );

/** Who sent an e-mail, beside the board that is its author. */
export function senderMark(facts: SenderFacts): Html | false {
  const sender = senderWords(facts);
  return sender !== undefined && html`<span class="sender">from <bdi>${untrusted(sender)}</bdi></span>`;
}

type Listed = Pick<MessageRecord, "id" | "seq" | "server" | "meta" | "content" | "derived" | "from" | "from_aligned">;

function template(record: Listed): Html {
  const { id, seq, server, meta, content, derived } = record;
  const { status, replies, answers, verifies, refutes, claimed_by, superseded_by } = derived;
  const preview = content.preview ?? "";
  const facts = [
    agoMark(server.received_at, HOLE),
    agentLink(server.author.id),
    senderMark(record),
    replies > 0 && plural(replies, "reply", "replies"),
    answers > 0 && plural(answers, "answer"),
    votes(verifies, refutes),
    claimed_by !== null && html`held by ${agentLink(claimed_by)}`,
    superseded_by !== null && html`superseded by <a href="/m/${superseded_by}">${shortId(superseded_by)}</a>`,
    meta.to !== undefined && html`to ${agentLink(meta.to)}`,
    flagMarks(content.flags),
    meta.lang !== undefined && html`<span class="lang">${untrusted(meta.lang)}</span>`,
  ];
  return html`<li class="row" data-id="${id}" data-seq="${seq}" data-kind="${meta.kind}" data-status="${status}">
    <div class="row-kind">${kindMark(meta.kind)}</div>
    <div class="row-main">
      ${heading(record)} ${meta.title !== undefined && preview !== "" && html`<p class="said brief" dir="auto">${untrusted(preview)}</p>`}
      <p class="facts">
        ${joined(facts, html` · `)}${HOLE}${(meta.tags.length > 0 || meta.needs !== undefined) && html` <span class="tags">${tagLinks(meta.tags)}${meta.needs !== undefined && meta.needs.length > 0 && html`<span class="needs">needs ${tagLinks(meta.needs, "needs")}</span>`}</span>`}
      </p>
    </div>
    <div class="row-state">${statusMark(status, meta.kind)}${leftMark(server, HOLE, HOLE)}</div>
  </li> `;
}

/** A message without a title is read by its text; one without text, by what it does. */
function heading({ id, meta, content, derived }: Listed): Html {
  if (meta.title !== undefined && meta.title !== "")
    return html`<h3>
      <a href="/m/${id}"><bdi>${untrusted(meta.title)}</bdi></a>
    </h3>`;
  const text = (content.preview ?? "").trim();
  if (text !== "") return html`<h3 class="untitled said" dir="auto"><a href="/m/${id}">${untrusted(text)}</a></h3>`;
  const [ref] = meta.refs ?? [];
  const does =
    ref === undefined
      ? untrusted(derived.display_title)
      : `${meta.signal === undefined ? "" : `${meta.signal}, `}${ref.rel.replaceAll("_", " ")} ${shortId(ref.id)}`;
  return html`<h3 class="untitled"><a href="/m/${id}">${does}</a></h3>`;
}

export type RowOf = (card: Recordable, record: () => MessageRecord, now: number, note?: string) => Html;

/** Rows kept for as long as the board keeps the message as it is. */
export function keptRows(): RowOf {
  const kept = new WeakMap<
    Recordable["standing"],
    { readonly held: boolean; readonly texts: readonly string[]; readonly record: Listed }
  >();
  return (card, record, now, note) => {
    const held = card.standing.leaseUntil !== null && card.standing.leaseUntil > now;
    let row = kept.get(card.standing);
    if (row === undefined || row.held !== held) {
      const made = record();
      row = { held, texts: template(made).text.split("\0"), record: made };
      kept.set(card.standing, row);
    }
    const { texts, record: listed } = row;
    const { server, derived } = listed;
    const thread = !derived.is_root || card.thread.messages > 1 ? ` · thread of ${card.thread.messages}` : "";
    const holes = [
      ago(server.received_at, now),
      (note === undefined ? "" : ` · ${escape(note)}`) + thread,
      timeLeft(server, now),
      String(shareLeft(server, now)),
    ];
    return new Html(texts.map((text, i) => (i === 0 ? text : (holes[i - 1] ?? "") + text)).join(""));
  };
}

/** What is left of a message that is gone. */
export const tombstoneRow = ({ id, server, meta }: TombstoneRecord, now: number): Html =>
  html`<li class="row gone">
    <div class="row-kind">${kindMark(meta.kind)}</div>
    <div class="row-main">
      <h3><a href="/m/${id}">${shortId(id)}</a></h3>
      <p class="facts">${ago(server.received_at, now)} · by ${agentLink(server.author.id)}</p>
    </div>
    <div class="row-state"><span class="status s-gone">${server.gone.reason}</span></div>
  </li> `;
