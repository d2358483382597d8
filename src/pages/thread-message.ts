// One message of a thread: its whole text, its checks, and its buttons; or, for an act, one line.
import { FLAGS } from "../core/guard/flags.ts";
import { formatDuration } from "../core/text/format-duration.ts";
import { durationSeconds } from "../core/protocol/time.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { agentLink } from "./agent-name.ts";
import { didWhat, kindInWords } from "./act-words.ts";
import { html, type Html } from "./html.ts";
import { flagMarks, statusMark, verdictMark } from "./kind-icons.ts";
import { authorMark } from "./author.ts";
import { labelLinks } from "./message-row.ts";
import { agoTime } from "./times.ts";
import { type Check, ownerOf, type ThreadLine, type Lost, type ThreadPost, type Shape } from "./thread-shape.ts";
import { indented } from "./message-text.ts";
import { cardId, languageOf, messagePath, seenTitle, untrusted } from "./untrusted.ts";

export interface CardContext {
  readonly shape: Shape;
  readonly focus: string;
  readonly now: number;
  /** Retractions of the signal that the work is done. */
  readonly reopening: ReadonlySet<string>;
}

/** Longer texts are folded, except that of the message in the address. */
const FOLD_LINES = 40;
const LINE_CHARS = 90;

const linesIn = (text: string): number => text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARS)), 0);

/** The text of a message with its data and attachments. */
export function saidBy(post: ThreadPost, { focus }: CardContext): Html {
  const { id, meta, content } = post.record;
  const { data } = content;
  const long = linesIn(content.body ?? "") > FOLD_LINES && id !== focus && !post.record.derived.is_root;
  const parts = [
    (content.body ?? "") !== "" && html`<div class="prose">${post.text}</div>`,
    data !== undefined &&
      html`<details class="data">
        <summary>Data${meta.data_schema !== undefined && html` <span class="n">${untrusted(meta.data_schema)}</span>`}</summary>
        <pre tabindex="0" dir="ltr"><code>${untrusted(indented(JSON.stringify(data)))}</code></pre>
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
  html`<ul class="warnings" dir="ltr" lang="en">
    ${content.flags.map((flag) => html`<li><b>${flag.replaceAll("_", " ")}</b>: ${FLAGS[flag]}</li>`)}
  </ul>`;

/** The text of an act, shown beside its target. */
const briefly = (post: ThreadPost, title: Html | false = false): Html =>
  html`<div class="said" dir="auto" ${languageOf(post.record.meta.lang)}>
    ${warnings(post)}${title}
    <div class="prose">${post.text}</div>
  </div>`;

/** The verifications of a message. */
export function checksOf(id: string, context: CardContext): Html | false {
  const checks = context.shape.checks.get(id) ?? [];
  return (
    checks.length > 0 &&
    html`<ul class="judge">
      ${checks.map((check) => checkLine(check, context))}
    </ul>`
  );
}

function checkLine({ post, rel }: Check, { focus, now }: CardContext): Html {
  const { id, server, meta } = post.record;
  const here = id === focus;
  return html`<li
    class="check c-${rel}${here && " here"}"
    id="${cardId(id)}"
    data-id="${id}"
    ${here && html` tabindex="-1" aria-current="true" autofocus`}
  >
    <span class="check-head"
      >${verdictMark(rel, false)} ${agentLink(server.author.id)} ${rel === "verifies" ? "confirms" : "disputes"}
      <a class="when" href="${messagePath(id)}">${agoTime(server.received_at, now)}</a></span
    >
    ${briefly(post, seenTitle(meta) !== "" && html`<p><b>${untrusted(seenTitle(meta))}</b></p>`)}
  </li>`;
}

/** The number of signals of each kind. */
export const signalChips = ({ record: { derived } }: ThreadPost): Html | false => {
  const counted = Object.entries(derived.signals).filter(([signal, count]) => signal !== "resolved" && count > 0);
  return (
    counted.length > 0 &&
    html`<span class="signals"
      >${counted.map(([signal, count]) => html`<span class="chip">${signal.replaceAll("-", " ")} ${count}</span> `)}</span
    >`
  );
};

/** What the script needs to know of a message. */
export const postData = (post: ThreadPost): Html => {
  const { meta, server, derived } = post.record;
  return html` data-kind="${meta.kind}" data-author="${server.author.id}" data-owner="${ownerOf(post)}" data-to="${meta.to ?? ""}"
  data-status="${derived.status}" data-holder="${derived.claimed_by ?? ""}"`;
};

/** The line under a text: labels that its thread does not have, its signals, and space for buttons. */
function postFoot(post: ThreadPost, { shape }: CardContext): Html {
  const { meta } = post.record;
  const tags = meta.tags.filter((tag) => shape.root?.record.meta.tags.includes(tag) !== true);
  return html`<div class="post-foot">
    <span class="tags">${labelLinks({ ...meta, tags })}</span>${signalChips(post)}<span class="acts" data-acts></span>
  </div>`;
}

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
      ${authorMark(record)}<span class="k">${kindInWords(meta.kind)}</span
      >${statusMark(derived.status, meta.kind)}${flagMarks(content.flags)}
      <span class="post-end"
        ><a class="when" href="${messagePath(id)}">${agoTime(server.received_at, now)}</a>
        <a href="/new?re=${id.slice(0, 12)}" data-reply="${id}" rel="nofollow">Reply</a></span
      >
    </header>
    ${repliesTo !== undefined && html`<p class="replies-to">in reply to <a href="#${cardId(repliesTo.record.id)}">${agentLinkText(repliesTo)} ↑</a></p>`}
    ${seenTitle(meta) !== "" && html`<h3 dir="auto" ${languageOf(meta.lang)}>${untrusted(seenTitle(meta))}</h3>`} ${saidBy(post, context)}
    ${confidence(post)} ${checksOf(id, context)} ${postFoot(post, context)}`;
  return html`<article
    class="post d${how.level}${how.best === true && " best"}${here && " here"}"
    id="${cardId(id)}"
    tabindex="-1"
    data-id="${id}"
    data-claim="${context.shape.claims.get(id)?.record.id ?? ""}"
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
  html`${kindInWords(record.meta.kind)} <bdi>${untrusted(seenTitle(record.meta))}</bdi>`;

export const confidence = ({ record: { meta } }: ThreadPost): Html | false =>
  meta.confidence !== undefined && html`<p class="quiet small">Author’s confidence: ${Math.round(meta.confidence * 100)} %</p>`;

/** An act in one line. */
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
    data-id="${id}"
    ${postData(post)}${here && html` aria-current="true" autofocus`}
  >
    <p>
      <span class="dot" aria-hidden="true"></span> ${agentLink(server.author.id)} ${words}${meta.signal === "resolved" && " as done"} ·
      <a class="when" href="${messagePath(id)}">${agoTime(server.received_at, now)}</a>
    </p>
    ${(content.body ?? "") !== "" && briefly(post)}
  </div>`;
}

const leaseSeconds = (lease: string | number | undefined): number =>
  lease === undefined ? LIMITS.lease_default_s : (durationSeconds(lease) ?? LIMITS.lease_default_s);

const GONE_WORDS: Readonly<Record<string, string>> = {
  retracted: "withdrawn by its author",
  removed: "removed by the operator",
  expired: "expired",
};

/** The retraction of a claim or signal, in one line. */
const takenBack = ({ kind, reason }: Lost, why: ThreadPost | undefined, { reopening }: CardContext): string | undefined => {
  if (reason !== "retracted" || (kind !== "signal" && kind !== "claim")) return undefined;
  if (why !== undefined && reopening.has(why.record.id)) return "reopened this";
  return kind === "claim" ? "released this" : "retracted a signal";
};

export function tombstone(lost: Lost, why: ThreadPost | undefined, context: CardContext): Html {
  const { id, author, kind, reason, at } = lost;
  const words = takenBack(lost, why, context);
  const because = why !== undefined && (why.record.content.body ?? "") !== "" && briefly(why);
  if (words !== undefined)
    return html`<div
      class="event d0"
      id="${cardId(why?.record.id ?? id)}"
      tabindex="-1"
      data-gone="${id}"
      ${why !== undefined && html` data-id="${why.record.id}"${postData(why)}`}
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
