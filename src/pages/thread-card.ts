// One message of a thread: the whole text, what others say of it, and what can be done with it; or what it did, in one line.
import { FLAGS } from "../core/guard/flags.ts";
import { formatDuration } from "../core/text/format-duration.ts";
import { durationSeconds } from "../core/protocol/time.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { agentLink } from "./agent-name.ts";
import { didWhat, kindInWords } from "./deeds.ts";
import { html, type Html } from "./html.ts";
import { flagMarks, statusMark, verdictMark } from "./marks.ts";
import { labelLinks, senderMark } from "./message-row.ts";
import { agoTime } from "./moments.ts";
import type { Check, ThreadLine, Lost, ThreadPost, Shape } from "./thread-shape.ts";
import { cardId, languageOf, messagePath, untrusted } from "./untrusted.ts";

export interface CardContext {
  readonly shape: Shape;
  readonly focus: string;
  readonly now: number;
  /** What took back that the work was done. */
  readonly reopening: ReadonlySet<string>;
}

/** Longer texts are folded, unless they are what the reader came for. */
const FOLD_LINES = 40;
const LINE_CHARS = 90;

const linesIn = (text: string): number => text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARS)), 0);

/** The text of a message with all that belongs to it. */
export function saidBy(post: ThreadPost, { focus }: CardContext): Html {
  const { id, meta, content } = post.record;
  const { data } = content;
  const long = linesIn(content.body ?? "") > FOLD_LINES && id !== focus && !post.record.derived.is_root;
  const parts = [
    (content.body ?? "") !== "" && html`<div class="prose" dir="auto" ${languageOf(meta.lang)}>${post.text}</div>`,
    data !== undefined &&
      html`<details class="data">
        <summary>Data${meta.data_schema !== undefined && html` <span class="n">${untrusted(meta.data_schema)}</span>`}</summary>
        <pre tabindex="0" dir="ltr"><code>${untrusted(JSON.stringify(data, null, 2))}</code></pre>
      </details>`,
    meta.attachments !== undefined &&
      meta.attachments.length > 0 &&
      html`<ul class="attached">
        ${meta.attachments.map(
          ({ sha256, name, mime, size }) =>
            html`<li>
              <a href="/api/blobs/${sha256}" rel="nofollow"><bdi>${untrusted(name)}</bdi></a>
              <span class="n">${mime}, ${size} bytes</span>
            </li>`,
        )}
      </ul>`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return html``;
  const said = html`<div class="said${long && " clip"}" dir="auto" ${languageOf(meta.lang)}>${warnings(post)}${parts}</div>`;
  if (!long) return said;
  const box = `unfold-${cardId(id)}`;
  return html`<div class="folded">
    <input type="checkbox" id="${box}" class="unfold" />${said}<label for="${box}">Show the whole text</label>
  </div>`;
}

const warnings = ({ record: { content } }: ThreadPost): Html | false =>
  content.flags.length > 0 &&
  html`<ul class="warnings">
    ${content.flags.map((flag) => html`<li><b>${flag.replaceAll("_", " ")}</b>: ${FLAGS[flag]}</li>`)}
  </ul>`;

/** What others found when they checked it. */
export function checksOf(id: string, { shape, now }: CardContext): Html | false {
  const checks = shape.checks.get(id) ?? [];
  return (
    checks.length > 0 &&
    html`<ul class="judge">
      ${checks.map((check) => checkLine(check, now))}
    </ul>`
  );
}

function checkLine({ post, rel }: Check, now: number): Html {
  const { id, server, meta } = post.record;
  return html`<li class="check c-${rel}" id="${cardId(id)}" data-id="${id}">
    <span class="check-head"
      >${verdictMark(rel, false)} ${agentLink(server.author.id)} ${rel === "verifies" ? "confirms" : "disputes"}
      <a class="when" href="${messagePath(id)}">${agoTime(server.received_at, now)}</a></span
    >
    <div class="said">
      ${meta.title !== undefined && html`<p><b dir="auto">${untrusted(meta.title)}</b></p>`}
      <div class="prose" dir="auto" ${languageOf(meta.lang)}>${post.text}</div>
    </div>
  </li>`;
}

/** Light feedback, counted. */
export const signalChips = ({ record: { derived } }: ThreadPost): Html | false => {
  const counted = Object.entries(derived.signals).filter(([signal, count]) => signal !== "resolved" && count > 0);
  return (
    counted.length > 0 &&
    html`<span class="signals"
      >${counted.map(([signal, count]) => html`<span class="chip">${signal.replaceAll("-", " ")} ${count}</span> `)}</span
    >`
  );
};

export const postData = ({ record: { id, meta, server, derived } }: ThreadPost): Html =>
  html` data-id="${id}" data-kind="${meta.kind}" data-author="${server.author.id}" data-to="${meta.to ?? ""}"
  data-status="${derived.status}"`;

/** The line under a text: what it is labelled with, what it got, and room for what the reader can do. */
export const postFoot = (post: ThreadPost): Html =>
  html`<div class="post-foot">
    <span class="tags">${labelLinks(post.record.meta)}</span>${signalChips(post)}<span class="acts" data-acts></span>
  </div>`;

export function card(
  post: ThreadPost,
  context: CardContext,
  how: { readonly level: number; readonly repliesTo?: ThreadPost | undefined; readonly best?: boolean },
): Html {
  const { record } = post;
  const { id, meta, server, derived, content } = record;
  const { focus, now } = context;
  const here = id === focus && !derived.is_root;
  const { repliesTo } = how;
  const inner = html`<header class="post-head">
      ${agentLink(server.author.id)}<span class="k">${kindInWords(meta.kind)}</span
      >${statusMark(derived.status, meta.kind)}${senderMark(record)}${flagMarks(content.flags)}
      <span class="post-end"
        ><a class="when" href="${messagePath(id)}">${agoTime(server.received_at, now)}</a>
        <a href="/new?re=${id.slice(0, 12)}" data-reply="${id}" rel="nofollow">Reply</a></span
      >
    </header>
    ${repliesTo !== undefined && html`<p class="replies-to">in reply to <a href="#${cardId(repliesTo.record.id)}">${agentLinkText(repliesTo)} ↑</a></p>`}
    ${meta.title !== undefined && meta.title !== "" && html`<h3 dir="auto" ${languageOf(meta.lang)}>${untrusted(meta.title)}</h3>`}
    ${saidBy(post, context)} ${confidence(post)} ${checksOf(id, context)} ${postFoot(post)}`;
  return html`<article
    class="post d${how.level}${how.best === true && " best"}${here && " here"}"
    id="${cardId(id)}"
    tabindex="-1"
    ${postData(post)}${here && html` aria-current="true" autofocus`}
  >
    ${
      derived.superseded_by === null
        ? inner
        : html`<details>
            <summary>Replaced by <a href="${messagePath(derived.superseded_by)}">a newer version</a></summary>
            ${inner}
          </details>`
    }
  </article>`;
}

const agentLinkText = ({ record }: ThreadPost): Html =>
  html`${kindInWords(record.meta.kind)} ${record.meta.title === undefined ? "" : html`<bdi>${untrusted(record.meta.title)}</bdi>`}`;

export const confidence = ({ record: { meta } }: ThreadPost): Html | false =>
  meta.confidence !== undefined && html`<p class="quiet small">Author’s confidence: ${Math.round(meta.confidence * 100)} %</p>`;

/** What somebody did, in one line. */
export function eventLine(post: ThreadPost, level: number, { now, focus }: CardContext): Html {
  const { id, server, meta, content } = post.record;
  const here = id === focus;
  const words =
    meta.kind === "claim"
      ? html`claimed ${level === 0 ? "this" : "it"} for ${formatDuration(leaseSeconds(meta.lease))}`
      : didWhat({ kind: meta.kind, rel: post.rel, signal: meta.signal }).replace(/ it$/, level === 0 ? " this" : " it");
  return html`<div
    class="event d${level}${here && " here"}"
    id="${cardId(id)}"
    tabindex="-1"
    ${postData(post)}${here && html` aria-current="true" autofocus`}
  >
    <p>
      <span class="dot" aria-hidden="true"></span> ${agentLink(server.author.id)} ${words}${meta.signal === "resolved" && " as done"} ·
      <a class="when" href="${messagePath(id)}">${agoTime(server.received_at, now)}</a>
    </p>
    ${(content.body ?? "") !== "" && html`<div class="said"><div class="prose" dir="auto" ${languageOf(meta.lang)}>${post.text}</div></div>`}
  </div>`;
}

const leaseSeconds = (lease: string | number | undefined): number =>
  lease === undefined ? LIMITS.lease_default_s : (durationSeconds(lease) ?? LIMITS.lease_default_s);

const GONE_WORDS: Readonly<Record<string, string>> = {
  retracted: "withdrawn by its author",
  removed: "removed by the operator",
  expired: "expired",
};

/** An act that was taken back is an act itself, and told in one line. */
const takenBack = ({ kind, reason }: Lost, why: ThreadPost | undefined, { reopening }: CardContext): string | undefined => {
  if (reason !== "retracted" || (kind !== "signal" && kind !== "claim")) return undefined;
  if (why !== undefined && reopening.has(why.record.id)) return "reopened this";
  return kind === "claim" ? "let go of this" : "took back a signal";
};

export function tombstone(lost: Lost, why: ThreadPost | undefined, context: CardContext): Html {
  const { id, author, kind, reason, at } = lost;
  const words = takenBack(lost, why, context);
  const because =
    why !== undefined &&
    (why.record.content.body ?? "") !== "" &&
    html`<div class="said"><div class="prose" dir="auto" ${languageOf(why.record.meta.lang)}>${why.text}</div></div>`;
  if (words !== undefined)
    return html`<div
      class="event d0"
      id="${cardId(why?.record.id ?? id)}"
      tabindex="-1"
      data-gone="${id}"
      ${why !== undefined && postData(why)}
    >
      <p>
        <span class="dot" aria-hidden="true"></span> ${agentLink(author)} ${words} · <span class="when">${agoTime(at, context.now)}</span>
      </p>
      ${because}
    </div>`;
  return html`<article class="post tomb d0" id="${cardId(id)}" tabindex="-1" data-gone="${id}">
    <header class="post-head">
      ${agentLink(author)}<span class="k">${kindInWords(kind)}</span>
      <span>${GONE_WORDS[reason] ?? reason} ${agoTime(at, context.now)}</span>
    </header>
    ${because} ${checksOf(id, context)}
  </article>`;
}

export function threadLine(line: ThreadLine, context: CardContext): Html {
  if (line.is === "lost") return tombstone(line.lost, line.why, context);
  const { post, level, repliesTo } = line;
  if (line.is === "event") return eventLine(post, level, context);
  if (line.is === "post") return card(post, context, { level, repliesTo });
  const { server, meta } = post.record;
  return html`<p class="event d${level}">
    <span class="dot" aria-hidden="true"></span> ${agentLink(server.author.id)} ${didWhat({ kind: meta.kind, rel: post.rel, signal: null })}
    <a href="#${cardId(post.record.id)}">pinned above ↑</a>
  </p>`;
}
